"""Planning of disjoint subsets that share the factors of the pool evenly, and the report on what was reached."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from listening.design.base import Sample, factor_unknown, item_twice, value_missing
from listening.design.subsets.milp import Solution, solve
from listening.design.subsets.pool import GOALS, GOALS_IN_UNITS, Counts, Pool, Quota
from stimuli.imports.reports import some

Cell = tuple[str, ...]  # a level of every factor
Row = dict[str, Any]


@dataclass(frozen=True)
class SubsetPlan:
    """Subsets of items by name, each in the order of the pool, and how well they match it."""

    subsets: tuple[tuple[str, ...], ...]
    optimal: bool
    gap: float
    report: dict[str, Any] = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        subsets = [list(subset) for subset in self.subsets]
        return {"subsets": subsets, "optimal": self.optimal, "gap": self.gap, "report": self.report}


def plan_subsets(
    samples: Sequence[Sample], *, factors: Sequence[str], subsets: int, size: int, seed: str
) -> SubsetPlan:
    """Choose disjoint subsets of one size that match the pool and each other as closely as can be.

    The counts of every joint cell are decided by an integer program (docs/methods/subsets.md), ties and the items
    themselves by the seed. The order of the samples changes nothing but the order in which they are given back.
    """
    _judge(samples, factors, subsets, size)
    by_cell: dict[Cell, list[str]] = {}
    for sample in samples:
        by_cell.setdefault(tuple(sample.factors[factor] for factor in factors), []).append(sample.name)
    if subsets * size > len(samples):
        raise _too_large(by_cell, factors, subsets, size)
    rng = Random(f"subsets/{seed}")
    cells = sorted(by_cell)
    rng.shuffle(cells)
    margins = sorted({(at, level) for cell in cells for at, level in enumerate(cell)})
    members = [[number for number, cell in enumerate(cells) if cell[at] == level] for at, level in margins]
    pool = Pool.of([len(by_cell[cell]) for cell in cells], members, subsets=subsets, size=size)
    solution = solve(pool, rng)
    drawn = _drawn(by_cell, dict(zip(cells, solution.counts, strict=True)), subsets, rng)
    chosen = tuple(tuple(sample.name for sample in samples if sample.name in subset) for subset in drawn)
    report = subset_report(pool, solution, cells=cells, margins=margins, factors=factors, seed=seed)
    return SubsetPlan(chosen, solution.is_optimal, solution.gap, report)


def _drawn(by_cell: dict[Cell, list[str]], counts: dict[Cell, list[int]], subsets: int, rng: Random) -> list[set[str]]:
    """Draw so many items of each cell for each subset."""
    drawn: list[set[str]] = [set() for _ in range(subsets)]
    for cell in sorted(by_cell):
        names = iter(rng.sample(sorted(by_cell[cell]), sum(counts[cell])))
        for subset, count in zip(drawn, counts[cell], strict=True):
            subset |= set(islice(names, count))
    return drawn


def _judge(samples: Sequence[Sample], factors: Sequence[str], subsets: int, size: int) -> None:
    if subsets < 1 or size < 1:
        raise AppError(
            "subsets.nothing",
            422,
            _("{subsets} subsets of {size} items cannot be planned. Ask for at least one subset of at least one item."),
            subsets=subsets,
            size=size,
        )
    known = sorted({factor for sample in samples for factor in sample.factors})
    for factor in factors:
        if factors.count(factor) > 1:
            raise AppError(
                "subsets.factor_twice",
                422,
                _("The factor '{factor}' is named twice. Name each factor once."),
                factor=factor,
            )
        if factor not in known and samples:
            raise factor_unknown(factor=factor, known=", ".join(known) or LazyMessage("none"))
        missing = [sample.name for sample in samples if not sample.factors.get(factor)]
        if missing:
            raise value_missing(column=factor, places=some(f"'{name}'" for name in missing), all=missing)
    seen: dict[str, int] = {}
    for place, sample in enumerate(samples, 1):
        if sample.name in seen:
            places = LazyMessage("places {first} and {second}", first=seen[sample.name], second=place)
            raise item_twice(item=sample.name, places=places)
        seen[sample.name] = place


def _too_large(by_cell: dict[Cell, list[str]], factors: Sequence[str], subsets: int, size: int) -> AppError:
    """Say how many items are missing, in which cells, and what could be had."""
    items = sum(len(names) for names in by_cell.values())
    nearest = items // subsets
    needs = {cell: subsets * size * len(names) / items for cell, names in by_cell.items()}
    short = sorted(by_cell, key=lambda cell: (len(by_cell[cell]) - needs[cell], cell))
    rows = [
        {"cell": dict(zip(factors, cell, strict=True)), "items": len(by_cell[cell]), "needed": needs[cell]}
        for cell in short
    ]
    described = [f"{' x '.join(cell) or '*'}: {len(by_cell[cell])} / {needs[cell]:.1f}" for cell in short]
    if nearest:
        remedy = LazyMessage("The nearest size that is possible is {nearest}.", nearest=nearest)
    else:
        remedy = LazyMessage("With one item each, {items} subsets are possible.", items=items)
    return AppError(
        "subsets.too_large",
        422,
        _(
            "{subsets} disjoint subsets of {size} need {needed} items, and the pool has {pool}. {remedy} What there is "
            "and what would be needed: {cells}."
        ),
        subsets=subsets,
        size=size,
        needed=subsets * size,
        pool=items,
        nearest=nearest,
        remedy=remedy,
        cells=some(described) or "0",
        short=rows,
    )


# --- The report -------------------------------------------------------------------------------------------------------


def subset_report(
    pool: Pool,
    solution: Solution,
    *,
    cells: Sequence[Cell],
    margins: Sequence[tuple[int, str]],
    factors: Sequence[str],
    seed: str,
) -> dict[str, Any]:
    """Draw up the report. Every cell of the pool stands in it, also those of which no item was drawn."""
    sums = pool.sums(solution.counts)
    by_level = [
        {"factor": factors[at], "level": level, **_row(quota, counts)}
        for (at, level), quota, counts in zip(margins, pool.margins, sums, strict=True)
    ]
    found = sorted(zip(cells, pool.cells, solution.counts, strict=True))
    by_cell = [
        {"levels": dict(zip(factors, cell, strict=True)), **_row(quota, counts)} for cell, quota, counts in found
    ]
    levels = [sum(1 for at, _ in margins if at == factor) for factor in range(len(factors))]
    return {
        "pool": sum(quota.pool for quota in pool.cells),
        "subsets": pool.subsets,
        "size": pool.size,
        "seed": seed,
        "factors": list(factors),
        "margins": by_level,
        "cells": by_cell,
        "largest_deviation": {"margins": _largest(by_level), "cells": _largest(by_cell)},
        "a_whole_item_off": [row for row in (*by_level, *by_cell) if row["largest_deviation"] >= 1],
        "margins_that_differ": [row for row in by_level if len(set(row["achieved"])) > 1],
        "cells_never_drawn": [row["levels"] for row in by_cell if not any(row["achieved"])],
        "combinations_without_items": math.prod(levels) - len(cells),
        "goals": _goals(pool, solution),
        "choice": _choice(found, solution, seed),
    }


def _row(quota: Quota, counts: Sequence[int]) -> Row:
    target = quota.exact / quota.units
    deviations = [(count * quota.units - quota.exact) / quota.units for count in counts]
    return {
        "pool": quota.pool,
        "target": target,
        "achieved": list(counts),
        "deviations": deviations,
        "largest_deviation": max(abs(deviation) for deviation in deviations),
    }


def _largest(rows: Sequence[Row]) -> float:
    return max((row["largest_deviation"] for row in rows), default=0.0)


def _goals(pool: Pool, solution: Solution) -> list[Row]:
    """Say what was reached in each goal, in items, and what is proven to be the best."""
    units = pool.cells[0].units
    rows = []
    for number, (goal, reached, bound) in enumerate(zip(GOALS, solution.reached, solution.bounds, strict=True)):
        one = units if number in GOALS_IN_UNITS else 1
        least = None if bound is None else bound / one
        rows.append({"goal": goal, "reached": reached / one, "at_least": least, "proven": reached == bound})
    return rows


def _choice(found: Sequence[tuple[Cell, Quota, list[int]]], solution: Solution, seed: str) -> Row:
    """Say which of several solutions was taken, by a digest of its counts, and how many ways there were to draw it."""
    table: Counts = [counts for _, _, counts in found]
    digest = hashlib.sha256(json.dumps(table).encode()).hexdigest()[:12]
    ways = sum(_log10_ways(quota.pool, counts) for _, quota, counts in found)
    return {
        "seed": seed,
        "table": digest,
        "other_totals_as_good": solution.has_ties,
        "log10_ways_to_draw_the_items": round(ways, 1),
    }


def _log10_ways(items: int, counts: Sequence[int]) -> float:
    """Count, as a power of ten, the ways to deal some of a cell's items to the subsets."""
    parts = [*counts, items - sum(counts)]
    return (math.lgamma(items + 1) - sum(math.lgamma(part + 1) for part in parts)) / math.log(10)
