"""Shares: how many of how many, with an interval that never leaves 0 to 1."""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.special import bdtrc, betaincinv, ndtri

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


def clopper_pearson(hits: int, n: int) -> Share:
    """The exact interval (Clopper and Pearson 1934), which covers at least as often as it says, whatever the share."""
    if not n:
        return Share(math.nan, math.nan, math.nan)
    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(hits, n - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, n - hits, 1 - tail)) if hits < n else 1.0
    return Share(hits / n, low, high)


def jeffreys(hits: int, n: int) -> Share:
    """Jeffreys' interval: shorter than the exact one and right on average (Brown, Cai and DasGupta 2001, Statistical
    Science 16); none or all of them reach the end of the range.
    """
    if not n:
        return Share(math.nan, math.nan, math.nan)
    tail = (1 - CONFIDENCE) / 2
    low, high = (float(betaincinv(hits + 0.5, n - hits + 0.5, each)) for each in (tail, 1 - tail))
    return Share(hits / n, low if hits else 0.0, high if hits < n else 1.0)


def binomial_p(hits: int, n: int, chance: float = 0.5) -> float:
    """The exact one-sided binomial test: how probable as many hits or more are where each has this chance."""
    return float(bdtrc(hits - 1, n, chance)) if hits else 1.0
