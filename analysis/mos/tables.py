"""Tables of means by condition, panel, factor level and item, shares of the categories, and warnings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from analysis.mos.cells import (
    NORMAL_QUANTILE,
    Cells,
    Coded,
    Floats,
    Integers,
    Marks,
    Summary,
    figures,
    listeners_in,
    place,
)

Rows = list[dict[str, Any]]

UNIT_OF_TABLE = {"rows": "listener", "votes_level": "vote", "votes_level_p808": "vote-1.96", "items_level": "item"}
LEVELS_OF_A_FACTOR = 50  # what has more is an identifier, not a factor


@dataclass(frozen=True)
class Gathered:
    """The marks by scale and condition, and along the last axis by listener, or by each item of each panel."""

    marks: Marks
    people: Cells
    things: Cells
    panel_of_listener: Integers
    panel_of_thing: Integers
    item_of_thing: Integers

    @classmethod
    def of(cls, marks: Marks) -> Gathered:
        things = marks.panel.codes * len(marks.item) + marks.item.codes + len(marks.item)  # panel -1 becomes row 0
        size = (len(marks.panel) + 1) * len(marks.item)
        seen = np.flatnonzero(np.bincount(things, minlength=size))
        places = np.zeros(size, dtype=np.int64)
        places[seen] = np.arange(len(seen))
        thing = Coded(places[things], seen.tolist())
        panel_of_listener = np.full(len(marks.listener), -1, dtype=np.int64)
        panel_of_listener[marks.listener.codes] = marks.panel.codes
        return cls(
            marks=marks,
            people=Cells.of((marks.scale, marks.condition, marks.listener), marks.value),
            things=Cells.of((marks.scale, marks.condition, thing), marks.value),
            panel_of_listener=panel_of_listener,
            panel_of_thing=seen // len(marks.item) - 1,
            item_of_thing=seen % len(marks.item),
        )

    def items(self, things: Cells | None = None) -> Cells:
        """By scale, condition and item, whatever the panel."""
        return (things or self.things).gathered(self.item_of_thing, len(self.marks.item))


def by_condition(gathered: Gathered) -> dict[str, Rows]:
    """One table a unit: `rows` over listeners, and beside it over votes, over votes with 1.96, and over items."""
    rows = _rows(gathered.marks, gathered.people, gathered.items())
    return {name: [row for row in rows if row["unit"] == unit] for name, unit in UNIT_OF_TABLE.items()}


def by_panel(gathered: Gathered) -> Rows:
    rows: Rows = []
    for code, panel in enumerate(gathered.marks.panel.names):
        people = gathered.people.taken(np.flatnonzero(gathered.panel_of_listener == code))
        things = gathered.things.taken(np.flatnonzero(gathered.panel_of_thing == code))
        rows += [{"panel": panel} | row for row in _rows(gathered.marks, people, things)]
    return rows


def by_factor(gathered: Gathered) -> Rows:
    """The items of each level of each factor; an item that lacks a factor is in none of its levels."""
    marks, rows = gathered.marks, []
    items = gathered.items()
    for factor in sorted({name for factors in marks.factors_by_item for name in factors}):
        named = [factors.get(factor) for factors in marks.factors_by_item]
        names = sorted({name for name in named if name is not None})
        if len(names) > LEVELS_OF_A_FACTOR:
            continue
        level_of_item = np.array([names.index(name) if name is not None else -1 for name in named])
        # No level is a level of its own here, and is not shown.
        levels = Coded((level_of_item % (len(names) + 1))[marks.item.codes], [*names, None])
        people = Cells.of((marks.scale, marks.condition, levels, marks.listener), marks.value)
        for code, level in enumerate(names):
            heard = Cells(*(part[:, :, code] for part in (people.n, people.x, people.xx)))
            of_level = items.taken(np.flatnonzero(level_of_item == code))
            rows += [{"factor": factor, "level": level} | row for row in _rows(marks, heard, of_level)]
    return rows


def by_item(marks: Marks) -> Rows:
    """Every item under every condition, over listeners: nearly always one vote each."""
    if not len(marks):
        return []
    columns = {"condition": marks.condition, "item": marks.item, "scale": marks.scale}
    codes, shape = place(list(columns.values()))
    cells = Cells.of(list(columns.values()), marks.value)
    votes = Cells(*(part.reshape(-1, 1) for part in (cells.n, cells.x, cells.xx))).over_votes()
    listeners, summary = listeners_in(codes, len(votes.n), marks.listener, marks.value)
    found = np.flatnonzero(votes.n)
    names = [
        dict(zip(columns, line, strict=True))
        for line in zip(*_names(list(columns.values()), np.unravel_index(found, shape)), strict=True)
    ]
    counts = {
        "n_votes": votes.n[found].astype(int).tolist(),
        "n_listeners": listeners[found].astype(int).tolist(),
        "n_items": [1] * len(found),
    }
    return _lines(names, counts, found, summary or votes, "listener")


def _names(columns: Sequence[Coded], places: Sequence[Any]) -> list[list[Any]]:
    return [[column.names[code] for code in at.tolist()] for column, at in zip(columns, places, strict=True)]


def _rows(marks: Marks, people: Cells, things: Cells) -> Rows:
    """Every condition and scale that was heard at all, once for each unit; condition first, then scale."""
    votes, listeners, items = _condition_first(people.over_votes(), people.over_units(), things.over_units())
    found = np.flatnonzero(votes.n)
    places = np.unravel_index(found, (len(marks.condition), len(marks.scale)))
    labels = [
        {"condition": condition, "scale": scale}
        for condition, scale in zip(*_names([marks.condition, marks.scale], places), strict=True)
    ]
    counted = {"n_votes": votes, "n_listeners": listeners, "n_items": items}
    counts = {name: summary.n[found].astype(int).tolist() for name, summary in counted.items()}
    return [
        *_lines(labels, counts, found, listeners, "listener"),
        *_lines(labels, counts, found, votes, "vote"),
        *_lines(labels, counts, found, votes, "vote-1.96", quantile=NORMAL_QUANTILE),
        *_lines(labels, counts, found, items, "item"),
    ]


def _condition_first(*summaries: Summary) -> list[Summary]:
    """Turn scale x condition around and lay it out in one line."""
    return [Summary(*(part.T.reshape(-1) for part in (each.n, each.mean, each.sd))) for each in summaries]


def _lines(
    labels: Rows,
    counts: dict[str, list[int]],
    found: Integers,
    summary: Summary,
    unit: str,
    *,
    quantile: float | None = None,
) -> Rows:
    chosen = Summary(summary.n[found], summary.mean[found], summary.sd[found])
    half: Floats = chosen.half_width(quantile=quantile)
    columns: dict[str, list[Any]] = {
        **counts,
        "mos": figures(chosen.mean),
        "sd": figures(chosen.sd),
        "ci_low": figures(chosen.mean - half),
        "ci_high": figures(chosen.mean + half),
    }
    names = list(columns)
    return [
        {**label, **dict(zip(names, line, strict=True)), "unit": unit}
        for label, line in zip(labels, zip(*columns.values(), strict=True), strict=True)
    ]


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
