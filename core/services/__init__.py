"""Services of core: the only code that writes its rows."""
