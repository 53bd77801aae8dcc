"""What is to be said about a design before it is used: numbers, verdicts and sentences."""
