"""Two-way bootstrap: listeners and items are drawn anew together, for intervals of condition means and differences."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.statistics.estimates import CONFIDENCE, Floats

ROUNDS = 2000
AT_ONCE = 250  # draws, which bounds the memory


class Drawn(NamedTuple):
    """A mean of votes, or a difference of two, with its percentile interval."""

    estimate: float
    low: float
    high: float


class TwoWayBootstrap(NamedTuple):
    means: dict[Any, Drawn]
    differences: dict[tuple[Any, Any], Drawn]  # the first less the second


def two_way_bootstrap(votes: pd.DataFrame, rng: np.random.Generator, *, rounds: int = ROUNDS) -> TwoWayBootstrap:
    """From rows of listener, item, condition and score: percentiles of condition means over draws.

    A vote counts as often as its listener was drawn times as often as its item was: the pigeonhole bootstrap, which is
    on the safe side where the error of single votes is large (Owen 2007, Annals of Applied Statistics 1(2)). A draw in
    which a condition has no vote counts for nothing in that condition.
    """
    conditions = sorted(votes["condition"].unique())
    counts, sums = _cells(votes, conditions)
    drawn = np.concatenate(
        [_draw(counts, sums, rng, min(AT_ONCE, rounds - start)) for start in range(0, rounds, AT_ONCE)]
    )
    whole = sums.sum(axis=(1, 2)) / counts.sum(axis=(1, 2))
    return TwoWayBootstrap(
        {name: _interval(whole[at], drawn[:, at]) for at, name in enumerate(conditions)},
        {
            (conditions[a], conditions[b]): _interval(whole[a] - whole[b], drawn[:, a] - drawn[:, b])
            for a, b in combinations(range(len(conditions)), 2)
        },
    )


def _cells(votes: pd.DataFrame, conditions: list[Any]) -> tuple[Floats, Floats]:
    """Condition x listener x item: how many votes, and their sum."""
    listener, listeners = pd.factorize(votes["listener"], sort=True)
    item, items = pd.factorize(votes["item"], sort=True)
    condition = pd.Categorical(votes["condition"], categories=conditions).codes.astype(np.int64)
    shape = (len(conditions), len(listeners), len(items))
    cells = np.ravel_multi_index((condition, listener, item), shape)
    size = int(np.prod(shape))
    score = votes["score"].to_numpy(np.float64)
    counts = np.bincount(cells, minlength=size).astype(np.float64).reshape(shape)
    return counts, np.bincount(cells, weights=score, minlength=size).astype(np.float64).reshape(shape)


def _draw(counts: Floats, sums: Floats, rng: np.random.Generator, rounds: int) -> Floats:
    """Draw x condition."""
    _, listeners, items = counts.shape
    people = rng.multinomial(listeners, np.full(listeners, 1 / listeners), size=rounds).astype(np.float64)
    material = rng.multinomial(items, np.full(items, 1 / items), size=rounds).astype(np.float64)
    above, below = (np.einsum("kri,ri->rk", people @ cells, material) for cells in (sums, counts))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(below > 0, above / below, np.nan))


def _interval(estimate: float, drawn: Floats) -> Drawn:
    known = drawn[np.isfinite(drawn)]
    if not len(known):
        return Drawn(float(estimate), float("nan"), float("nan"))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(known, [tail, 1 - tail]).tolist()
    return Drawn(float(estimate), low, high)
