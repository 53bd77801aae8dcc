"""Dataset of an experiment as a zip: its tables and texts, their check, and the experiment made from it again."""
