"""Designs, panels, seats and visits: who listens, when, in which order, and on what equipment."""
