"""Pages of experimenters: collections, imports and sounds."""
