"""Exclusions ledger of an experiment: page, forms and API."""
