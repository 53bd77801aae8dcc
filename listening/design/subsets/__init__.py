"""Subsets of items for the panels: disjoint, each a small copy of the pool."""
