"""How the votes are spread over a scale of five categories, and what an expert reader should know beforehand."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

import numpy as np

from analysis.methods.mos.cells import place
from analysis.methods.mos.marks import Coded, Marks

Rows = list[dict[str, Any]]

CATEGORIES = (1, 2, 3, 4, 5)
GOOD, POOR = 4, 2  # %GoB counts votes of 4 and 5, %PoW votes of 1 and 2
FEW_VOTES = 8  # for one clip on one scale
CROWDED_END = 0.4  # of all votes on one end of the scale: there, differences can no longer show


def distribution(marks: Marks) -> Rows:
    """How many votes each category got, by condition and scale. Scales with other values have no such table."""
    category = marks.value.astype(np.int64)
    fits = (category == marks.value) & (category >= CATEGORIES[0]) & (category <= CATEGORIES[-1])
    odd = set() if fits.all() else set(np.unique(marks.scale.codes[~fits]).tolist())
    columns = (marks.condition, marks.scale, Coded(np.where(fits, category, 0), [0, *CATEGORIES]))
    codes, shape = place(columns)
    counts = np.bincount(codes, minlength=math.prod(shape)).reshape(shape)[..., 1:]
    return [
        {"condition": marks.condition.names[condition], "scale": marks.scale.names[scale]}
        | _shares(counts[condition, scale].tolist())
        for condition, scale in np.argwhere(counts.sum(axis=-1)).tolist()
        if scale not in odd
    ]


def _shares(counts: list[int]) -> dict[str, Any]:
    total = sum(counts)
    return {
        "n_votes": total,
        "counts": dict(zip(map(str, CATEGORIES), counts, strict=True)),
        "share_lowest": counts[0] / total,
        "share_highest": counts[-1] / total,
        "good_or_better": sum(counts[GOOD - 1 :]) / total,
        "poor_or_worse": sum(counts[:POOR]) / total,
    }


def warn(items: Rows, distribution: Rows) -> Rows:
    """Return each warning as a code and its numbers; who shows it finds the words."""
    return [*_about_cells(items), *_about_ends(distribution), *_about_balance(distribution)]


def _about_cells(items: Rows) -> Rows:
    found: Rows = []
    ordered = sorted(items, key=lambda row: str(row["scale"]))
    for scale, group in groupby(ordered, key=lambda row: row["scale"]):
        cells = list(group)
        votes = [row["n_votes"] for row in cells]
        few = sum(count < FEW_VOTES for count in votes)
        if few:
            found.append({"code": "few_votes", "scale": scale, "cells": few, "of": len(cells), "least": min(votes)})
        unanimous = sum(row["sd"] == 0 for row in cells)
        if unanimous:
            found.append({"code": "unanimous", "scale": scale, "cells": unanimous, "of": len(cells)})
    return found


def _about_ends(distribution: Rows) -> Rows:
    return [
        {"code": code, "scale": row["scale"], "condition": row["condition"], "share": row[share]}
        for row in distribution
        for code, share in (("floor", "share_lowest"), ("ceiling", "share_highest"))
        if row[share] > CROWDED_END
    ]


def _about_balance(distribution: Rows) -> Rows:
    found: Rows = []
    ordered = sorted(distribution, key=lambda row: str(row["scale"]))
    for scale, group in groupby(ordered, key=lambda row: row["scale"]):
        votes = [row["n_votes"] for row in group]
        if min(votes) != max(votes):
            found.append({"code": "unbalanced", "scale": scale, "least": min(votes), "most": max(votes)})
    return found
