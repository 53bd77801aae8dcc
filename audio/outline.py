"""Outline of a whole sound in 64 characters: the largest magnitude in each 64th of it, for small waveforms."""

import numpy as np
from numpy.typing import NDArray

from audio.formats import Samples
from audio.tiles import Peaks

OUTLINE_COLUMNS = 64
# A character stands for the square root of a magnitude in 63 steps, so that quiet sounds keep their form.
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
STEPS = len(ALPHABET) - 1


class OutlineMeter:
    """Takes a sound block by block."""

    def __init__(self, length_samples: int) -> None:
        self._bounds = np.arange(OUTLINE_COLUMNS + 1, dtype=np.int64) * length_samples // OUTLINE_COLUMNS
        self._largest = np.zeros(OUTLINE_COLUMNS)
        self._position = 0

    def feed(self, samples: Samples) -> None:
        start = self._position
        samples = samples[: self._bounds[-1] - start]
        stop = self._position = start + len(samples)
        left, right = self._bounds[:-1], self._bounds[1:]
        here = np.flatnonzero(np.maximum(left, start) < np.minimum(right, stop))
        if len(here):
            channels, edges = np.ascontiguousarray(samples.T), np.maximum(left[here], start) - start
            highest = np.maximum.reduceat(channels, edges, axis=1).max(axis=0)
            lowest = np.minimum.reduceat(channels, edges, axis=1).min(axis=0)
            self._largest[here] = np.maximum(self._largest[here], np.maximum(highest, -lowest))

    def outline(self) -> str:
        return encode_outline(self._largest)


def outline_of(samples: Samples) -> str:
    """The outline of a sound that is in memory."""
    meter = OutlineMeter(len(samples))
    meter.feed(samples)
    return meter.outline()


def outline_of_peaks(bins: Peaks) -> str:
    """The outline of a recording of which there are peaks."""
    meter = OutlineMeter(len(bins))
    meter.feed(bins.astype(np.float32) / np.float32(128))
    return meter.outline()


def encode_outline(magnitudes: NDArray[np.float64]) -> str:
    """One character for each magnitude; full scale is 1, and what is beyond it is drawn as full scale."""
    steps = np.rint(np.sqrt(np.clip(magnitudes, 0, 1)) * STEPS).astype(int)
    return "".join(ALPHABET[step] for step in steps)
