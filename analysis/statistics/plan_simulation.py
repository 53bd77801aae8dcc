"""Simulated studies: votes drawn from variance components, rounded and cut to a scale, and tested as planned."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from analysis.statistics.estimates import Floats
from analysis.statistics.planning import (
    ALPHA,
    Design,
    MeanSquares,
    Precision,
    degrees_of_freedom,
    of_difference,
    of_mean,
)
from rating.variance import VarianceComponents

AT_ONCE = 2_000_000  # votes, which bounds the memory


class Grid(NamedTuple):
    """The votes that can be given: from `low` to `high` in steps; a step of 0 rounds and cuts nothing."""

    low: float
    high: float
    step: float = 1.0

    def rounded(self, values: Floats) -> Floats:
        if not self.step:
            return values
        steps = np.rint((values - self.low) / self.step)
        return np.asarray(np.clip(self.low + steps * self.step, self.low, self.high))


class Simulated(NamedTuple):
    rounds: int
    power: float  # the share of studies that found a difference in either direction
    power_se: float  # the Monte Carlo error of that share
    difference: float  # the mean of the differences that were found, smaller than the true one where votes are cut
    mean_half_width: float
    difference_half_width: float
    at_ends: float  # the share of votes at either end of the scale


def simulate_studies(
    components: VarianceComponents,
    design: Design,
    grid: Grid,
    rng: np.random.Generator,
    *,
    difference: float,
    mean: float,
    alpha: float = ALPHA,
    rounds: int = 1000,
) -> Simulated:
    """Draw whole studies. Two conditions lie half the difference above and below the mean, further ones at it."""
    latent = components.before_rounding(grid.step)
    centres = np.full(design.conditions, float(mean))
    centres[:2] += np.array([0.5, -0.5]) * difference
    chunk = max(1, int(AT_ONCE // (design.votes * design.conditions)))
    parts = [
        _studies(latent, design, grid, centres, rng, alpha, min(chunk, rounds - start))
        for start in range(0, rounds, chunk)
    ]
    found, differences, of_means, of_differences, at_ends = np.concatenate(parts, axis=1)
    power = float(found.mean())
    return Simulated(
        rounds=rounds,
        power=power,
        power_se=math.sqrt(power * (1 - power) / rounds),
        difference=float(differences.mean()),
        mean_half_width=float(of_means.mean()),
        difference_half_width=float(of_differences.mean()),
        at_ends=float(at_ends.mean()),
    )


def _studies(
    components: VarianceComponents,
    design: Design,
    grid: Grid,
    centres: Floats,
    rng: np.random.Generator,
    alpha: float,
    rounds: int,
) -> Floats:
    """Found or not, difference, half widths and share at the ends x study."""
    votes = grid.rounded(draw_votes(components, design, centres, rng, rounds))
    squares = mean_squares(votes)
    precision = estimated_difference_precision(squares, design)
    cells = votes.mean(axis=(1, 2, 3))
    difference = cells[:, 0] - cells[:, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        p = 2 * stdtr(precision.df, -np.abs(difference) / precision.se)
    ends = (votes <= grid.low) | (votes >= grid.high)
    return np.stack(
        [
            (p < alpha).astype(np.float64),
            difference,
            of_mean(_raised(squares), design).half_width(),
            precision.half_width(),
            ends.mean(axis=(1, 2, 3, 4)),
        ]
    )


def draw_votes(
    components: VarianceComponents, design: Design, centres: Floats, rng: np.random.Generator, rounds: int
) -> Floats:
    """Study x panel x listener x item x condition, not rounded."""
    panels, k = design.panels, len(centres)
    people, things = design.listeners // panels, design.items // panels
    shapes = (
        (rounds, panels, people, 1, 1),
        (rounds, panels, 1, things, 1),
        (rounds, panels, people, 1, k),
        (rounds, panels, 1, things, k),
        (rounds, panels, people, things, k),
    )
    return sum(
        (rng.normal(0.0, math.sqrt(variance), shape) for variance, shape in zip(components, shapes, strict=True)),
        start=np.asarray(centres, dtype=np.float64),
    )


def mean_squares(votes: Floats) -> MeanSquares:
    """Of study x panel x listener x item x condition, within panels and one of each for every study."""
    _, panels, people, things, k = votes.shape
    by_listener, by_item = votes.mean(axis=3, keepdims=True), votes.mean(axis=2, keepdims=True)
    by_condition = votes.mean(axis=(2, 3), keepdims=True)

    def total(deviations: Floats, each: int) -> Floats:
        return np.asarray(each * np.einsum("rplik,rplik->r", deviations, deviations))

    def across(means: Floats) -> Floats:
        """Without what a listener or an item adds in every condition."""
        about = means - by_condition
        return np.asarray(about - about.mean(axis=4, keepdims=True))

    def overall(means: Floats) -> Floats:
        return np.asarray((means - by_condition).mean(axis=4, keepdims=True))

    sums = MeanSquares(
        listener=total(overall(by_listener), things * k),
        item=total(overall(by_item), people * k),
        listener_condition=total(across(by_listener), things),
        item_condition=total(across(by_item), people),
        residual=total(votes - by_listener - by_item + by_condition, 1),
    )
    df = degrees_of_freedom(Design(people * panels, things * panels, k, panels))
    return MeanSquares(*(value / max(each, 1) for value, each in zip(sums, df, strict=True)))


def estimated_difference_precision(squares: MeanSquares, design: Design) -> Precision:
    """As REML has it for a balanced design: a component whose estimate would be below 0 is dropped, and pooled."""
    df = degrees_of_freedom(design)
    whole = of_difference(squares, design)
    pooled = _pooled(squares, df, "listener_condition", "residual"), _pooled(squares, df, "item_condition", "residual")
    everything = _pooled(squares, df, "listener_condition", "item_condition", "residual")
    no_listener = squares.listener_condition < squares.residual
    no_item = squares.item_condition < squares.residual
    by_item = no_listener & (squares.item_condition >= pooled[0])
    by_listener = no_item & (squares.listener_condition >= pooled[1]) & ~by_item
    neither = (no_listener | no_item) & ~by_item & ~by_listener
    chosen = [by_item, by_listener, neither]
    variance = [squares.item_condition, squares.listener_condition, everything]
    degrees = [
        np.full_like(whole.df, each)
        for each in (
            df.item_condition,
            df.listener_condition,
            df.listener_condition + df.item_condition + df.residual,
        )
    ]
    se = np.select(chosen, [np.sqrt(2 * each / design.votes) for each in variance], whole.se)
    return Precision(se, np.select(chosen, degrees, whole.df))


def _pooled(squares: MeanSquares, df: MeanSquares, *names: str) -> Floats:
    above = sum(getattr(squares, name) * getattr(df, name) for name in names)
    return np.asarray(above / sum(getattr(df, name) for name in names))


def _raised(squares: MeanSquares) -> MeanSquares:
    """No mean square below one that it is expected to contain."""
    people = np.maximum(squares.listener_condition, squares.residual)
    things = np.maximum(squares.item_condition, squares.residual)
    return MeanSquares(
        listener=np.maximum(squares.listener, people),
        item=np.maximum(squares.item, things),
        listener_condition=people,
        item_condition=things,
        residual=squares.residual,
    )
