"""The grid of 100 ms blocks and 10 ms windows on which sound is measured, and a stream cut along it."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from audio.facts import Samples

Bounds = NDArray[np.int64]  # counted from the start of the samples that they divide

BLOCKS_PER_S = 10
WINDOWS_PER_BLOCK = 10
WINDOWS_PER_S = BLOCKS_PER_S * WINDOWS_PER_BLOCK


def block_start(number: int, sample_rate_hz: int) -> int:
    """Say where block `number` begins; it ends where the next one begins."""
    return number * sample_rate_hz // BLOCKS_PER_S


def block_from(position: int, sample_rate_hz: int) -> int:
    """Number the first block that begins at this position or later."""
    return -(-position * BLOCKS_PER_S // sample_rate_hz)


def window_bounds(block: int, count: int, sample_rate_hz: int) -> Bounds:
    """Return the bounds of the windows in `count` samples that begin with this block; the last may be shorter."""
    start = block_start(block, sample_rate_hz)
    stop = -(-(start + count) * WINDOWS_PER_S // sample_rate_hz)
    windows = np.arange(block * WINDOWS_PER_BLOCK, stop + 1, dtype=np.int64)
    bounds = windows * sample_rate_hz // WINDOWS_PER_S - start
    bounds[-1] = count
    return bounds


class Framer:
    """Cuts a stream that arrives in pieces of any size into pieces of whole blocks.

    What is computed from these pieces cannot depend on how the stream was fed.
    """

    def __init__(self, sample_rate_hz: int, channels: int, first_block: int = 0) -> None:
        self.block = first_block  # the one that is being collected
        self._rate_hz = sample_rate_hz
        self._held = np.empty((sample_rate_hz // BLOCKS_PER_S + 1, channels), np.float32)
        self._count = 0

    def cut(self, samples: Samples) -> Iterator[tuple[Samples, Bounds]]:
        """Yield whole blocks, first one that was begun before, with the bounds of the windows in them."""
        if self._count:
            missing = self._length(1) - self._count
            taken, samples = samples[:missing], samples[missing:]
            self._hold(taken)
            if len(taken) < missing:
                return
            yield self._next(self.rest(), 1)
            self._count = 0
        start = block_start(self.block, self._rate_hz)
        blocks = block_from(start + len(samples) + 1, self._rate_hz) - 1 - self.block
        length = self._length(blocks)
        if blocks:
            yield self._next(np.require(samples[:length], np.float32, ["C", "W"]), blocks)
        self._hold(samples[length:])

    def rest(self) -> Samples:
        """Return what has been collected of the block that is not whole yet."""
        return self._held[: self._count]

    def _next(self, piece: Samples, blocks: int) -> tuple[Samples, Bounds]:
        bounds = window_bounds(self.block, len(piece), self._rate_hz)
        self.block += blocks
        return piece, bounds

    def _hold(self, samples: Samples) -> None:
        self._held[self._count : self._count + len(samples)] = samples
        self._count += len(samples)

    def _length(self, blocks: int) -> int:
        """Count the samples in the next so many blocks."""
        return block_start(self.block + blocks, self._rate_hz) - block_start(self.block, self._rate_hz)
