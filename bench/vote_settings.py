"""Earmark's own settings with one address more: the bare view that votes are measured against."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "bench.vote_urls"
