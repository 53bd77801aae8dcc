"""Placements: every cross as an entry of one array, so that each statistic is a few lines over its axes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from analysis.statistics.estimates import Floats, known_mean

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
