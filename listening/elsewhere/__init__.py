"""Tests that were made for other programs, read as experiments: webMUSHRA and the P.808 toolkit."""
