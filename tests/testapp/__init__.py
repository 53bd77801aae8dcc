"""A test-only app: jobs and rows that exist to be counted by the fault tests."""
