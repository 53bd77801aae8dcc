"""Shares: how many of how many, with an interval that never leaves 0 to 1."""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.special import ndtri

from analysis.statistics.estimates import CONFIDENCE


class Share(NamedTuple):
    value: float
    low: float
    high: float


def wilson(hits: int, n: int) -> Share:
    """Wilson's score interval (1927): useful for few answers, and where all of them or none are right."""
    if not n:
        return Share(math.nan, math.nan, math.nan)
    z, share = float(ndtri(0.5 + CONFIDENCE / 2)), hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Share(share, max(centre - half, 0.0), min(centre + half, 1.0))
