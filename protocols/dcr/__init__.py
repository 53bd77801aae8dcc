"""Degradation category rating (P.800 DCR)."""
