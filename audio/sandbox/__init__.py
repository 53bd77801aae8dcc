"""Sandbox: child processes without network, files or time to lose, in which untrusted files are decoded."""
