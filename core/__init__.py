"""Core of the platform: errors, jobs, audit log, accounts, permissions; nothing about listening tests."""
