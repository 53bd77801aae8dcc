"""Votes in categories: an interval of their mean that stays on the scale, and the SOS parameter of their spread."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from analysis.statistics.estimates import CONFIDENCE, Floats
from analysis.statistics.proportions import clopper_pearson


class BoundedMean(NamedTuple):
    """A mean with limits that lie within the scale; nan stands for what is not known."""

    n: int
    mean: float
    low: float
    high: float


def bounded_mean(votes: Floats, *, lowest: int = 1, highest: int = 5) -> BoundedMean:
    """The 95 % interval of a mean of whole numbers, also of votes that all agree; votes count as independent.

    Each vote is taken for highest - lowest trials of which it names the successes, so that Clopper and Pearson's limits
    of a share apply. It covers at least 95 % where votes spread no more than such trials do, which is SOS a up to
    1 / (highest - lowest). Hossfeld et al. (2018), "Confidence interval estimators for MOS values", arXiv 1806.01126.
    """
    known = votes[np.isfinite(votes)]
    if ((known < lowest) | (known > highest) | (known != np.rint(known))).any():
        raise ValueError(f"A vote is not one of the categories {lowest} to {highest}.")
    n, steps = len(known), highest - lowest
    share = clopper_pearson(round(float((known - lowest).sum())), n * steps)
    return BoundedMean(n, *(lowest + steps * each for each in share))


def bounded_limits(total: Floats, n: Floats, *, lowest: int = 1, highest: int = 5) -> tuple[Floats, Floats]:
    """The limits of bounded_mean for many means at once, from the sums and numbers of their votes."""
    trials = n * (highest - lowest)
    hits = np.rint(total - n * lowest)
    tail = (1 - CONFIDENCE) / 2
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), trials - hits + 1, tail), 0.0)
    high = np.where(hits < trials, betaincinv(hits + 1, np.maximum(trials - hits, 1), 1 - tail), 1.0)
    return lowest + (highest - lowest) * low, lowest + (highest - lowest) * high


def sos_a(means: Floats, variances: Floats, *, lowest: float = 1, highest: float = 5) -> float:
    """The a of SD^2 = a (mean - lowest)(highest - mean), by least squares over stimuli; nan where no mean is between.

    Variances are those of each stimulus's votes with divisor n. 0 is no spread at all and 1 the most that there can be;
    0.15 to 0.30 is usual for speech and video. Hossfeld, Schatz and Egger (2011), "SOS: the MOS is not enough", QoMEX.
    """
    known = np.isfinite(means) & np.isfinite(variances)
    largest = (means[known] - lowest) * (highest - means[known])
    below = float((largest * largest).sum())
    return float((largest * variances[known]).sum()) / below if below > 0 else math.nan
