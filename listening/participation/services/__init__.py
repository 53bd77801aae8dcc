"""Services of participation: the only code here that writes rows."""
