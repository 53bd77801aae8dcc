"""Tables of means by condition, panel, factor level and item, shares of the categories, and warnings."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from analysis.mos.cells import NORMAL_QUANTILE, Cells, Floats, Integers, Summary, figures, names, over_listeners
from analysis.statistics.categories import bounded_limits

Rows = list[dict[str, Any]]

UNIT_OF_TABLE = {"rows": "listener", "votes_level": "vote", "votes_level_p808": "vote-1.96", "items_level": "item"}
LEVELS_OF_A_FACTOR = 50  # what has more is an identifier, not a factor


@dataclass(frozen=True)
class Gathered:
    """The marks by scale and condition, and along the last axis by listener, or by each item of each panel."""

    marks: pd.DataFrame
    people: Cells
    things: Cells
    panel_of_listener: Integers
    panel_of_thing: Integers
    item_of_thing: Integers

    @classmethod
    def of(cls, marks: pd.DataFrame) -> Gathered:
        panel, item = (marks[name].cat.codes.astype(np.int64) for name in ("panel", "item"))  # panel -1: none
        count = len(names(marks, "item"))
        marks = marks.assign(thing=(panel * count + item).astype("category"))
        things = marks["thing"].cat.categories.to_numpy()
        return cls(
            marks=marks,
            people=Cells.of(marks, ("scale", "condition", "listener")),
            things=Cells.of(marks, ("scale", "condition", "thing")),
            panel_of_listener=np.asarray(panel.groupby(marks["listener"], observed=False).last(), dtype=np.int64),
            panel_of_thing=things // count,
            item_of_thing=things % count,
        )

    def items(self, things: Cells | None = None) -> Cells:
        """By scale, condition and item, whatever the panel."""
        return (things or self.things).gathered(self.item_of_thing, len(names(self.marks, "item")))


def by_condition(everybody: Gathered, complete: Gathered) -> dict[str, Rows]:
    """One table a unit: `rows` over listeners, and beside it over votes, over votes with 1.96, and over items.

    `rows` are of complete listeners; where there are others, `all_listeners` has the same with everybody.
    """
    rows = _by_condition(everybody)
    found = {name: [row for row in rows if row["unit"] == unit] for name, unit in UNIT_OF_TABLE.items()}
    if complete is not everybody:
        found["all_listeners"] = found["rows"]
        found["rows"] = [row for row in _by_condition(complete) if row["unit"] == "listener"]
    return found


def by_panel(everybody: Gathered, complete: Gathered) -> Rows:
    return _set_apart(_by_panel, everybody, complete)


def by_factor(everybody: Gathered, complete: Gathered) -> Rows:
    """The items of each level of each factor; an item that lacks a factor is in none of its levels."""
    return _set_apart(_by_factor, everybody, complete)


def _set_apart(made: Callable[[Gathered], Rows], everybody: Gathered, complete: Gathered) -> Rows:
    """All units of everybody's marks, except that figures over listeners are of complete ones."""
    rows = made(everybody)
    if complete is everybody:
        return rows
    others = [row for row in rows if row["unit"] != "listener"]
    return [row for row in made(complete) if row["unit"] == "listener"] + others


def _by_condition(gathered: Gathered) -> Rows:
    return _rows(gathered.marks, gathered.people, gathered.items())


def _by_panel(gathered: Gathered) -> Rows:
    rows: Rows = []
    for code, panel in enumerate(names(gathered.marks, "panel")):
        people = gathered.people.taken(np.flatnonzero(gathered.panel_of_listener == code))
        things = gathered.things.taken(np.flatnonzero(gathered.panel_of_thing == code))
        rows += [{"panel": panel} | row for row in _rows(gathered.marks, people, things)]
    return rows


def _by_factor(gathered: Gathered) -> Rows:
    marks, rows = gathered.marks, []
    items = gathered.items()
    by_item = marks.drop_duplicates("item", keep="last").set_index("item")["factors"]
    factors_by_item = [json.loads(by_item[item]) for item in names(marks, "item")]
    for factor in sorted({name for factors in factors_by_item for name in factors}):
        named = [factors.get(factor) for factors in factors_by_item]
        levels = sorted({name for name in named if name is not None})
        if len(levels) > LEVELS_OF_A_FACTOR:
            continue
        level_of_item = np.array([levels.index(name) if name is not None else -1 for name in named])
        # No level is a level of its own here, and is not shown.
        level_of_mark = level_of_item[marks["item"].cat.codes] % (len(levels) + 1)
        named_level = pd.Categorical.from_codes(level_of_mark, pd.RangeIndex(len(levels) + 1))
        people = Cells.of(marks.assign(level=named_level), ("scale", "condition", "level", "listener"))
        for code, level in enumerate(levels):
            heard = Cells(*(part[:, :, code] for part in (people.n, people.x, people.xx)))
            of_level = items.taken(np.flatnonzero(level_of_item == code))
            rows += [{"factor": factor, "level": level} | row for row in _rows(marks, heard, of_level)]
    return rows


def by_item(marks: pd.DataFrame) -> Rows:
    """Every item under every condition, over listeners: nearly always one vote each."""
    if marks.empty:
        return []
    by = ("condition", "item", "scale")
    cells = Cells.of(marks, by)
    votes = Cells(*(part.reshape(-1, 1) for part in (cells.n, cells.x, cells.xx))).over_votes()
    found = np.flatnonzero(votes.n)
    bounded = _bounded(marks, cells, found)
    listeners, votes = over_listeners(marks, by, votes).chosen(found), votes.chosen(found)
    counts = {
        "n_votes": votes.n.astype(int).tolist(),
        "n_listeners": listeners.n.astype(int).tolist(),
        "n_items": [1] * len(found),
    }
    rows = _lines(_labels(marks, by, found), counts, listeners, "listener")
    return [row | limits for row, limits in zip(rows, bounded, strict=True)]


def _bounded(marks: pd.DataFrame, cells: Cells, found: Integers) -> Rows:
    """The interval that stays on the scale and has a width where all agree, of scales of categories; votes count as
    independent, and nearly always each is of another listener."""
    total, n = cells.x.reshape(-1)[found], cells.n.reshape(-1)[found]
    in_categories = ~np.isin(names(marks, "scale"), _other_scales(marks))
    fits = in_categories[found % len(in_categories)]
    low, high = (figures(np.where(fits, each, np.nan)) for each in bounded_limits(total, n))
    return [{"ci_bounded_low": below, "ci_bounded_high": above} for below, above in zip(low, high, strict=True)]


def _labels(marks: pd.DataFrame, by: Sequence[str], found: Integers) -> Rows:
    """What the cells are about that were found, of all combinations of the names in these columns."""
    every = [names(marks, column) for column in by]
    places = np.unravel_index(found, [len(each) for each in every])
    columns = [[each[code] for code in at.tolist()] for each, at in zip(every, places, strict=True)]
    return [dict(zip(by, line, strict=True)) for line in zip(*columns, strict=True)]


def _rows(marks: pd.DataFrame, people: Cells, things: Cells) -> Rows:
    """Every condition and scale that was heard at all, once for each unit; condition first, then scale."""
    votes, listeners, items = _condition_first(people.over_votes(), people.over_units(), things.over_units())
    found = np.flatnonzero(votes.n)
    labels = _labels(marks, ("condition", "scale"), found)
    votes, listeners, items = (each.chosen(found) for each in (votes, listeners, items))
    counted = {"n_votes": votes, "n_listeners": listeners, "n_items": items}
    counts = {name: summary.n.astype(int).tolist() for name, summary in counted.items()}
    return [
        *_lines(labels, counts, listeners, "listener"),
        *_lines(labels, counts, votes, "vote"),
        *_lines(labels, counts, votes, "vote-1.96", quantile=NORMAL_QUANTILE),
        *_lines(labels, counts, items, "item"),
    ]


def _condition_first(*summaries: Summary) -> list[Summary]:
    """Turn scale x condition around and lay it out in one line."""
    return [Summary(*(part.T.reshape(-1) for part in (each.n, each.mean, each.sd))) for each in summaries]


def _lines(
    labels: Rows, counts: dict[str, list[int]], summary: Summary, unit: str, *, quantile: float | None = None
) -> Rows:
    half: Floats = summary.half_width(quantile=quantile)
    columns: dict[str, list[Any]] = {
        **counts,
        "mos": figures(summary.mean),
        "sd": figures(summary.sd),
        "ci_low": figures(summary.mean - half),
        "ci_high": figures(summary.mean + half),
    }
    return [
        {**label, **dict(zip(columns, line, strict=True)), "unit": unit}
        for label, line in zip(labels, zip(*columns.values(), strict=True), strict=True)
    ]


CATEGORIES = (1, 2, 3, 4, 5)
GOOD, POOR = 4, 2  # %GoB counts votes of 4 and 5, %PoW votes of 1 and 2
CROWDED_END = 0.4  # of all votes on one end of the scale: there, differences can no longer show


def distribution(marks: pd.DataFrame) -> Rows:
    """How many votes each category got, by condition and scale. Scales with other values have no such table."""
    whole = marks[~marks["scale"].isin(_other_scales(marks))]
    given = whole["value"].astype(pd.CategoricalDtype(list(CATEGORIES)))
    counts = whole.groupby(["condition", "scale", given], observed=False).size().unstack()
    return [
        dict(zip(("condition", "scale"), key, strict=True)) | _shares(line)
        for key, line in zip(counts.index, counts.to_numpy().tolist(), strict=True)
        if any(line)
    ]


def _other_scales(marks: pd.DataFrame) -> list[str]:
    """Scales with any value that is none of the categories."""
    return list(marks.loc[~marks["value"].isin(CATEGORIES), "scale"].unique())


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
