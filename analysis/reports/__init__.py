"""How results are read: one report a method, with its part of the page and the files that people take away."""
