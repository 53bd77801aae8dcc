"""The marks of a table as whole numbers, one code a name, so that every sum is one pass over an array."""

from __future__ import annotations

import json
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
