"""What the ./earmark command is made of; only the standard library, because it runs before anything is installed."""
