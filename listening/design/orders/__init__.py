"""In which order each seat hears them: presets, and what they are woven from."""
