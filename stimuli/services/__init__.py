"""The verbs of stimuli, by noun."""
