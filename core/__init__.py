"""Knows nothing of listening tests: errors, jobs, audit log, accounts, policy."""
