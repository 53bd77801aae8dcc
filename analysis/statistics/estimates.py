"""Numbers over people or items: mean, spread and t interval, numbers as JSON takes them, and what votes join."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

CONFIDENCE = 0.95


class Estimate(NamedTuple):
    """A mean over people or items; nan stands for what is not known."""

    n: int
    mean: float
    sd: float
    half_width: float

    @classmethod
    def over(cls, values: Floats) -> Estimate:
        """Mean +/- t(0.975, n - 1) SD / sqrt(n) of one value a person or item; nan is no value."""
        known = values[np.isfinite(values)]
        n = len(known)
        if n < 2:
            return cls(n, float(known[0]) if n else math.nan, math.nan, math.nan)
        sd = float(known.std(ddof=1))
        return cls(n, float(known.mean()), sd, float(stdtrit(n - 1, 0.5 + CONFIDENCE / 2)) * sd / math.sqrt(n))

    def interval(self) -> dict[str, float | None]:
        return {"ci_low": figure(self.mean - self.half_width), "ci_high": figure(self.mean + self.half_width)}


def figure(value: float) -> float | None:
    """A number as JSON takes it: what is not known is null, not nan and not 0."""
    return float(value) if math.isfinite(value) else None


def varies(values: Floats) -> bool:
    """Whether there are different values; the spread of equal ones may come out as 1e-17, which is not 0."""
    return len(values) > 1 and bool((values != values[0]).any())


def correlation(x: Floats, y: Floats) -> float:
    """Pearson's r over what is known of both; nan for fewer than two pairs, or where one does not vary."""
    known = np.isfinite(x) & np.isfinite(y)
    if not (varies(x[known]) and varies(y[known])):
        return math.nan
    a, b = x[known] - x[known].mean(), y[known] - y[known].mean()
    return float((a * b).sum() / math.sqrt((a * a).sum() * (b * b).sum()))


def known_mean(values: Floats, *, axis: int | tuple[int, ...]) -> Floats:
    """The mean of what is known along an axis; nan where nothing is."""
    known = np.isfinite(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan), dtype=np.float64)


def connected_parts(first: Integers, second: Integers) -> tuple[Integers, Integers]:
    """From two levels for each vote: the part that each level of either belongs to; no vote joins two parts."""
    counts = int(first.max()) + 1, int(second.max()) + 1
    joined = coo_array((np.ones(len(first)), (first, second + counts[0])), shape=(sum(counts),) * 2)
    part = connected_components(joined, directed=False)[1].astype(np.int64)
    return part[: counts[0]], part[counts[0] :]
