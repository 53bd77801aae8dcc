"""Boundary similarity and generalised Hamming distance: what it takes to turn one row of boundaries into another."""

from __future__ import annotations

import numpy as np

from analysis.methods.chapters.chunks import Flags

INSERTION = DELETION = 2.0  # of a boundary, in chunks
SHIFT_A_CHUNK = 1.0


def boundary_similarity(hypothesis: Flags, reference: Flags) -> float:
    """1 less the cost of all edits by their number and that of the matches (Fournier 2013, n_t = 2).

    A boundary missing on one side and present in the next chunk is one transposition, half an edit; any other that has
    no partner is a whole one. Nothing on either side is perfect.
    """
    unmatched = np.flatnonzero(hypothesis != reference)
    transpositions = _neighbours(unmatched, hypothesis)
    additions = len(unmatched) - 2 * transpositions
    matches = int(np.count_nonzero(hypothesis & reference))
    compared = additions + transpositions + matches
    return 1 - (additions + transpositions / 2) / compared if compared else 1.0


def _neighbours(unmatched: np.ndarray[tuple[int, ...], np.dtype[np.intp]], hypothesis: Flags) -> int:
    """Pair unmatched boundaries of opposite sides in adjacent chunks, from left to right.

    In a chain of n that alternate without a gap, the first goes with the second, the third with the fourth: n // 2.
    """
    if not len(unmatched):
        return 0
    side = hypothesis[unmatched]
    linked = (np.diff(unmatched) == 1) & (side[1:] != side[:-1])
    starts = np.flatnonzero(np.concatenate(([True], ~linked)))
    lengths = np.diff(np.append(starts, len(unmatched)))
    return int(np.sum(lengths // 2))


def generalised_hamming(hypothesis: Flags, reference: Flags) -> float:
    """The least cost of inserting, deleting and shifting boundaries (Bookstein, Kulyukin and Raita 2002).

    A row of the table is done at once. Insertions run along a row: cost[j] = min over i <= j of (base[i] + 2 (j - i)),
    a running minimum once 2 j is taken off.
    """
    wanted = np.flatnonzero(reference).astype(float)
    inserted = INSERTION * np.arange(len(wanted) + 1)
    costs = inserted
    for place in np.flatnonzero(hypothesis):
        base = costs + DELETION
        base[1:] = np.minimum(base[1:], costs[:-1] + SHIFT_A_CHUNK * np.abs(wanted - place))
        costs = np.minimum.accumulate(base - inserted) + inserted
    return float(costs[-1])
