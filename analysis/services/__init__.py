"""Services of analysis: the only code here that writes rows."""
