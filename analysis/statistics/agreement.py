"""Agreement between raters, or of one with themselves: intraclass correlations, Krippendorff's alpha, Lin's CCC."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import fdtri, ndtri

from analysis.statistics.estimates import CONFIDENCE, Floats, correlation, varies
from analysis.statistics.ranks import average_ranks

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
    squares = MeanSquares.of(complete)
    if squares.raters + squares.error <= NOTHING * sum(squares):  # all raters marked alike
        return Icc(1.0, math.nan, math.nan, n)
    below = squares.targets + (k - 1) * squares.error + k * (squares.raters - squares.error) / n
    if below <= NOTHING * sum(squares):  # two targets that two raters judge the opposite way round: no variance is left
        return Icc(math.nan, math.nan, math.nan, n)
    value = (squares.targets - squares.error) / below
    return Icc(value, *_icc_interval(squares, value, k, n), n)


def intraclass_correlations(marks: Floats) -> dict[str, Icc]:
    """All of McGraw and Wong's coefficients of rater x target by name, over targets that all raters marked.

    ICC(1) takes raters as different people for each target; A is absolute agreement and C consistency, for which it
    does not matter that one rater is severe throughout. 1 is one rater, k the mean of all.
    """
    known = np.isfinite(marks)
    complete = marks[:, known.all(axis=0) & known.any(axis=0)]
    k, n = complete.shape
    agreement = absolute_agreement(marks)
    one_way = consistency = Icc(math.nan, math.nan, math.nan, n)
    if k > 1 and n > 1 and varies(complete.reshape(-1)):
        squares = MeanSquares.of(complete)
        within = (squares.raters + (n - 1) * squares.error) / n
        nothing = NOTHING * sum(squares)
        one_way = _by_f(squares.targets, within, k, n, n * (k - 1), nothing)
        consistency = _by_f(squares.targets, squares.error, k, n, (n - 1) * (k - 1), nothing)
    single = {"ICC(1)": one_way, "ICC(A,1)": agreement, "ICC(C,1)": consistency}
    means = {"ICC(k)": one_way, "ICC(A,k)": agreement, "ICC(C,k)": consistency}
    return single | {name: each.of_mean(k) for name, each in means.items()}


def _by_f(targets: float, error: float, k: int, n: int, df_error: int, nothing: float) -> Icc:
    """A coefficient whose interval is that of one F ratio; without error it is 1 and has none."""
    if error <= nothing:
        return Icc(1.0 if targets > nothing else math.nan, math.nan, math.nan, n)
    tail, f = 0.5 + CONFIDENCE / 2, targets / error
    low, high = f / float(fdtri(n - 1, df_error, tail)), f * float(fdtri(df_error, n - 1, tail))
    value, low, high = ((each - 1) / (each + k - 1) for each in (f, low, high))
    return Icc(value, low, high, n)


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
    n = np.isfinite(pairable).sum(axis=0)
    left = np.nan_to_num(pairable - np.nansum(pairable, axis=0) / n)
    observed = (n / (n - 1) * (left**2).sum(axis=0)).sum() / len(values)
    return 1 - float(observed / values.var(ddof=1)), len(values)


def ordinal_alpha(marks: Floats) -> tuple[float, int]:
    """Krippendorff's alpha of rater x target for ordered categories, and the marks it rests on.

    The distance of two categories is the number of marks from one to the other, with half of those at both ends. As a
    mark's place among all marks is its average rank, this is alpha for interval data of ranks over pairable marks.
    """
    known = np.isfinite(marks)
    pairable = np.where(known.sum(axis=0) >= 2, marks, np.nan)
    ranked = pairable.copy()
    values = pairable[np.isfinite(pairable)]
    ranked[np.isfinite(pairable)] = average_ranks(values)
    return interval_alpha(ranked)


class Concordance(NamedTuple):
    """Lin's coefficient with its 95 % interval; nan stands for what is not known."""

    value: float
    low: float
    high: float
    n: int


def concordance(first: Floats, second: Floats) -> Concordance:
    """Lin's concordance correlation coefficient of pairs, such as two votes of one rater on the same stimulus.

    2 s_xy / (s_x^2 + s_y^2 + (mean_x - mean_y)^2) with divisor n; the interval by Fisher's transformation. Lin (1989),
    Biometrics 45(1), with the correction of the variance in Biometrics 56(1), 2000.
    """
    known = np.isfinite(first) & np.isfinite(second)
    x, y = first[known], second[known]
    n = len(x)
    shift = float(x.mean() - y.mean()) if n else math.nan
    spread = float(x.var() + y.var()) + shift**2 if n > 1 else 0.0
    if spread <= 0:
        return Concordance(math.nan, math.nan, math.nan, n)
    value = 2 * float(((x - x.mean()) * (y - y.mean())).mean()) / spread
    r = correlation(x, y)
    if n < 3 or not 0 < abs(r) < 1 or not abs(value) < 1:
        return Concordance(value, math.nan, math.nan, n)
    u = shift**2 / math.sqrt(float(x.var() * y.var()))
    left = 1 - value**2
    variance = (1 - r**2) * value**2 / (left * r**2)
    variance += 2 * value**3 * (1 - value) * u / (r * left**2) - value**4 * u**2 / (2 * r**2 * left**2)
    half = float(ndtri(0.5 + CONFIDENCE / 2)) * math.sqrt(max(variance, 0.0) / (n - 2))
    return Concordance(value, math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half), n)
