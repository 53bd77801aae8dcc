"""Boundaries compared in continuous time: a hit is a pair that is no further apart than the collar."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analysis.methods.chapters.chunks import f1_of

ROUNDING = 1e-6  # how much further candidates are looked for than the collar; each is then judged exactly


def collar_scores(hypothesis_s: Sequence[float], reference_s: Sequence[float], collar_s: float) -> dict[str, float]:
    """Precision, recall and F1 of the hits. Nothing on either side is perfect, nothing on one side is 0."""
    given, wanted = _sorted(hypothesis_s), _sorted(reference_s)
    if not len(given) or not len(wanted):
        both = 1.0 if len(given) == len(wanted) else 0.0
        return {"collar_precision": both, "collar_recall": both, "collar_f1": both}
    hits = count_hits(given, wanted, collar_s)
    precision, recall = hits / len(given), hits / len(wanted)
    return {"collar_precision": precision, "collar_recall": recall, "collar_f1": f1_of(precision, recall)}


def count_hits(given: np.ndarray, wanted: np.ndarray, collar_s: float) -> int:
    """Pair each boundary at most once, the closest first; of equal distances the earlier reference, then hypothesis.

    That is chunkseg's rule. It is not the pairing with the most hits: of 10 and 13 against 13 and 16 with a collar of
    3, the exact pair is taken first, and 10 and 16 are then too far apart.
    """
    first = np.searchsorted(given, wanted - collar_s - ROUNDING, side="left")
    past = np.searchsorted(given, wanted + collar_s + ROUNDING, side="right")
    counts = past - first
    reference = np.repeat(np.arange(len(wanted)), counts)
    within = np.arange(len(reference)) - np.repeat(np.cumsum(counts) - counts, counts)
    hypothesis = np.repeat(first, counts) + within
    distance = np.abs(given[hypothesis] - wanted[reference])
    near = distance <= collar_s
    order = np.lexsort((hypothesis[near], reference[near], distance[near]))
    free_reference, free_hypothesis = [True] * len(wanted), [True] * len(given)
    hits = 0
    for at, other in zip(reference[near][order].tolist(), hypothesis[near][order].tolist(), strict=True):
        if free_reference[at] and free_hypothesis[other]:
            free_reference[at] = free_hypothesis[other] = False
            hits += 1
    return hits


def _sorted(boundaries_s: Sequence[float]) -> np.ndarray:
    """The first chapter begins at 0, and no boundary lies there."""
    times_s = np.sort(np.asarray(boundaries_s, dtype=float))
    return times_s[times_s > 0]
