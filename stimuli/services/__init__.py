"""Services of stimuli: the only code that writes its rows and files."""
