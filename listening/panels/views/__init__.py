"""Views of the experimenter's pages, by page."""
