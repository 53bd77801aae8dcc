"""Statistics that several methods use: pure functions over arrays, in which nan stands for what is not known."""
