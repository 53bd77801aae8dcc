"""Runs of quiet at several depths, as they were found in the stretches of a recording."""

import numpy as np
from numpy.typing import NDArray

# -60, -72 and -84 dBFS. A silence that somebody put in is at the last, but for what a codec adds; a quiet night is not.
DEPTHS = np.array([1e-3, 2.5e-4, 6e-5], np.float32)

Runs = NDArray[np.int64]  # one row a run: the depth's number, the first sample, the one after the last


def joined(runs: Runs, depth: int, shortest: int) -> list[tuple[int, int]]:
    """Return the runs of one depth from all stretches in order, those that meet as one, without the short ones."""
    whole: list[tuple[int, int]] = []
    for start, stop in runs[runs[:, 0] == depth, 1:].tolist():
        if whole and whole[-1][1] == start:
            whole[-1] = (whole[-1][0], stop)
        else:
            whole.append((start, stop))
    return [(start, stop) for start, stop in whole if stop - start >= shortest]
