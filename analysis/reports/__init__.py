"""Reports: one for each method, with its part of the results page and its files."""
