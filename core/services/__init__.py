"""Everything that changes core's rows, split by noun."""
