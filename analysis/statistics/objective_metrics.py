"""Objective metrics beside mean votes: correlations, prediction errors by ITU-T P.1401, and tests between metrics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.optimize import nnls
from scipy.special import ndtri, stdtr

from analysis.statistics.estimates import CONFIDENCE, Floats, correlation, varies
from analysis.statistics.ranks import average_ranks

FEWEST = 3  # points; two always lie on a line
MappingKind = Literal["none", "linear", "monotone"]
MAPPINGS: tuple[MappingKind, ...] = get_args(MappingKind)
# What P.1401 subtracts from the number of points in the mean of squared errors: 1 without a mapping, else the number of
# coefficients of the mapping.
SUBTRACTED: dict[MappingKind, int] = {"none": 1, "linear": 2, "monotone": 4}
COARSE, FINE = 0.01, 0.0001  # steps in which the turning point of a cubic is searched, of a range of 2


class Correlation(NamedTuple):
    """A correlation over n points with its 95 % interval; nan stands for what is not known."""

    n: int
    value: float
    low: float
    high: float


class PredictionErrors(NamedTuple):
    """How far predictions lie from mean votes; nan stands for what is not known."""

    n: int
    df: int  # points less those that the mapping takes
    r: float  # Pearson's, of predictions and votes
    rmse: float
    n_intervals: int  # points whose mean vote has an interval, which the next two are made of
    rmse_star: float
    outliers: float  # share of points that lie farther away than the interval


class DependentTest(NamedTuple):
    """Williams' t of two correlations that share the votes."""

    n: int
    r_first: float
    r_second: float
    r_between: float
    t: float
    df: int
    p: float  # two-sided


@dataclass(frozen=True)
class Polynomial:
    """A mapping of a metric to the scale of the votes: powers of the metric, shifted and scaled to -1 ... 1."""

    coefficients: Floats  # the constant first
    middle: float
    half: float

    def at(self, metric: Floats) -> Floats:
        powers = np.polynomial.polynomial.polyval((metric - self.middle) / self.half, self.coefficients)
        return np.asarray(powers, dtype=np.float64)


def missing_for(metric: Floats, votes: Floats) -> Literal["", "few", "constant", "constant_votes"]:
    """Why nothing can be said of a metric; empty where something can. Only finite values are points."""
    known = np.isfinite(metric) & np.isfinite(votes)
    if known.sum() < FEWEST:
        return "few"
    if not varies(metric[known]):
        return "constant"
    return "" if varies(votes[known]) else "constant_votes"


def pearson(metric: Floats, votes: Floats) -> Correlation:
    """Pearson's r; the interval is symmetric in Fisher's z, whose variance is 1 / (n - 3)."""
    known = np.isfinite(metric) & np.isfinite(votes)
    n, value = int(known.sum()), correlation(metric, votes)
    return _with_interval(n, value, variance=1 / (n - 3) if n > 3 else math.nan)


def spearman(metric: Floats, votes: Floats) -> Correlation:
    """Spearman's rho with mean ranks for ties; the variance of its z is (1 + rho^2 / 2) / (n - 3).

    Bonett and Wright (2000), Psychometrika 65(1): with 1 / (n - 3), as for Pearson's r, the interval is too short.
    """
    known = np.isfinite(metric) & np.isfinite(votes)
    n, value = int(known.sum()), math.nan
    if n and varies(metric[known]):
        scaled = (metric[known] - metric[known].min()) / np.ptp(metric[known])  # ranks take ties after 12 decimals
        value = correlation(average_ranks(scaled), average_ranks(votes[known]))
    return _with_interval(n, value, variance=(1 + value * value / 2) / (n - 3) if n > 3 else math.nan)


def _with_interval(n: int, value: float, *, variance: float) -> Correlation:
    """Points that lie on a line exactly have no spread to make an interval of."""
    if not abs(value) < 1 - 1e-12:
        return Correlation(n, value, math.nan, math.nan)
    z, half = math.atanh(value), float(ndtri(0.5 + CONFIDENCE / 2)) * math.sqrt(variance)
    return Correlation(n, value, math.tanh(z - half), math.tanh(z + half))


def fit_mapping(kind: MappingKind, metric: Floats, votes: Floats) -> Polynomial | None:
    """The polynomial with the least squared error: a line, or a cubic that never turns within the metric's values.

    A metric that falls as votes rise, by Pearson's r, is mapped by a cubic that only falls. None where there are too
    few points.
    """
    known = np.isfinite(metric) & np.isfinite(votes)
    x, y = metric[known], votes[known]
    if len(x) <= SUBTRACTED[kind] or not varies(x):
        return None
    middle, half = float(x.max() + x.min()) / 2, float(x.max() - x.min()) / 2
    t = (x - middle) / half
    if kind == "none":
        return Polynomial(np.array([middle, half]), middle, half)
    if kind == "linear":
        slope = float(((t - t.mean()) * y).sum() / ((t - t.mean()) ** 2).sum())
        return Polynomial(np.array([y.mean() - slope * t.mean(), slope]), middle, half)
    sign = -1.0 if correlation(x, y) < 0 else 1.0
    return Polynomial(_rising_cubic(sign * t, y) * sign ** np.arange(4), middle, half)


def _rising_cubic(t: Floats, y: Floats) -> Floats:
    """Coefficients of the best cubic whose slope is nowhere negative on -1 ... 1.

    Where the best cubic of all has such a slope, it is that. If not: the slopes that are allowed are the sums of
    (t - u)^2, u from -1 to 1, and of 1 - t^2, none of them weighted negatively (Lukacs), so that the weights are a
    problem of non-negative least squares; u is searched in two steps.
    """
    powers = np.stack([t, t**2, t**3], axis=1)
    centre = powers.mean(axis=0)
    q, r = np.linalg.qr(powers - centre)
    wanted = q.T @ (y - y.mean())
    if np.linalg.matrix_rank(r) == 3:
        free = np.linalg.solve(r, wanted)
        if _least_slope(free) >= 0:
            return np.concatenate([[y.mean() - centre @ free], free])
    u = np.arange(-1, 1 + COARSE / 2, COARSE)
    for step in (COARSE, FINE):
        rays = np.concatenate([np.stack([u**2, -u, np.full(len(u), 1 / 3)]), [[1.0], [0.0], [-1 / 3]]], axis=1)
        weights, _ = nnls(r @ rays, wanted)
        found = rays @ weights
        near = u[weights[:-1] > 0]
        around = [np.arange(-COARSE, COARSE + FINE / 2, FINE) + each for each in near] if step == COARSE else []
        u = np.clip(np.concatenate([u, *around]), -1, 1)
    return np.concatenate([[y.mean() - centre @ found], found])


def _least_slope(cubic: Floats) -> float:
    """The least slope on -1 ... 1 of a cubic without its constant: at an end, or where the slope turns."""
    places = [-1.0, 1.0]
    if cubic[2] != 0 and abs(turn := -cubic[1] / (3 * cubic[2])) < 1:
        places.append(float(turn))
    return min(float(cubic[0] + 2 * cubic[1] * at + 3 * cubic[2] * at * at) for at in places)


def prediction_errors(kind: MappingKind, metric: Floats, votes: Floats, half_widths: Floats) -> PredictionErrors:
    """RMSE, epsilon-insensitive RMSE and outliers of a metric after a mapping, by ITU-T P.1401.

    `half_widths` are those of the 95 % intervals of the mean votes. RMSE* counts of each error what exceeds the half
    width. Points without an interval are left out of RMSE* and of the outliers.
    """
    mapping = fit_mapping(kind, metric, votes)
    known = np.isfinite(metric) & np.isfinite(votes)
    n, sure = int(known.sum()), known & np.isfinite(half_widths)
    if mapping is None:
        return PredictionErrors(n, n - SUBTRACTED[kind], math.nan, math.nan, int(sure.sum()), math.nan, math.nan)
    predicted = np.full(len(metric), np.nan)
    predicted[known] = mapping.at(metric[known])
    error = np.abs(votes - predicted)
    beyond = np.maximum(error[sure] - half_widths[sure], 0.0)
    return PredictionErrors(
        n=n,
        df=n - SUBTRACTED[kind],
        r=correlation(predicted, votes),
        rmse=_root_mean_square(error[known], SUBTRACTED[kind]),
        n_intervals=int(sure.sum()),
        rmse_star=_root_mean_square(beyond, SUBTRACTED[kind]),
        outliers=float((beyond > 0).mean()) if len(beyond) else math.nan,
    )


def _root_mean_square(errors: Floats, subtracted: int) -> float:
    df = len(errors) - subtracted
    return math.sqrt(float((errors * errors).sum()) / df) if df > 0 else math.nan


def compare_correlations(first: Floats, second: Floats, votes: Floats) -> DependentTest:
    """Whether one metric correlates better with the votes than another, over the points that have both.

    A metric that falls as votes rise is turned around first, so that strengths are compared and not directions.
    """
    known = np.isfinite(first) & np.isfinite(second) & np.isfinite(votes)
    a, b, y = first[known], second[known], votes[known]
    r_first, r_second, r_between = correlation(a, y), correlation(b, y), correlation(a, b)
    sign_first, sign_second = (-1.0 if r < 0 else 1.0 for r in (r_first, r_second))
    return williams_t(sign_first * r_first, sign_second * r_second, sign_first * sign_second * r_between, len(y))


def williams_t(r_first: float, r_second: float, r_between: float, n: int) -> DependentTest:
    """Williams' (1959) t as Steiger (1980), Psychological Bulletin 87(2), recommends it: n - 3 degrees of freedom."""
    found = DependentTest(n, r_first, r_second, r_between, math.nan, n - 3, math.nan)
    if n < FEWEST + 1 or not all(map(math.isfinite, (r_first, r_second, r_between))):
        return found
    determinant = 1 - r_first**2 - r_second**2 - r_between**2 + 2 * r_first * r_second * r_between
    mean = (r_first + r_second) / 2
    spread = 2 * (n - 1) / (n - 3) * max(determinant, 0.0) + mean**2 * (1 - r_between) ** 3
    if spread < 1e-12:  # the metrics are the same but for shift and scale
        return found
    t = (r_first - r_second) * math.sqrt((n - 1) * (1 + r_between) / spread)
    return found._replace(t=t, p=2 * float(stdtr(n - 3, -abs(t))))
