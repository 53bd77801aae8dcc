"""Understanding what was sent: layouts, tables, archives and projects; plain Python, no database."""
