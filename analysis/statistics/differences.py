"""Tests of a difference between two means: t tests over pairs and two samples, with effect sizes and intervals."""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.special import nctdtrinc, stdtr

from analysis.statistics.estimates import CONFIDENCE, Estimate, Floats, varies

ROUNDING = 1e-12  # share of a mean; differences of means that are the same may differ by this much
LARGEST_T = 1e4  # beyond, the noncentral distribution is not computed well, and not in any time


class TTest(NamedTuple):
    """nan stands for what is not known: with no spread there is no t."""

    t: float
    df: float
    p: float  # two-sided


class Effect(NamedTuple):
    """A standardised difference with its 95 % interval."""

    value: float
    low: float
    high: float


def paired_t(differences: Floats) -> TTest:
    """Student's t of paired differences against 0."""
    found = Estimate.over(differences)
    if found.n < 2 or found.sd <= ROUNDING * abs(found.mean):
        return TTest(math.nan, max(found.n - 1, 0), math.nan)
    return _tested(found.mean / (found.sd / math.sqrt(found.n)), found.n - 1)


def welch_t(first: Floats, second: Floats) -> TTest:
    """Welch's t of two samples whose spreads may differ."""
    one, other = Estimate.over(first), Estimate.over(second)
    if min(one.n, other.n) < 2 or not (varies(first) or varies(second)):
        return TTest(math.nan, math.nan, math.nan)
    a, b = one.sd**2 / one.n, other.sd**2 / other.n
    df = (a + b) ** 2 / (a**2 / (one.n - 1) + b**2 / (other.n - 1))
    return _tested((one.mean - other.mean) / math.sqrt(a + b), df)


def d_z(differences: Floats) -> Effect:
    """Cohen's d_z: the mean difference in units of the differences' own spread, with its exact interval.

    sqrt(n) d_z is distributed as noncentral t; the limits are the noncentralities under which what was seen lies at
    2.5 % and 97.5 %. Cumming and Finch (2001), Educational and Psychological Measurement 61(4).
    """
    tested = paired_t(differences)
    if not math.isfinite(tested.t):
        return Effect(math.nan, math.nan, math.nan)
    root = math.sqrt(tested.df + 1)
    if abs(tested.t) > LARGEST_T:
        return Effect(tested.t / root, math.nan, math.nan)
    tail = (1 - CONFIDENCE) / 2
    limits = (float(nctdtrinc(tested.df, share, tested.t)) / root for share in (1 - tail, tail))
    return Effect(tested.t / root, *limits)


def _tested(t: float, df: float) -> TTest:
    return TTest(t, df, 2 * float(stdtr(df, -abs(t))))
