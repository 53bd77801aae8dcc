"""Designs: subsets of items, orders of presentation, and reports on them; pure, without Django."""
