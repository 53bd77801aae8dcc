"""Plan of a study as JSON: half widths and power of a design, the cheapest one, listeners needed, curves, simulation.

What the page and `manage.py plan_study` show comes from here; the page calls it in the sandbox, so that a web process
loads no scipy. Keys are documented in docs/methods/planning.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from analysis.statistics.plan_simulation import Grid, simulate_studies
from analysis.statistics.planning import (
    FEWEST,
    Choice,
    Costs,
    Design,
    Goal,
    Precision,
    cheapest,
    choice,
    difference_precision,
    listeners_needed,
    mean_precision,
)
from audio.sandbox.client import Outcome
from rating.variance import VarianceComponents

CURVES = 4  # numbers of items that are drawn
POINTS = 60  # of a curve
STEPS = (5, 10, 15, 20, 30, 40, 60, 80, 120, 160, 200, 300, 400, 600)  # numbers of items in tables


def plan_in_sandbox(**asked: Any) -> Outcome:
    return Outcome(plan_study(**asked))


def plan_study(
    *,
    components: Sequence[float],
    scale: Sequence[float],  # lowest, highest, step
    listeners: int,
    items: int,
    conditions: int,
    panels: int,
    difference: float,
    power: float,
    comparisons: int = 1,
    costs: dict[str, float],
    mean: float | None = None,
    rounds: int = 0,
    seed: int = 0,
) -> dict[str, Any]:
    found = VarianceComponents(*components)
    design, paid = Design(listeners, items, conditions, panels), Costs(**costs)  # type: ignore[arg-type]
    goal = Goal(difference, power, 0.05 / comparisons, conditions)
    return {
        "components": found._asdict(),
        "goal": goal._asdict() | {"comparisons": comparisons},
        "design": _design(found, design, goal, paid),
        "cheapest": _row(cheapest(found, goal, paid)),
        "listeners_needed": _needed(found, design, goal, paid),
        "curves": list(_curves(found, design, goal, paid)),
        "simulation": _simulated(found, design, goal, Grid(*scale), mean, rounds, seed) if rounds else None,
    }


def _design(components: VarianceComponents, design: Design, goal: Goal, costs: Costs) -> dict[str, Any]:
    taken = choice(
        components, goal, costs, listeners=design.listeners, items=design.items, panels=design.panels
    )._asdict()
    return {
        **{name: taken[name] for name in ("listeners", "items", "panels", "items_each", "minutes", "hours", "cost")},
        "conditions": design.conditions,
        "votes_per_condition": int(design.votes),
        "mean": _precision(mean_precision(components, design), goal),
        "difference": _precision(difference_precision(components, design), goal),
    }


def _precision(found: Precision, goal: Goal) -> dict[str, float]:
    """With the power against 0, or of a mean against a value that is as far away."""
    power = found.power(goal.difference, alpha=goal.alpha)
    figures = {"se": found.se, "df": found.df, "half_width": found.half_width(), "power": power}
    return {name: float(value) for name, value in figures.items()}


def _row(found: Choice | None) -> dict[str, Any] | None:
    return found._asdict() if found else None


def _needed(components: VarianceComponents, design: Design, goal: Goal, costs: Costs) -> list[dict[str, Any]]:
    """For several numbers of items, divided among the panels of the design."""
    panels = design.panels
    items = sorted({each for each in (*STEPS, design.items) if each % panels == 0 and FEWEST * panels <= each})
    items = [each for each in items if each <= max(costs.most_items, design.items)]
    needed = listeners_needed(components, goal, items, panels=panels, most=costs.most_listeners)
    empty = dict.fromkeys(Choice._fields)
    return [
        choice(components, goal, costs, listeners=people, items=count, panels=panels)._asdict()
        if people is not None
        else empty | {"items": count, "panels": panels, "items_each": count // panels}
        for count, people in zip(items, needed, strict=True)
    ]


def _curves(components: VarianceComponents, design: Design, goal: Goal, costs: Costs) -> Iterator[dict[str, Any]]:
    """Power and half width of a difference over listeners, for the design's number of items and some around it."""
    panels, each = design.panels, design.items_each
    most = max(2 * design.listeners, 40 * panels)
    step = max(1, round(most / panels / POINTS))
    listeners = np.arange(FEWEST, most // panels + 1, step) * panels
    for items in sorted({max(FEWEST, round(each * factor)) * panels for factor in (0.5, 1, 2, 4)})[:CURVES]:
        precision = difference_precision(components, Design(listeners, items, design.conditions, panels))
        columns = (listeners, precision.power(goal.difference, alpha=goal.alpha), precision.half_width())
        yield {
            "items": items,
            "points": [list(point) for point in zip(*(each.tolist() for each in columns), strict=True)],
        }


def _simulated(
    components: VarianceComponents, design: Design, goal: Goal, grid: Grid, mean: float | None, rounds: int, seed: int
) -> dict[str, Any]:
    middle = (grid.low + grid.high) / 2 if mean is None else mean
    rng = np.random.default_rng(seed)
    found = simulate_studies(
        components, design, grid, rng, difference=goal.difference, mean=middle, alpha=goal.alpha, rounds=rounds
    )
    return found._asdict() | {"mean": middle, "seed": seed}
