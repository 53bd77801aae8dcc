"""Stimuli: collections, items, conditions and recordings; uploads, imports, ingest, delivery, quality checks."""
