"""The trade-off along z: how the conditions of a family move on the plane as their numeric parameter grows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from analysis.methods.plane.placements import AXES, Placements
from analysis.statistics.estimates import Estimate, Floats, correlation, figure, known_mean

Rows = list[dict[str, Any]]


class Family(NamedTuple):
    """Conditions that differ in z alone, by z."""

    name: str
    conditions: list[str]
    z: Floats
    marks: Floats  # axis x rater x recording x condition

    @property
    def z_of_marks(self) -> Floats:
        return np.broadcast_to(self.z, self.marks.shape[1:]).reshape(-1)

    def means(self) -> Floats:
        """Axis x condition: each rater's mean first."""
        return known_mean(known_mean(self.marks, axis=2), axis=1)


def families(placements: Placements) -> Iterator[Family]:
    """Yield each family with at least two values of z."""
    made = [(*placements.settings[name], name) for name in placements.conditions if name in placements.settings]
    for family, members in groupby(sorted(made), key=lambda each: each[0]):
        _, steps, names = zip(*members, strict=True)
        if len(set(steps)) > 1:
            codes = [placements.conditions.index(name) for name in names]
            yield Family(family, list(names), np.array(steps), placements.marks[..., codes])


def slopes(placements: Placements) -> Rows:
    """By family and axis: the change as z grows by one, with a t interval over raters, and Pearson's r with z."""
    rows: Rows = []
    for family in families(placements):
        for axis, scale in enumerate(AXES):
            marks = family.marks[axis]
            found = Estimate.over(rater_slopes(marks, family.z))
            rows.append(
                {
                    "family": family.name,
                    "scale": scale,
                    "n_marks": int(np.isfinite(marks).sum()),
                    "n_raters": found.n,
                    "slope": figure(found.mean),
                    **found.interval(),
                    "r_with_z": figure(correlation(marks.reshape(-1), family.z_of_marks)),
                }
            )
    return rows


def rater_slopes(marks: Floats, z: Floats) -> Floats:
    """Each rater's least-squares slope on z, marks and z less their means in a recording; nan where z did not vary.

    `marks` is rater x recording x condition. Within a recording, since recordings differ and some marks may be missing.
    """
    known = np.isfinite(marks)
    z_known = np.where(known, z, np.nan)
    about_z = z_known - known_mean(z_known, axis=-1)[..., None]
    about_mark = marks - known_mean(marks, axis=-1)[..., None]
    above = np.where(known, about_z * about_mark, 0.0).sum(axis=(1, 2))
    below = np.where(known, about_z * about_z, 0.0).sum(axis=(1, 2))
    return np.asarray(np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan), dtype=np.float64)


def summaries(placements: Placements) -> Rows:
    """By family: r of TC and SD over its marks, and the area under its curve of condition means."""
    rows: Rows = []
    for family in families(placements):
        tc, sd = family.marks.reshape(len(AXES), -1)
        row = {"family": family.name, "n_conditions": len(family.conditions), "n_marks": int(np.isfinite(tc).sum())}
        rows.append(row | {"correlation": figure(correlation(tc, sd)), "area": area(*family.means())})
    return rows


def area(tc: Floats, sd: Floats) -> float:
    """Under the line through the points sorted by TC, from the least TC to the greatest: trapezoids, nothing added."""
    order = np.lexsort((sd, tc))
    return float(np.trapezoid(sd[order], tc[order]))


def curves(placements: Placements) -> Rows:
    """The condition means of each family by z, for arrows from one to the next."""
    rows: Rows = []
    for family in families(placements):
        tc, sd = family.means().tolist()
        rows += [
            {"family": family.name, "z": z, "condition": condition, "tc_mean": x, "sd_mean": y}
            for condition, z, x, y in zip(family.conditions, family.z.tolist(), tc, sd, strict=True)
        ]
    return rows
