"""Experiments, ballots, votes, and the protocols."""
