"""Agreement between raters: ICC(A,1) with its interval, and Krippendorff's alpha for interval data."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import fdtri

from analysis.statistics.estimates import CONFIDENCE, Floats, varies

NOTHING = 1e-12  # of a sum of squares: what rounding leaves of zero
ALPHA_LEVEL = "interval"  # of marks whose distances count and which have no true zero


class Icc(NamedTuple):
    value: float
    low: float
    high: float
    n_targets: int

    def of_mean(self, k: int) -> Icc:
        """ICC(A,k), of the mean of k raters: Spearman and Brown's step, which is exact here, limits included."""
        below = (1 + (k - 1) * each for each in self[:3])  # 0 where -1 is the ICC of two raters: there is no such step
        stepped = (k * each / under if under else math.nan for each, under in zip(self[:3], below, strict=True))
        value, low, high = stepped
        return Icc(value, low, high, self.n_targets)


def absolute_agreement(marks: Floats) -> Icc:
    """ICC(A,1) of rater x target: both random, absolute agreement of one rater; needs targets that all raters placed.

    McGraw and Wong (1996), "Forming inferences about some intraclass correlation coefficients", tables 4 and 7.
    """
    known = np.isfinite(marks)
    complete = marks[:, known.all(axis=0) & known.any(axis=0)]  # without raters, all of nobody would be everything
    k, n = complete.shape
    if k < 2 or n < 2 or not varies(complete.reshape(-1)):
        return Icc(math.nan, math.nan, math.nan, n)
    if (complete == complete[0]).all():
        return Icc(1.0, math.nan, math.nan, n)
    squares = MeanSquares.of(complete)
    below = squares.targets + (k - 1) * squares.error + k * (squares.raters - squares.error) / n
    if below <= NOTHING * sum(squares):  # two targets that two raters judge the opposite way round: no variance is left
        return Icc(math.nan, math.nan, math.nan, n)
    value = (squares.targets - squares.error) / below
    return Icc(value, *_icc_interval(squares, value, k, n), n)


class MeanSquares(NamedTuple):
    """Of a two-way analysis of variance with one mark a cell."""

    targets: float
    raters: float
    error: float

    @classmethod
    def of(cls, marks: Floats) -> MeanSquares:
        k, n = marks.shape
        by_target = marks.mean(axis=0) - marks.mean()
        by_rater = marks.mean(axis=1) - marks.mean()
        left = marks - marks.mean() - by_target - by_rater[:, None]
        squares = k * (by_target**2).sum(), n * (by_rater**2).sum(), (left**2).sum()
        return cls(*(float(sum_) / df for sum_, df in zip(squares, (n - 1, k - 1, (n - 1) * (k - 1)), strict=True)))


def _icc_interval(squares: MeanSquares, value: float, k: int, n: int) -> tuple[float, float]:
    """The 95 % interval; its degrees of freedom are Satterthwaite's, as raters and error both lie below."""
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    raters, error = a * squares.raters, b * squares.error
    if raters == error == 0:  # raters differ, and no target does
        return math.nan, math.nan
    df = (raters + error) ** 2 / (raters**2 / (k - 1) + error**2 / ((n - 1) * (k - 1)))
    tail = 0.5 + CONFIDENCE / 2
    rest = k * squares.raters + (k * n - k - n) * squares.error
    f_low, f_high = float(fdtri(n - 1, df, tail)), float(fdtri(df, n - 1, tail))
    low = n * (squares.targets - f_low * squares.error) / (f_low * rest + n * squares.targets)
    high = n * (f_high * squares.targets - squares.error) / (rest + n * f_high * squares.targets)
    return low, high


def interval_alpha(marks: Floats) -> tuple[float, int]:
    """Krippendorff's alpha of rater x target and the marks it rests on: those on targets with at least two.

    With squared differences, the mean over all ordered pairs of m values is 2 SS / (m - 1), SS being the squares about
    their mean; so one pass over targets replaces the coincidence matrix. Krippendorff (2019), Content Analysis, ch. 12.
    """
    known = np.isfinite(marks)
    pairable = marks[:, known.sum(axis=0) >= 2]
    values = pairable[np.isfinite(pairable)]
    if not varies(values):
        return math.nan, len(values)
    targets = [target[np.isfinite(target)] for target in pairable.T]
    observed = sum(len(target) * target.var(ddof=1) for target in targets) / len(values)
    return 1 - float(observed / values.var(ddof=1)), len(values)
