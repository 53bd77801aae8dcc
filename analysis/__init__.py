"""What it means: datasets, methods, results, exports."""
