"""What a plan of subsets aimed at and what it reached, for every factor level and joint cell, and how good that is."""

import hashlib
import json
import math
from collections.abc import Sequence
from typing import Any

from listening.design.subsets.model import Quota
from listening.design.subsets.pool import GOALS, GOALS_IN_UNITS, Counts, Pool
from listening.design.subsets.program import Solution

Cell = tuple[str, ...]  # a level of every factor
Row = dict[str, Any]


def drawn_up(
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
