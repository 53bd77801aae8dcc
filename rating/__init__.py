"""What is asked and answered: experiments, ballots, votes, and the protocols."""
