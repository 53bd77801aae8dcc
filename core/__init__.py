"""Knows nothing of listening tests: errors, jobs, plug-ins, audit log, accounts, policy."""
