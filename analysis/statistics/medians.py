"""Medians with exact intervals, for scores of 0 to 100 such as MUSHRA, which are skewed near the ends of the scale."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr

from analysis.statistics.estimates import CONFIDENCE, Floats


class Median(NamedTuple):
    """A median with quartiles and its interval; nan stands for what is not known."""

    n: int
    value: float
    q1: float
    q3: float
    low: float
    high: float
    coverage: float  # of the interval, at least 95 % where there is one


def median_of(values: Floats) -> Median:
    """The median of independent values, one for each listener, with limits that are two of the values themselves.

    The k-th lowest and the k-th highest hold the median with a chance of 1 - 2 B(k - 1; n, 1/2), whatever the
    distribution; k is the largest for which that is at least 95 %. Below six values there is none.
    """
    known = np.sort(values[np.isfinite(values)])
    n = len(known)
    if not n:
        return Median(0, *[math.nan] * 6)
    q1, value, q3 = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
    outside = 2 * bdtr(np.arange(n), n, 0.5)  # by how many values are cut off at each end
    cut = int((outside <= 1 - CONFIDENCE).sum()) - 1
    if cut < 0:
        return Median(n, value, q1, q3, math.nan, math.nan, math.nan)
    return Median(n, value, q1, q3, float(known[cut]), float(known[n - 1 - cut]), float(1 - outside[cut]))
