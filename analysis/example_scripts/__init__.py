"""Scripts that travel with a dataset and print its first table; the Python one is run when the zip is made."""
