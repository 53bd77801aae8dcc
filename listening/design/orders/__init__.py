"""Orders of presentation: presets, sequences, and the assignment of conditions."""
