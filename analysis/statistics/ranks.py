"""Rank statistics that take ties: Friedman's test, Wilcoxon's signed-rank test, and Holm's adjustment."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, ndtr

from analysis.statistics.estimates import Floats

# 0.3 - 0.1 and 0.4 - 0.2 are one difference and two floating-point numbers; ties are seen after rounding.
DECIMALS = 12
MOST_EXACT = 50  # values; beyond, the normal approximation is as good


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of their ranks."""
    _, places, counts = np.unique(np.round(values, DECIMALS), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[places], dtype=np.float64)


class Friedman(NamedTuple):
    chi2: float
    df: int
    p: float


def friedman(blocks: Floats) -> Friedman:
    """Friedman's chi-square of block x condition, corrected for ties; nan where nothing could differ.

    Conover's form, (k - 1) times the squares between conditions over the squares of all ranks about (k + 1) / 2, is
    the textbook formula where there are no ties and the corrected one where there are.
    """
    n, k = blocks.shape
    df = max(k - 1, 0)
    centred = np.array([average_ranks(block) - (k + 1) / 2 for block in blocks]).reshape(n, k)
    within = float((centred * centred).sum())
    if within == 0:
        return Friedman(math.nan, df, math.nan)
    chi2 = df * float((centred.sum(axis=0) ** 2).sum()) / within
    return Friedman(chi2, df, float(chdtrc(df, chi2)))


class SignedRank(NamedTuple):
    n: int  # differences that are not 0
    w_plus: float  # the ranks of the positive ones
    p: float


def signed_rank(differences: Floats, *, greater: bool = False) -> SignedRank:
    """Wilcoxon's signed-rank test, two-sided or of being greater; differences of 0 are left out, as Wilcoxon did.

    Up to MOST_EXACT differences p is exact given the ranks as they are, ties included: every sign is as likely
    as the other. Beyond, normal with the variance of the very ranks, which allows for ties.
    """
    rounded = np.round(differences, DECIMALS)
    signed = rounded[rounded != 0]
    ranks = average_ranks(np.abs(signed))
    w_plus = float(ranks[signed > 0].sum())
    if len(signed) <= MOST_EXACT:
        return SignedRank(len(signed), w_plus, _exact_p(ranks, w_plus, greater))
    z = (w_plus - ranks.sum() / 2) / math.sqrt(float((ranks * ranks).sum()) / 4)
    return SignedRank(len(signed), w_plus, float(ndtr(-z)) if greater else 2 * float(ndtr(-abs(z))))


def _exact_p(ranks: Floats, w_plus: float, greater: bool) -> float:
    """The upper tail of the sum of ranks with random signs, or twice the smaller one; shared ranks are halves, so all
    is doubled.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    chance = np.zeros(doubled.sum() + 1)
    chance[0] = 0.5 ** len(doubled)
    for rank in doubled.tolist():
        chance[rank:] += chance[:-rank].copy()  # with the rank, beside without it
    at = round(2 * w_plus)
    if greater:
        return min(1.0, float(chance[at:].sum()))
    return min(1.0, 2 * float(min(chance[: at + 1].sum(), chance[at:].sum())))


def holm(p: Floats) -> Floats:
    """Holm's step-down adjustment: the i-th smallest of m times m - i + 1, never below the one before, at most 1.

    What is not known stays so, and is not one of the m.
    """
    adjusted = np.full(len(p), np.nan)
    known = np.flatnonzero(np.isfinite(p))
    order = known[np.argsort(p[known], kind="stable")]
    stepped = np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
