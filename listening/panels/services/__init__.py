"""Services of panels: the only code here that writes rows."""
