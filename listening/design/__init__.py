"""Who hears what, in which order: subsets, sequences, presets and their reports; pure, without Django."""
