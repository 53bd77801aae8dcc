"""Exact samples out of every format."""
