"""Analysis: datasets, methods, results, reports and exports."""
