"""Silence detection: where a recording is quiet for a while, to the sample, at several thresholds."""

import numpy as np
from numpy.typing import NDArray

from audio.clock import DEPTHS, Runs
from audio.compiled import compiled
from audio.formats import Samples

SHORTEST_S = 1.0
WINDOW_SAMPLES = 512
MAGNITUDE = np.int32(0x7FFFFFFF)  # of a float32: all but the sign; magnitudes are ordered as their bits are


class QuietRuns:
    """Finds the runs in a segment that arrives in pieces.

    A run at the start or the end of the segment is kept however short it is: it may go on in the next.
    """

    def __init__(self, *, sample_rate_hz: int, start: int) -> None:
        self._shortest = int(SHORTEST_S * sample_rate_hz)
        self._start = self._position = start
        self._last_loud = np.full(len(DEPTHS), start - 1, np.int64)
        self._runs: list[Runs] = []

    def feed(self, samples: Samples) -> None:
        found = np.empty((len(DEPTHS) * (len(samples) // WINDOW_SAMPLES + 1), 3), np.int64)
        flat = np.require(samples, np.float32, ["C", "W"]).reshape(-1)
        place = (self._position, self._start, self._shortest)
        count = _scan(flat, samples.shape[1], place, DEPTHS, self._last_loud, found)
        self._runs.append(found[:count].copy())
        self._position += len(samples)

    def runs(self) -> Runs:
        """Return all runs, in the order of their ends."""
        open_still = [
            (depth, last + 1, self._position) for depth, last in enumerate(self._last_loud) if last + 1 < self._position
        ]
        return np.concatenate([*self._runs, np.array(open_still, np.int64).reshape(-1, 3)])


@compiled
def _scan(
    flat: NDArray[np.float32],
    channels: int,
    place: tuple[int, int, int],
    depths: NDArray[np.float32],
    last_loud: NDArray[np.int64],
    found: Runs,
) -> int:
    """Note runs that end in these samples, and where each depth was last passed; return how many were noted."""
    position, start, shortest = place
    bits, limits = flat.view(np.int32), depths.view(np.int32)
    count = 0
    for window in range(0, flat.shape[0], WINDOW_SAMPLES * channels):
        stop = min(window + WINDOW_SAMPLES * channels, flat.shape[0])
        loudest = _loudest(bits, window, stop)
        for depth in range(depths.shape[0]):
            if loudest < limits[depth]:
                continue
            begins = last_loud[depth] + 1
            least = 1 if begins == start else shortest
            last_loud[depth] = position + _beyond(bits, stop - 1, -1, limits[depth]) // channels
            if position + stop // channels - begins < least:
                continue
            ends = position + _beyond(bits, window, 1, limits[depth]) // channels
            if ends - begins >= least:
                found[count, 0], found[count, 1], found[count, 2] = depth, begins, ends
                count += 1
    return count


@compiled
def _loudest(bits: NDArray[np.int32], start: int, stop: int) -> np.int32:
    loudest = np.int32(0)
    for i in range(np.uint64(start), np.uint64(stop)):
        loudest = max(loudest, bits[i] & MAGNITUDE)
    return loudest


@compiled
def _beyond(bits: NDArray[np.int32], at: int, step: int, limit: np.int32) -> int:
    """Walk to the next magnitude that is not below the limit; there is one."""
    while bits[at] & MAGNITUDE < limit:
        at += step
    return at
