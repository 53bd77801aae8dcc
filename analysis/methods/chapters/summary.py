"""Values of a whole set, with percentile intervals of a seeded bootstrap over its items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.methods.chapters.catalogue import METRICS, Pooling
from analysis.methods.chapters.evaluation import Scored

Floats = npt.NDArray[np.float64]

CONFIDENCE = 0.95
TAILS = 100 * (1 - CONFIDENCE) / 2, 100 * (1 + CONFIDENCE) / 2
METHOD = "percentile bootstrap over items, 95 %"
WEIGHTS_AT_ONCE = 2_000_000


def summarise(items: Sequence[Scored], *, rounds: int, seed: int) -> dict[str, dict[str, Any]]:
    """Pool every metric that any item has, and say how sure that is.

    `mean` is pooled as the catalogue says, over the `n` items that have the metric. Items are drawn anew with
    replacement, all their metrics together; `std` is the standard deviation of the pooled values so drawn, that is, the
    standard error, and `ci_lower` and `ci_upper` are their 2.5 and 97.5 percentiles. One item has neither: null, not 0.
    """
    measured = [item for item in items if item.metrics]
    if not measured:
        return {}
    table = _Table(measured)
    observed = table.pooled(np.ones((1, len(measured))))
    blocks = [table.pooled(weights) for weights in draws(len(measured), rounds, np.random.default_rng(seed))]
    return {
        name: {
            "mean": float(values[0]),
            **spread(np.concatenate([block[name] for block in blocks]), table.counts[name]),
            "n": table.counts[name],
        }
        for name, values in observed.items()
    }


def spread(drawn: Floats, count: int) -> dict[str, float | None]:
    """The standard error and the interval of drawn values; a draw that held no item with the metric says nothing."""
    told = drawn[~np.isnan(drawn)]
    if count < 2 or not len(told):
        return {"std": None, "ci_lower": None, "ci_upper": None}
    lower, upper = np.percentile(told, TAILS)
    return {"std": float(np.std(told)), "ci_lower": float(lower), "ci_upper": float(upper)}


def draws(count: int, rounds: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield how often each item is in each sample drawn with replacement, in blocks that fit the memory."""
    at_once = max(1, WEIGHTS_AT_ONCE // count)
    for start in range(0, rounds, at_once):
        size = min(at_once, rounds - start)
        drawn = rng.integers(0, count, (size, count)) + count * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count).astype(float)


class _Table:
    """For each metric a column of numerators and one of denominators, so that every pooled value is a ratio of sums."""

    def __init__(self, items: Sequence[Scored]) -> None:
        self.counts = {name: sum(name in item.metrics for item in items) for name in METRICS}
        self.names = [name for name, count in self.counts.items() if count]
        terms = [[_terms(item, name) for name in self.names] for item in items]
        self.numerators, self.denominators = np.moveaxis(np.array(terms, dtype=float), 2, 0)

    def pooled(self, weights: Floats) -> dict[str, Floats]:
        """Pool each metric under each row of weights; NaN where all that counts has no weight."""
        sums, totals = weights @ self.numerators, weights @ self.denominators
        values = np.divide(sums, totals, out=np.full_like(sums, np.nan), where=totals > 0)
        pooled = dict(zip(self.names, values.T, strict=True))
        for name in self.names:
            if METRICS[name].pooling is Pooling.HARMONIC:
                pooled[name] = _harmonic(pooled["precision"], pooled["recall"])
        return pooled


def _terms(item: Scored, name: str) -> tuple[float, float]:
    if name not in item.metrics:
        return 0.0, 0.0
    if METRICS[name].pooling is Pooling.MICRO and item.words:
        return item.words
    return item.metrics[name], 1.0


def _harmonic(one: Floats, other: Floats) -> Floats:
    total = one + other
    return np.divide(2 * one * other, total, out=np.zeros_like(total), where=total > 0)
