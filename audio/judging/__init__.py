"""What a file is, and whether it is whole."""
