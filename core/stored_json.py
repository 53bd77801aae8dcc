"""Readers of stored JSON that came from a browser: a value of another type counts as missing."""

import math
from typing import Any

LARGEST = 1e15  # beyond it no number of ours lies, and sums of doubles lose their units


def object_in(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def list_in(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def number_in(value: Any) -> int | float | None:
    """A number that can be computed with: neither a truth value nor text, finite, and of a size that makes sense."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if -LARGEST <= value <= LARGEST and not math.isnan(value) else None


def text_in(value: Any) -> str | None:
    return value if isinstance(value, str) else None
