"""Waiting for a condition, with a time limit."""

import time
from collections.abc import Callable


def wait_until(
    holds: Callable[[], object],
    complaint: str | Callable[[], object] = "waited in vain",
    *,
    patience_s: float = 120,
    every_s: float = 0.02,
) -> None:
    """Look again and again until it holds; when patience is over, fail with the complaint as it is then."""
    deadline = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(complaint() if callable(complaint) else complaint)
        time.sleep(every_s)
