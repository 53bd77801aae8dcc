"""What is heard: collections, items, conditions, recordings and their delivery."""
