"""Reports on a design before it is applied: numbers, verdicts and sentences."""
