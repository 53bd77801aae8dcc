"""Simulated votes, each table by its seed, on which the figures of R were made; run as a module, it writes them as CSV.

python -m tests.analysis.statistics.reference.votes FOLDER && Rscript make_figures.R FOLDER figures.json
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

Chosen = Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]


def simulate(
    *,
    seed: int,
    shape: tuple[int, int, int],
    deviations: tuple[float, float, float, float, float],
    choose: Chosen = lambda votes, rng: votes,
    grid: tuple[float, float, float] = (1.0, 5.0, 1.0),
) -> pd.DataFrame:
    """Votes of listeners on items under conditions, rounded and cut to a scale of lowest, highest and step.

    The deviations are those of listener, item, listener:condition, item:condition and error.
    """
    rng = np.random.default_rng(seed)
    listeners, items, conditions = shape
    cells = pd.MultiIndex.from_product([range(size) for size in shape], names=["listener", "item", "condition"])
    votes = choose(cells.to_frame(index=False), rng)
    by_listener, by_item, by_listener_condition, by_item_condition, error = deviations
    means = 3 + 0.4 * np.arange(conditions) / max(conditions - 1, 1)
    score = (
        means[votes["condition"]]
        + rng.normal(0, by_listener, listeners)[votes["listener"]]
        + rng.normal(0, by_item, items)[votes["item"]]
        + rng.normal(0, by_listener_condition, (listeners, conditions))[votes["listener"], votes["condition"]]
        + rng.normal(0, by_item_condition, (items, conditions))[votes["item"], votes["condition"]]
        + rng.normal(0, error, len(votes))
    )
    lowest, highest, step = grid
    scaled = lowest + (score - 1) / 4 * (highest - lowest)
    return votes.assign(score=np.clip(np.round(scaled / step) * step, lowest, highest))


def _with_gaps(votes: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """A third missing at random, one listener without one condition, some votes doubled; panels and orders."""
    kept = votes[(rng.random(len(votes)) > 1 / 3) & ~((votes["listener"] == 3) & (votes["condition"] == 1))]
    kept = pd.concat([kept, kept.sample(n=40, random_state=5)], ignore_index=True)
    orders = np.where(rng.random(len(kept)) < 0.4, "BAK first", "SIG first")
    return kept.assign(panel=kept["listener"] % 3, order=orders)


def _few_items_each(votes: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Ten of the items for each listener, under all conditions, of which one vote in twenty is missing."""
    listeners, items = votes["listener"].nunique(), votes["item"].nunique()
    heard = rng.random((listeners, items)).argsort(axis=1).argsort(axis=1) < 10
    return votes[heard[votes["listener"], votes["item"]] & (rng.random(len(votes)) > 0.05)].reset_index(drop=True)


def _three_times(votes: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return pd.concat([votes] * 3, ignore_index=True)


TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "balanced": lambda: simulate(seed=1, shape=(12, 16, 4), deviations=(0.45, 0.5, 0.3, 0.3, 0.6)),
    "unbalanced": lambda: simulate(seed=2, shape=(14, 18, 3), deviations=(0.45, 0.5, 0.4, 0.3, 0.6), choose=_with_gaps),
    "zero": lambda: simulate(seed=3, shape=(10, 12, 4), deviations=(0.5, 0.5, 0.3, 0.0, 0.8)),
    "one_item": lambda: simulate(seed=4, shape=(15, 1, 4), deviations=(0.5, 0.0, 0.4, 0.0, 0.6), choose=_three_times),
    "sparse": lambda: simulate(
        seed=5, shape=(400, 500, 3), deviations=(0.45, 0.55, 0.3, 0.3, 0.6), choose=_few_items_each
    ),
    "continuous": lambda: simulate(
        seed=6, shape=(9, 5, 8), deviations=(0.3, 0.4, 0.4, 0.3, 0.5), grid=(0.0, 100.0, 1.0)
    ),
    "two_conditions": lambda: simulate(seed=7, shape=(8, 10, 2), deviations=(0.6, 0.4, 0.5, 0.4, 0.5)),
}

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name, table in TABLES.items():
        table().to_csv(folder / f"{name}.csv", index=False)
