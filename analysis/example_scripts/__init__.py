"""Scripts that travel with a dataset and print its first table; nothing here is imported."""
