"""Speech summaries by picking words."""
