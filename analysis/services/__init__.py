"""The verbs of analysis, by noun."""
