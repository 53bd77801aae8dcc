"""Sums of marks in cells of any shape, and the means, spreads and t intervals that come out of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from analysis.methods.mos.marks import Coded, Floats, Integers

CONFIDENCE = 0.95
NORMAL_QUANTILE = 1.96  # as the P.808 toolkit has it, in place of t
CELLS_IN_A_BITMAP = 200_000_000


@dataclass(frozen=True)
class Summary:
    """One entry a group: how many values there were, their mean and their spread (nan for one value alone)."""

    n: Floats
    mean: Floats
    sd: Floats

    def half_width(self, *, quantile: float | None = None) -> Floats:
        """Half the 95 % interval of the mean: t(0.975, n - 1) SD / sqrt(n), or with a fixed quantile."""
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = t_quantile(self.n - 1) if quantile is None else quantile
            return np.asarray(factor * self.sd / np.sqrt(self.n), dtype=np.float64)


@dataclass(frozen=True)
class Cells:
    """In each cell of an array: how many marks, their sum, and the sum of their squares.

    For whole, half ... values these sums are exact, so the order in which the marks came plays no part; other values
    were sorted before (marks.py). What is computed from the cells follows their fixed order.
    """

    n: Floats
    x: Floats
    xx: Floats

    @classmethod
    def of(cls, columns: Sequence[Coded], value: Floats) -> Self:
        """Gather marks by the codes of these columns, which are the axes."""
        codes, shape = place(columns)
        size = math.prod(shape)
        weights = (None, value, value * value)
        return cls(*(np.bincount(codes, weights=w, minlength=size).astype(np.float64).reshape(shape) for w in weights))

    def taken(self, where: Integers, *, axis: int = -1) -> Cells:
        """Only some of the cells along an axis."""
        return Cells(*(np.take(part, where, axis=axis) for part in (self.n, self.x, self.xx)))

    def gathered(self, groups: Integers, size: int) -> Cells:
        """Add cells of the last axis together that belong to the same group; -1 belongs to none."""
        kept = np.flatnonzero(groups >= 0)
        sums = []
        for part in (self.n, self.x, self.xx):
            total = np.zeros((size, *part.shape[:-1]))
            np.add.at(total, groups[kept], np.moveaxis(part, -1, 0)[kept])
            sums.append(np.moveaxis(total, 0, -1))
        return Cells(*sums)

    def over_votes(self) -> Summary:
        """All marks along the last axis pooled."""
        n, x, xx = (part.sum(axis=-1) for part in (self.n, self.x, self.xx))
        variance = ratio(np.maximum(n * xx - x * x, 0.0), n * (n - 1.0))
        return Summary(n, ratio(x, n), np.sqrt(variance))

    def over_units(self) -> Summary:
        """The mean of each cell along the last axis first (a listener, an item), then over the cells."""
        return spread(ratio(self.x, self.n))


def place(columns: Sequence[Coded]) -> tuple[Integers, tuple[int, ...]]:
    """Return one code a mark for several columns together, and the shape that the codes run through."""
    first, *others = columns
    codes = first.codes
    for column in others:
        codes = codes * len(column) + column.codes
    return codes, tuple(len(column) for column in columns)


def spread(values: Floats) -> Summary:
    """Mean and spread along the last axis, in two passes; nan stands for no value."""
    known = np.isfinite(values)
    n = known.sum(axis=-1).astype(np.float64)
    mean = ratio(np.where(known, values, 0.0).sum(axis=-1), n)
    deviations = np.where(known, values - mean[..., None], 0.0)
    return Summary(n, mean, np.sqrt(ratio((deviations * deviations).sum(axis=-1), n - 1.0)))


def ratio(above: Floats, below: Floats) -> Floats:
    """Divide, with nan where there is nothing to divide by."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, above / below, np.nan)


def t_quantile(degrees_of_freedom: Any) -> Floats:
    """Return t(0.975); scipy.special imports three times faster than scipy.stats."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(degrees_of_freedom, 0.5 + CONFIDENCE / 2), dtype=np.float64)


def figures(values: Floats) -> list[float | None]:
    """Numbers as JSON takes them: what is not known is null, not nan and not 0."""
    return [value if math.isfinite(value) else None for value in values.tolist()]


def listeners_in(codes: Integers, size: int, listener: Coded, value: Floats) -> tuple[Floats, Summary | None]:
    """Return how many listeners each of many small groups has, and their summary unless each gave one mark only."""
    keys = codes * len(listener) + listener.codes
    if size * len(listener) <= CELLS_IN_A_BITMAP:
        seen = np.zeros(size * len(listener), dtype=np.bool_)
        seen[keys] = True
        if int(np.count_nonzero(seen)) == len(keys):
            return np.bincount(codes, minlength=size).astype(np.float64), None
    cells, where, n = np.unique(keys, return_inverse=True, return_counts=True)
    means: Floats = np.bincount(where, weights=value, minlength=len(cells)) / n
    groups = cells // len(listener)
    count = np.bincount(groups, minlength=size).astype(np.float64)
    mean = ratio(np.bincount(groups, weights=means, minlength=size).astype(np.float64), count)
    squares = np.bincount(groups, weights=(means - mean[groups]) ** 2, minlength=size).astype(np.float64)
    return count, Summary(count, mean, np.sqrt(ratio(squares, count - 1.0)))
