"""Implementation of the ./earmark command; only the standard library, because it runs before anything is installed."""
