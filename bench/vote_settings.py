"""Earmark's own settings with one address more: the bare view that votes are measured against."""

from config.settings import *  # noqa: F403
from config.settings import REST_FRAMEWORK

ROOT_URLCONF = "bench.vote_urls"
# Counted as always, but one address that votes as fast as the server can is what is measured here.
REST_FRAMEWORK = {**REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"visit": "1000000/m", "address": "1000000/m"}}
