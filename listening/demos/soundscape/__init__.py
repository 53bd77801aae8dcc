"""A day of sound out of numbers alone: sources, a palette of scenes, programmes of hours, and summaries of them."""
