"""Pk and WindowDiff: a window of fixed width slides over both segmentations and asks where they disagree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.methods.chapters.chunks import Flags

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
