"""Rating protocols, one Django app each; docs/adding-a-protocol.md says what a folder may hold."""
