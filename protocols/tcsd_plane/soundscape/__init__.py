"""Soundscape of the demo: two recordings of a day made of numbers alone, and summaries of them."""
