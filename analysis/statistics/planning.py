"""Planning of a study from variance components: half widths, power of a difference, and the cheapest design.

Closed form for balanced designs: every listener rates the items of one panel under every condition. Functions take
numbers or arrays of them. docs/methods/planning.md has the formulas.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import nctdtr, stdtrit

from analysis.statistics.estimates import CONFIDENCE, Floats
from rating.variance import VarianceComponents

ALPHA = 0.05
PANELS = (1, 2, 4)  # that the cheapest design is looked for among
FEWEST = 2  # listeners and items in a panel, without which nothing can be said of others


class Design(NamedTuple):
    """Numbers or arrays of them; panels divide listeners and items among them."""

    listeners: Any
    items: Any
    conditions: int = 2
    panels: int = 1

    @property
    def items_each(self) -> Any:
        """How many items a listener rates, each under every condition."""
        return self.items / self.panels

    @property
    def votes(self) -> Any:
        """For each condition."""
        return self.listeners * self.items_each


class MeanSquares(NamedTuple):
    """Of the analysis of variance, as expected or as found, or their degrees of freedom."""

    listener: Any
    item: Any
    listener_condition: Any
    item_condition: Any
    residual: Any


class Precision(NamedTuple):
    """Of a mean or a difference."""

    se: Floats
    df: Floats

    def half_width(self) -> Floats:
        return np.asarray(stdtrit(self.df, 0.5 + CONFIDENCE / 2) * self.se)

    def power(self, difference: float, *, alpha: float = ALPHA) -> Floats:
        """How probable it is that a two-sided t test finds a true difference, by the noncentral t distribution."""
        limit = stdtrit(self.df, 1 - alpha / 2)
        shift = difference / self.se
        # In the other direction. Where that is as good as impossible, scipy may have nan.
        opposite = np.nan_to_num(nctdtr(self.df, shift, -limit))
        return np.asarray(1 - nctdtr(self.df, shift, limit) + opposite)


def expected(components: VarianceComponents, design: Design) -> MeanSquares:
    """Expected mean squares of a balanced design."""
    by_listener, by_item, k = design.items_each, design.listeners / design.panels, design.conditions
    residual = components.residual
    of_listeners = residual + by_listener * components.listener_condition
    of_items = residual + by_item * components.item_condition
    return MeanSquares(
        listener=of_listeners + by_listener * k * components.listener,
        item=of_items + by_item * k * components.item,
        listener_condition=of_listeners,
        item_condition=of_items,
        residual=residual + 0 * of_listeners,
    )


def degrees_of_freedom(design: Design) -> MeanSquares:
    """Within panels: what lies between them is not used."""
    listeners, items, k = design.listeners - design.panels, design.items - design.panels, design.conditions
    return MeanSquares(
        listener=listeners,
        item=items,
        listener_condition=listeners * (k - 1),
        item_condition=items * (k - 1),
        residual=k * listeners * items / design.panels,
    )


def of_mean(squares: MeanSquares, design: Design) -> Precision:
    k = design.conditions
    return _combined(squares, design, weights=(1 / k, 1 / k, (k - 1) / k, (k - 1) / k, -1.0))


def of_difference(squares: MeanSquares, design: Design) -> Precision:
    """Of two conditions: what listener and item add is the same in both, and cancels."""
    return _combined(squares, design, weights=(0.0, 0.0, 2.0, 2.0, -2.0))


def _combined(squares: MeanSquares, design: Design, weights: Sequence[float]) -> Precision:
    """The variance of a weighted sum of mean squares over the votes, with Satterthwaite's degrees of freedom (1946)."""
    variance: Any = 0.0
    spread: Any = 0.0
    for weight, square, df in zip(weights, squares, degrees_of_freedom(design), strict=True):
        if weight:
            part = weight * np.asarray(square, dtype=np.float64) / design.votes
            variance, spread = variance + part, spread + part**2 / df
    with np.errstate(invalid="ignore", divide="ignore"):
        return Precision(np.sqrt(np.maximum(variance, 0.0)), np.asarray(variance**2 / spread))


def mean_precision(components: VarianceComponents, design: Design) -> Precision:
    return of_mean(expected(components, design), design)


def difference_precision(components: VarianceComponents, design: Design) -> Precision:
    return of_difference(expected(components, design), design)


class Goal(NamedTuple):
    """What a study shall find, between two of its conditions."""

    difference: float
    power: float = 0.8
    alpha: float = ALPHA  # after a correction for several comparisons, where there is one
    conditions: int = 2

    def reached(self, components: VarianceComponents, listeners: Any, items: Any, panels: int) -> Floats:
        """The power of designs."""
        design = Design(listeners, items, self.conditions, panels)
        return difference_precision(components, design).power(self.difference, alpha=self.alpha)


class Costs(NamedTuple):
    """What listening costs, and how much of it there can be."""

    per_hour: float = 15.0
    clip_s: float = 15.0  # one item under one condition, with all that is asked about it
    setup_min: float = 10.0  # of each listener before the first clip
    longest_min: float = 60.0  # of each listener, the setup included
    most_listeners: int = 200
    most_items: int = 200

    def minutes(self, items_each: Any, conditions: int) -> Any:
        """Of one listener."""
        return self.setup_min + items_each * conditions * self.clip_s / 60


class Choice(NamedTuple):
    """A design that reaches a goal, and what it takes."""

    listeners: int
    items: int
    panels: int
    items_each: int
    minutes: float  # of one listener
    hours: float  # of all
    cost: float
    power: float
    half_width: float  # of a difference


def listeners_needed(
    components: VarianceComponents, goal: Goal, items: Iterable[int], *, panels: int = 1, most: int = 200
) -> list[int | None]:
    """The fewest listeners for each number of items, a multiple of the panels; None where `most` is not enough.

    Power grows with listeners, so the place is found by halving.
    """
    counts = np.fromiter(items, dtype=np.int64)
    low, high = np.full(len(counts), FEWEST), np.full(len(counts), most // panels)
    enough = (high >= low) & (goal.reached(components, high * panels, counts, panels) >= goal.power)
    while (low < high).any():
        middle = (low + high) // 2
        found = goal.reached(components, middle * panels, counts, panels) >= goal.power
        low, high = np.where(found, low, np.minimum(middle + 1, high)), np.where(found, middle, high)
    return [count * panels if fits else None for count, fits in zip(high.tolist(), enough.tolist(), strict=True)]


def designs(components: VarianceComponents, goal: Goal, costs: Costs, panels: int) -> list[Choice]:
    """For each number of items that a listener has the time for, the design with the fewest listeners."""
    time_s = (costs.longest_min - costs.setup_min) * 60
    most_each = min(costs.most_items // panels, int(time_s // (goal.conditions * costs.clip_s)))
    each = range(FEWEST, most_each + 1)
    needed = listeners_needed(
        components, goal, (count * panels for count in each), panels=panels, most=costs.most_listeners
    )
    return [
        choice(components, goal, costs, listeners=listeners, items=count * panels, panels=panels)
        for count, listeners in zip(each, needed, strict=True)
        if listeners is not None
    ]


def cheapest(components: VarianceComponents, goal: Goal, costs: Costs, panels: Sequence[int] = PANELS) -> Choice | None:
    """The design that reaches the goal at the least cost, or None where no design within the limits does."""
    found = [each for number in panels for each in designs(components, goal, costs, number)]
    return min(found, key=lambda each: (each.cost, each.listeners, each.items), default=None)


def choice(
    components: VarianceComponents, goal: Goal, costs: Costs, *, listeners: int, items: int, panels: int
) -> Choice:
    """What a design takes and gives."""
    minutes = costs.minutes(items / panels, goal.conditions)
    precision = difference_precision(components, Design(listeners, items, goal.conditions, panels))
    return Choice(
        listeners=listeners,
        items=items,
        panels=panels,
        items_each=items // panels,
        minutes=float(minutes),
        hours=float(listeners * minutes / 60),
        cost=float(listeners * minutes / 60 * costs.per_hour),
        power=float(precision.power(goal.difference, alpha=goal.alpha)),
        half_width=float(precision.half_width()),
    )
