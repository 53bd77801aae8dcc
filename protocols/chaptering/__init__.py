"""Chaptering of recordings."""
