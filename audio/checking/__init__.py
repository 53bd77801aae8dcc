"""What is wrong with a collection's sounds, out of what was measured."""
