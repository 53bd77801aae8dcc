"""Marks as a table with categories, their sums in cells, and the means, spreads and t intervals made of these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Sums of halves, quarters ... sixteenths are exact in binary, in whatever order they are added.
EXACT_PARTS = 16
CONFIDENCE = 0.95
NORMAL_QUANTILE = 1.96  # as the P.808 toolkit has it, in place of t
NAMED = ("listener", "panel", "item", "condition", "scale", "order", "session")


def with_categories(table: pd.DataFrame) -> pd.DataFrame:
    """Return the marks with every column of names as the categories that occur, in their order.

    Rows are sorted where the order in which marks are added could show in the last digit of a sum.
    """
    if "order" not in table:  # a column of protocols that ask the scales one after another
        table = table.assign(order="")
    if table["listener"].isna().any():
        raise ValueError("Every mark needs a listener; without one it could not be averaged within a person.")
    value = table["value"].to_numpy(np.float64)
    if (value * EXACT_PARTS != np.rint(value * EXACT_PARTS)).any():
        table = table.iloc[np.lexsort((table["position"].to_numpy(), value))]
    columns = {name: table[name].astype("category") for name in NAMED}
    return table.assign(
        **{name: column.cat.set_categories(sorted(column.dropna().unique())) for name, column in columns.items()}
    )


def names(marks: pd.DataFrame, column: str) -> list[Any]:
    """The names in a column of categories, in the order of the axis that is made of it."""
    return list(marks[column].cat.categories.tolist())


@dataclass(frozen=True)
class Summary:
    """One entry a group: how many values there were, their mean and their spread (nan for one value alone)."""

    n: Floats
    mean: Floats
    sd: Floats

    def chosen(self, where: Integers) -> Summary:
        """Only some of the groups."""
        return Summary(self.n[where], self.mean[where], self.sd[where])

    def half_width(self, *, quantile: float | None = None) -> Floats:
        """Half the 95 % interval of the mean: t(0.975, n - 1) SD / sqrt(n), or with a fixed quantile."""
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = t_quantile(self.n - 1) if quantile is None else quantile
            return np.asarray(factor * self.sd / np.sqrt(self.n), dtype=np.float64)


@dataclass(frozen=True)
class Cells:
    """In each cell of an array: how many marks, their sum, and the sum of their squares.

    For whole, half ... values these sums are exact, so the order in which the marks came plays no part; other values
    were sorted before. What is computed from the cells follows their fixed order.
    """

    n: Floats
    x: Floats
    xx: Floats

    @classmethod
    def of(cls, marks: pd.DataFrame, by: Sequence[str]) -> Self:
        """Gather marks by these columns, which are the axes."""
        value = marks["value"]
        return cls(*cell_sums(marks, by, [None, value, value * value]))

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


def cell_codes(marks: pd.DataFrame, by: Sequence[str]) -> tuple[Integers, list[int]]:
    """Return one number a mark for several columns of categories together, and the shape they run through."""
    shape = [len(marks[column].cat.categories) for column in by]
    codes = np.zeros(len(marks), dtype=np.int64)
    for column, size in zip(by, shape, strict=True):
        codes = codes * size + marks[column].cat.codes.to_numpy()
    return codes, shape


def cell_sums(marks: pd.DataFrame, by: Sequence[str], values: Sequence[pd.Series[Any] | None]) -> list[Floats]:
    """Sum each of these values over the marks of every cell; None counts them. An empty cell has 0.

    The same as a groupby over these columns with every category, in a third of its time.
    """
    codes, shape = cell_codes(marks, by)
    size = math.prod(shape)
    return [np.bincount(codes, weights=each, minlength=size).astype(np.float64).reshape(shape) for each in values]


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


def over_listeners(marks: pd.DataFrame, by: Sequence[str], votes: Summary) -> Summary:
    """Listeners' means in many small groups of marks, whose votes are given: nearly always one a listener and group.

    Where everybody gave one mark, the marks themselves are those of the listeners.
    """
    codes, shape = cell_codes(marks, [*by, "listener"])
    cells, where, n = np.unique(codes, return_inverse=True, return_counts=True)
    if len(cells) == len(codes):
        return votes
    means: Floats = np.bincount(where, weights=marks["value"], minlength=len(cells)) / n
    groups, size = cells // shape[-1], math.prod(shape[:-1])
    count = np.bincount(groups, minlength=size).astype(np.float64)
    mean = ratio(np.bincount(groups, weights=means, minlength=size).astype(np.float64), count)
    squares = np.bincount(groups, weights=(means - mean[groups]) ** 2, minlength=size).astype(np.float64)
    return Summary(count, mean, np.sqrt(ratio(squares, count - 1.0)))


@dataclass(frozen=True)
class Sums:
    """Arrays of scale x listener x session x condition; p stands for the position and x for the mark."""

    n: Floats
    p: Floats
    x: Floats
    px: Floats
    pp: Floats

    @classmethod
    def of(cls, marks: pd.DataFrame) -> Self:
        at, value = marks["position"].astype(np.float64), marks["value"]
        by = ("scale", "listener", "session", "condition")
        return cls(*cell_sums(marks, by, [None, at, value, at * value, at * at]))

    def condition_means(self) -> Floats:
        """Scale x condition: the mean of all votes, nan where there is none."""
        return ratio(self.x.sum(axis=(1, 2)), self.n.sum(axis=(1, 2)))

    def residuals(self) -> Floats:
        """The sums of x, each mark less the mean of its condition; 0 where there is no mark."""
        means = self.condition_means()[:, None, None, :]
        return np.where(self.n > 0, self.x - self.n * np.nan_to_num(means), 0.0)
