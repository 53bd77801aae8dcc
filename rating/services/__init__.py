"""Services: the only code that writes these models."""
