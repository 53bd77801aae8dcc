"""Greedy counts, for pools so finely divided that the solver finds none in time; never called optimal."""

from random import Random
from typing import TYPE_CHECKING, Any

from listening.design.subsets.pool import Counts, Pool

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


def greedy_counts(pool: Pool, rng: Random) -> Counts:
    """Fill the subsets by turns, each time with an item of the cell whose margins lag behind most.

    This is minimisation as in clinical trials (Pocock and Simon 1975), with the pool's proportions as the aim.
    """
    import numpy as np

    counts = np.array([[quota.low] * pool.subsets for quota in pool.cells])
    left = np.array([quota.pool for quota in pool.cells]) - counts.sum(axis=1)
    most = np.array([quota.high for quota in pool.cells])
    margins_of = _margins_of_cells(pool)
    exact = np.array([quota.exact / quota.units for quota in pool.margins])
    ahead = np.array([[sum(counts[cell, 0] for cell in part)] * pool.subsets for part in pool.members], dtype=float)
    ahead = ahead.reshape(len(exact), pool.subsets) - exact[:, None]
    missing = pool.size - int(counts[:, 0].sum())
    chance = np.array([rng.random() / 1000 for _ in pool.cells])  # decides between cells that are alike
    for subset in [subset for _ in range(missing) for subset in range(pool.subsets)]:
        score = ahead[margins_of, subset].sum(axis=1) + chance
        score[counts[:, subset] >= most] += len(exact) * pool.size  # a cell is overdrawn only if all others are used up
        score[left == 0] = np.inf
        cell = int(score.argmin())
        counts[cell, subset] += 1
        left[cell] -= 1
        ahead[margins_of[cell], subset] += 1
    return [[int(one) for one in row] for row in counts]


def _margins_of_cells(pool: Pool) -> "Array":
    """List the margins of each cell: one level of every factor."""
    import numpy as np

    found: list[list[int]] = [[] for _ in pool.cells]
    for margin, members in enumerate(pool.members):
        for cell in members:
            found[cell].append(margin)
    return np.array(found, dtype=int).reshape(len(pool.cells), -1)
