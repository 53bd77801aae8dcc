"""Synthetic soundscape for demos: sources, and a palette of encoded scenes."""
