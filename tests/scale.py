"""Size of this run: tests read their sizes here, and `./earmark test --all` and `./earmark faults` raise them."""

import os

SCALE = float(os.environ.get("EARMARK_FAULT_SCALE", "1"))  # of kills, jobs, votes and claims
ALL = os.environ.get("EARMARK_TEST_ALL") == "1"  # every look of a page, every hour of a day


def scaled(count: int, *, least: int = 1) -> int:
    """So many of them at this scale, and never fewer than the test needs to mean anything."""
    return max(least, round(count * SCALE))
