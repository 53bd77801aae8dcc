"""Disjoint subsets of a pool that share out its factors, and their combinations, as evenly as whole items allow."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from core.clauses import clause
from listening.design.base import Sample
from listening.design.subsets.errors import (
    FactorTwice,
    FactorUnknown,
    ItemTwice,
    SubsetsNothing,
    SubsetsTooLarge,
    ValueMissing,
)
from listening.design.subsets.pool import Pool
from listening.design.subsets.program import solve
from listening.design.subsets.report import Cell, drawn_up
from stimuli.imports.reports import some


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
    report = drawn_up(pool, solution, cells=cells, margins=margins, factors=factors, seed=seed)
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
        raise SubsetsNothing(subsets=subsets, size=size)
    known = sorted({factor for sample in samples for factor in sample.factors})
    for factor in factors:
        if factors.count(factor) > 1:
            raise FactorTwice(factor=factor)
        if factor not in known and samples:
            raise FactorUnknown(factor=factor, known=", ".join(known) or clause("none"))
        missing = [sample.name for sample in samples if not sample.factors.get(factor)]
        if missing:
            raise ValueMissing(column=factor, places=some(f"'{name}'" for name in missing), all=missing)
    seen: dict[str, int] = {}
    for place, sample in enumerate(samples, 1):
        if sample.name in seen:
            places = clause("places {first} and {second}", first=seen[sample.name], second=place)
            raise ItemTwice(item=sample.name, places=places)
        seen[sample.name] = place


def _too_large(by_cell: dict[Cell, list[str]], factors: Sequence[str], subsets: int, size: int) -> SubsetsTooLarge:
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
        remedy = clause("The nearest size that is possible is {nearest}.", nearest=nearest)
    else:
        remedy = clause("With one item each, {items} subsets are possible.", items=items)
    return SubsetsTooLarge(
        subsets=subsets,
        size=size,
        needed=subsets * size,
        pool=items,
        nearest=nearest,
        remedy=remedy,
        cells=some(described) or "0",
        short=rows,
    )
