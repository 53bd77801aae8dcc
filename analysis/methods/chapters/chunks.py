"""Time cut into chunks: which of them hold a boundary, and how two such rows of flags agree one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from analysis.methods.chapters.errors import ChaptersOptionUnfit
from core.clauses import clause

Flags = npt.NDArray[np.bool_]

MOST_CHUNKS = 20_000_000  # a day at 5 ms; more is a slip of the pen, and would take all memory


def chunk_count(duration_s: float, chunk_s: float) -> int:
    """Count whole chunks; what is left at the end belongs to none."""
    count = duration_s / chunk_s
    if count > MOST_CHUNKS:
        remedy = clause("{duration} s have too many such chunks; choose larger ones.", duration=duration_s)
        raise ChaptersOptionUnfit(option=clause("The chunk size"), value=chunk_s, remedy=remedy)
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
