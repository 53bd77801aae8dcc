"""Readers, planner and checks of imported files: layouts, tables, archives and projects. Plain Python, no database."""
