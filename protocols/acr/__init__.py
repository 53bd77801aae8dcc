"""Absolute category rating (P.800 ACR)."""
