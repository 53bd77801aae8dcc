"""Marks as whole numbers, one code a name, and their sums in cells: means, spreads and t intervals in one pass."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Rows = Integers | slice  # which rows of a table

# Sums of halves, quarters ... sixteenths are exact in binary, in whatever order they are added.
EXACT_PARTS = 16


@dataclass(frozen=True)
class Coded:
    """A column as codes into sorted names; -1 where it is empty."""

    codes: Integers
    names: list[Any]

    @classmethod
    def of(cls, column: pd.Series[Any], rows: Rows = slice(None)) -> Self:
        """Code a column, or some of its rows; names that do not occur there get no code."""
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes, names = column.cat.codes.to_numpy()[rows].astype(np.int64), column.cat.categories.to_numpy()
        else:
            codes, names = pd.factorize(column.to_numpy()[rows])
        used = np.flatnonzero(np.bincount(codes + 1, minlength=len(names) + 1)[1:])
        order = used[np.argsort(names[used], kind="stable")]
        if len(order) == len(names) and (order == np.arange(len(order))).all():
            return cls(codes, names.tolist())
        places = np.full(len(names) + 1, -1, dtype=np.int64)  # the last one serves code -1
        places[order] = np.arange(len(order))
        return cls(places[codes], names[order].tolist())

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Marks:
    """Everything that a mean is made of; all columns have one entry a mark."""

    listener: Coded
    panel: Coded
    item: Coded
    condition: Coded
    scale: Coded
    order: Coded
    session: Coded
    position: Integers
    value: Floats
    factors_by_item: list[dict[str, str]]  # one an item, in the order of item.names
    roles: dict[str, str]  # by condition

    def __len__(self) -> int:
        return len(self.value)

    @classmethod
    def of(cls, table: pd.DataFrame, chosen: npt.NDArray[np.bool_]) -> Self:
        """Code the chosen rows of a method's table."""
        if "order" not in table:  # a column of protocols that ask the scales one after another
            table = table.assign(order=pd.Categorical.from_codes(np.zeros(len(table), dtype=np.int8), [""]))
        rows = _in_a_telling_order(table, chosen)
        coded = {
            name: Coded.of(table[name], rows)
            for name in ("listener", "panel", "item", "condition", "scale", "order", "session")
        }
        if (coded["listener"].codes < 0).any():
            raise ValueError("Every mark needs a listener; without one it could not be averaged within a person.")
        position, value = (table[name].to_numpy()[rows] for name in ("position", "value"))
        factors = _one_of_each(coded["item"], table["factors"], rows)
        roles = _one_of_each(coded["condition"], table["condition_role"], rows)
        return cls(
            **coded,
            position=position.astype(np.int64, copy=False),
            value=value.astype(np.float64, copy=False),
            factors_by_item=[json.loads(text) for text in factors],
            roles=dict(zip(coded["condition"].names, roles, strict=True)),
        )


def _in_a_telling_order(table: pd.DataFrame, chosen: npt.NDArray[np.bool_]) -> Rows:
    """Sort the rows where the order in which marks are added could show in the last digit of a sum."""
    value = table["value"].to_numpy(np.float64)
    parts = value * EXACT_PARTS
    if (parts == np.rint(parts)).all():
        return slice(None) if chosen.all() else np.flatnonzero(chosen)
    order = np.lexsort((table["position"].to_numpy(), value))
    return order[chosen[order]]


def _one_of_each(groups: Coded, column: pd.Series[Any], rows: Rows) -> list[str]:
    """Return what `column` says of each group; it says the same in all of a group's rows."""
    numbers = np.arange(len(column))[rows]
    example = np.zeros(len(groups), dtype=np.int64)
    example[groups.codes] = numbers
    return [str(text) for text in column.iloc[example]]


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


@dataclass(frozen=True)
class Sums:
    """Arrays of scale x listener x session x condition; p stands for the position and x for the mark."""

    n: Floats
    p: Floats
    x: Floats
    px: Floats
    pp: Floats

    @classmethod
    def of(cls, marks: Marks) -> Self:
        codes, shape = place((marks.scale, marks.listener, marks.session, marks.condition))
        size = math.prod(shape)
        at = marks.position.astype(np.float64)
        weights = (None, at, marks.value, at * marks.value, at * at)
        return cls(*(np.bincount(codes, weights=w, minlength=size).astype(np.float64).reshape(shape) for w in weights))

    def condition_means(self) -> Floats:
        """Scale x condition: the mean of all votes, nan where there is none."""
        return ratio(self.x.sum(axis=(1, 2)), self.n.sum(axis=(1, 2)))

    def residuals(self) -> Floats:
        """The sums of x, each mark less the mean of its condition; 0 where there is no mark."""
        means = self.condition_means()[:, None, None, :]
        return np.where(self.n > 0, self.x - self.n * np.nan_to_num(means), 0.0)
