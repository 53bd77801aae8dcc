"""Journeys through a running Earmark, in Chromium, as people make them."""
