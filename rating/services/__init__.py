"""The verbs of rating, by noun."""
