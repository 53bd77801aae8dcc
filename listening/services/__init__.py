"""The verbs of listening, by noun."""
