"""Template tags for the templates of other apps."""
