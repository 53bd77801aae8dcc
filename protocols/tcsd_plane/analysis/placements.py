"""Placements: every cross as an entry of one array, so that each statistic is a few lines over its axes."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from analysis.statistics.estimates import Floats, known_mean

if TYPE_CHECKING:
    import pandas as pd


AXES = ("TC", "SD")  # x, y


class Placement(NamedTuple):
    """One cross: who put it where, for which summary of which recording."""

    rater: Any  # a number or a name
    recording: str
    condition: str
    tc: float
    sd: float


class Setting(NamedTuple):
    """What a condition was made with: a family of conditions that differ in the numeric parameter z alone."""

    family: str
    z: float


@dataclass(frozen=True)
class Placements:
    """The marks, nan where there is none; a placement has both coordinates or is not there."""

    raters: list[Any]
    recordings: list[str]
    conditions: list[str]
    marks: Floats  # axis x rater x recording x condition
    settings: Mapping[str, Setting]  # by condition, of those that have one

    @classmethod
    def of(cls, placed: Collection[Placement], settings: Mapping[str, Setting] | None = None) -> Self:
        """Gather placements in any order; a rater places each summary once."""
        raters = sorted({each.rater for each in placed})
        recordings = sorted({each.recording for each in placed})
        conditions = sorted({each.condition for each in placed})
        rater, recording, condition = (
            {name: code for code, name in enumerate(names)} for names in (raters, recordings, conditions)
        )
        marks = np.full((len(AXES), len(raters), len(recordings), len(conditions)), np.nan)
        for each in placed:
            marks[:, rater[each.rater], recording[each.recording], condition[each.condition]] = each.tc, each.sd
        return cls(raters, recordings, conditions, marks, settings or {})

    def __len__(self) -> int:
        return int(np.isfinite(self.marks[0]).sum())

    def rater_means(self) -> Floats:
        """Axis x rater x condition: each rater's mean over recordings."""
        return known_mean(self.marks, axis=2)

    def targets(self, axis: int) -> Floats:
        """Rater x target on one axis; a target is one summary: a recording under a condition."""
        flat: Floats = self.marks[axis].reshape(len(self.raters), len(self.recordings) * len(self.conditions))
        return flat


FAMILY_FACTORS = ("family", "method")  # what a condition's family may be called, in this order
ONLY_FAMILY = "z"  # what it is called where conditions carry a z and no family


def placements_of(table: pd.DataFrame) -> Placements:
    """Pair the marks on the two axes, which may come from two pages; practice, and an axis alone, are left out.

    Where a rater placed the same summary more than once, the mean counts.
    """
    rated = table[(table["kind"] != "practice") & table["scale"].isin(AXES)]
    columns = (rated[name].tolist() for name in ("listener", "item", "condition", "scale", "value"))
    cells: dict[tuple[Any, str, str], dict[str, list[float]]] = defaultdict(lambda: {axis: [] for axis in AXES})
    for rater, recording, condition, scale, value in zip(*columns, strict=True):
        cells[rater, str(recording), str(condition)][scale].append(value)
    placed = [Placement(*cell, *map(_mean, found.values())) for cell, found in cells.items() if all(found.values())]
    return Placements.of(placed, _settings(rated))


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)  # fsum rounds once, so the order of the rows plays no part


def _settings(rated: pd.DataFrame) -> dict[str, Setting]:
    """Read what conditions were made with, where their factors tell a number z."""
    if "condition_factors" not in rated:
        return {}
    factors = zip(rated["condition"].tolist(), rated["condition_factors"].tolist(), strict=True)
    made = {str(condition): setting_of(json.loads(text)) for condition, text in set(factors)}
    return {condition: setting for condition, setting in made.items() if setting is not None}


def setting_of(factors: dict[str, Any]) -> Setting | None:
    """Family and z of a condition; none where z is absent or no finite number."""
    try:
        z = float(factors["z"])
    except (KeyError, TypeError, ValueError):
        return None
    family = next((str(factors[name]) for name in FAMILY_FACTORS if factors.get(name)), ONLY_FAMILY)
    return Setting(family, z) if math.isfinite(z) else None
