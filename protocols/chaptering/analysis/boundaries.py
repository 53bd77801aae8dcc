"""Boundary metrics: by chunks, in a collar, by edits (boundary similarity, Hamming), by windows (Pk, WindowDiff)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _

Flags = npt.NDArray[np.bool_]

MOST_CHUNKS = 20_000_000  # a day at 5 ms; more is a slip of the pen, and would take all memory


class ChaptersOptionUnfit(AppError):
    """An option of the evaluation that means nothing; in a file it becomes the problem of its line."""

    def __init__(self, *, option: str, value: object, remedy: str) -> None:
        super().__init__(
            "chapters.option",
            422,
            _("{option} cannot be '{value}'. {remedy}"),
            option=option,
            value=value,
            remedy=remedy,
        )


def chunk_count(duration_s: float, chunk_s: float) -> int:
    """Count whole chunks; what is left at the end belongs to none."""
    count = duration_s / chunk_s
    if count > MOST_CHUNKS:
        remedy = LazyMessage("{duration} s have too many such chunks; choose larger ones.", duration=duration_s)
        raise ChaptersOptionUnfit(option=LazyMessage("The chunk size"), value=chunk_s, remedy=remedy)
    return math.floor(count)


def flags(boundaries_s: Sequence[float], duration_s: float, chunk_s: float) -> Flags:
    """Mark the chunks that hold a boundary. One exactly at the end of the last chunk belongs to that chunk.

    The first chapter begins at 0, and no boundary lies there.
    """
    count = chunk_count(duration_s, chunk_s)
    times_s = np.asarray(boundaries_s, dtype=float)
    kept_s = times_s[(times_s > 0) & (times_s <= count * chunk_s)]
    marked = np.zeros(count, dtype=np.bool_)
    if count:
        marked[np.minimum((kept_s / chunk_s).astype(np.int64), count - 1)] = True
    return marked


def f1_of(precision: float, recall: float) -> float:
    """Their harmonic mean; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def chunk_scores(hypothesis: Flags, reference: Flags) -> dict[str, float]:
    """Classify chunk by chunk; a share of nothing is 0, as chunkseg has it."""
    true = int(np.count_nonzero(hypothesis & reference))
    given, wanted, total = int(np.count_nonzero(hypothesis)), int(np.count_nonzero(reference)), len(reference)
    quiet = total - wanted
    rejected = total - given - wanted + true  # chunks without a boundary on either side
    precision, recall = _share(true, given), _share(true, wanted)
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1_of(precision, recall),
        "accuracy": _share(true + rejected, total),
        "specificity": _share(rejected, quiet),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


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


NARROWEST = 2


def window_size(reference: Flags) -> int:
    """Half the mean segment of the reference, in chunks, half to even (Beeferman, Berger and Lafferty 1999)."""
    units, segments = len(reference) + 1, int(np.count_nonzero(reference)) + 1
    return max(NARROWEST, round(units / (2 * segments)))


def window_scores(hypothesis: Flags, reference: Flags) -> dict[str, float]:
    """Compute both; a recording that is not longer than the window has nothing to disagree about, and gets 0.

    A flag is a boundary between two units, so there is one unit more than there are chunks. Pk asks whether the ends of
    a window lie in one segment, WindowDiff (Pevzner and Hearst 2002) how many boundaries lie between them.
    """
    width = window_size(reference)
    if len(reference) + 1 <= width:
        return {"pk": 0.0, "window_diff": 0.0}
    found, wanted = _between(hypothesis, width), _between(reference, width)
    return {
        "pk": float(np.mean((found == 0) != (wanted == 0))),
        "window_diff": float(np.mean(found != wanted)),
    }


def _between(marked: Flags, width: int) -> npt.NDArray[np.int64]:
    """How many boundaries lie between the ends of each window."""
    segment = np.concatenate(([0], np.cumsum(marked, dtype=np.int64)))
    return segment[width:] - segment[:-width]
