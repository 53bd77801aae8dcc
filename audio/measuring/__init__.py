"""Loudness, peaks, silence and hours, in one pass over any length."""
