"""ABX discrimination."""
