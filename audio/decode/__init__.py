"""Decoders: exact samples at any position of every format."""
