"""Objective metrics of an experiment: upload and reading of their table, figures beside the votes, page and API."""
