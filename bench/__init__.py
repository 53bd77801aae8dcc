"""Benchmarks that print ratios measured in one run; never a bare time, which says more about the machine."""
