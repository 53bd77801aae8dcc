"""Screening of listeners by their votes: BT.500 rejection, correlation with the others, variance, hidden reference.

Every rule takes votes as listener x stimulus, with nan where there is none, and names listeners by their rows. A rule
only says who is conspicuous; whether they are excluded is for a person to decide, before conditions are known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics.estimates import Floats, correlation, known_mean, varies

Integers = npt.NDArray[np.int64]

MOST_OUTSIDE = 0.05  # share of a listener's votes beyond the limits
MOST_ONE_SIDED = 0.3  # |P - Q| / (P + Q), from which a listener is severe or mild rather than erratic
NORMAL_KURTOSIS = (2.0, 4.0)
ROUNDING = 1e-9  # relative, within which a vote is at its limit
P913_LEAST_R = 0.75
P808_LEAST_R = 0.4
P808_LEAST_VOTES = 3  # on a stimulus, for its mean to count
P808_LEAST_VARIANCE = 0.1
BS1534_LEAST, BS1534_MOST_SHARE = 90.0, 0.15


class ObserverCounts(NamedTuple):
    """What BT.500 counts for each listener, and whom it rejects."""

    above: Integers  # P: votes at or beyond the upper limit
    below: Integers  # Q: at or beyond the lower one
    votes: Integers
    rejected: tuple[int, ...]


def bt500(votes: Floats, *, guarded: bool) -> ObserverCounts:
    """Rejection of observers after ITU-R BT.500, annex on the analysis of results.

    The limits of a stimulus are its mean +/- 2 standard deviations (divisor n) where its kurtosis m4 / m2^2 is from 2
    to 4, and sqrt(20) of them otherwise. A listener is rejected if more than 5 % of their votes are at the limits or
    beyond, and about as many above as below.

    By the letter, a stimulus on which all agree has limits equal to its mean, so that every vote is beyond both. The
    guarded rule leaves such stimuli out of the counts P and Q; they stay in the number of votes. If all listeners
    would be rejected, none is.
    """
    known = np.isfinite(votes)
    unanimous = votes.max(axis=0, where=known, initial=-np.inf) <= votes.min(axis=0, where=known, initial=np.inf)
    mean = known_mean(votes, axis=0)
    squares = (votes - mean) ** 2
    variance = known_mean(squares, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        kurtosis = known_mean(squares**2, axis=0) / variance**2
    normal = (kurtosis >= NORMAL_KURTOSIS[0] - ROUNDING) & (kurtosis <= NORMAL_KURTOSIS[1] + ROUNDING)
    half = np.sqrt(variance * np.where(normal, 4, 20))
    # One dissenter of 5 or of 21 is exactly at the limit, where rounding must not decide.
    limit = half - ROUNDING * np.maximum(half, np.abs(mean))
    above, below = (
        (known & np.where(unanimous, not guarded, beyond >= limit)).sum(axis=1)
        for beyond in (votes - mean, mean - votes)
    )
    rated = known.sum(axis=1)
    outside = above + below
    erratic = (outside / np.maximum(rated, 1) > MOST_OUTSIDE) & (
        np.abs(above - below) / np.maximum(outside, 1) < MOST_ONE_SIDED
    )
    rejected: tuple[int, ...] = () if erratic.all() else tuple(np.flatnonzero(erratic).tolist())
    return ObserverCounts(above, below, rated, rejected)


class Correlations(NamedTuple):
    """Pearson's r of each listener with the mean of a stimulus; nan where there is nothing to compare."""

    r: Floats
    least: float
    rejected: tuple[int, ...]


def p913_correlation(votes: Floats, *, least: float = P913_LEAST_R) -> Correlations:
    """Listeners whose r with the mean of the others is below the least (ITU-T P.913).

    The mean is that of the others, since in a small panel everybody correlates with a mean of which they are a part.
    """
    everybody = np.arange(len(votes))
    r = [correlation(own, known_mean(votes[everybody != code], axis=0)) for code, own in enumerate(votes)]
    return _below(votes, np.array(r, dtype=np.float64), least)


def p808_correlation(votes: Floats, *, least: float = P808_LEAST_R) -> Correlations:
    """Listeners whose r with the mean of all, their own vote included, is below the least, as P.808 tools have it.

    Stimuli with fewer than three votes are left out.
    """
    enough = np.isfinite(votes).sum(axis=0) >= P808_LEAST_VOTES
    used = votes[:, enough]
    means = known_mean(used, axis=0)
    return _below(used, np.array([correlation(own, means) for own in used], dtype=np.float64), least)


def _below(votes: Floats, r: Floats, least: float) -> Correlations:
    """A listener who gave one and the same vote everywhere has no r, and is rejected as well."""
    constant = np.array([_constant(own) for own in votes], dtype=bool)
    return Correlations(r, least, tuple(np.flatnonzero((r < least) | constant).tolist()))


def _constant(own: Floats) -> bool:
    known = own[np.isfinite(own)]
    return len(known) > 1 and not varies(known)


class Variances(NamedTuple):
    variance: Floats  # of each listener's votes, divisor n; nan without two votes
    least: float
    rejected: tuple[int, ...]


def low_variance(votes: Floats, *, least: float = P808_LEAST_VARIANCE) -> Variances:
    """Listeners whose votes hardly vary; P.808 tools take the votes of one session on all scales together."""
    found = np.full(len(votes), np.nan)
    for code, own in enumerate(votes):
        known = own[np.isfinite(own)]
        if len(known) > 1:
            found[code] = known.var() if varies(known) else 0.0
    return Variances(found, least, tuple(np.flatnonzero(found < least).tolist()))


class PostScreening(NamedTuple):
    share: Floats  # of the items on which a listener is wrong; nan without any
    rejected: tuple[int, ...]


def bs1534_reference(scores: Floats) -> PostScreening:
    """Listeners who give the hidden reference less than 90 on more than 15 % of the items (ITU-R BS.1534).

    Scores are listener x item, of the hidden reference, 0 to 100.
    """
    return _too_often(scores, scores < BS1534_LEAST)


def bs1534_mid_anchor(scores: Floats) -> PostScreening:
    """Listeners who give the mid-range anchor more than 90 on more than 15 % of the items."""
    return _too_often(scores, scores > BS1534_LEAST)


def _too_often(scores: Floats, wrong: npt.NDArray[np.bool_]) -> PostScreening:
    share = known_mean(np.where(np.isfinite(scores), wrong, np.nan), axis=1)
    return PostScreening(share, tuple(np.flatnonzero(share > BS1534_MOST_SHARE).tolist()))
