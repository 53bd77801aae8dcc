"""Bit depths: how many bits a sound needs, and dither where it is served with fewer.

Zeros in the lowest bits would tell a condition of 16 bits from one of 24. So all clips of a collection are served with
the depth of the one that has least, but never with less than 16 bits: coarser than that is audible, and a condition.
"""

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from audio.facts import Samples

LEAST_BITS, MOST_BITS = 16, 24
BLOCK = 2**16  # frames that are dithered at a time


class DepthMeter:
    """Finds how many bits the samples need, whatever they are stored in: 16 bits in a file of 24 are 16."""

    def __init__(self, stored_bits: int) -> None:
        self._stored = stored_bits
        self._used = 0  # every bit, of 24, that some sample has
        self._beyond = False  # whether some sample is between the steps of 24 bits, or beyond full scale

    def feed(self, samples: Samples) -> None:
        if self._stored <= LEAST_BITS or self._beyond or self._used & 1:
            return
        scaled = samples * np.float32(2 ** (MOST_BITS - 1))
        if self._stored > MOST_BITS and not _are_steps(scaled):
            self._beyond = True
            return
        self._used |= int(np.bitwise_or.reduce(scaled.astype(np.int32), axis=None))

    @property
    def bits(self) -> int:
        """Silence needs none, and counts as what it is stored in."""
        if self._beyond or not self._used:
            return self._stored
        unused = (self._used & -self._used).bit_length() - 1
        return max(LEAST_BITS, min(MOST_BITS - unused, self._stored))


def depth_of(samples: Samples, stored_bits: int) -> int:
    meter = DepthMeter(stored_bits)
    meter.feed(samples)
    return meter.bits


def common_depth(needed: set[int], origins: set[int]) -> int:
    """With how many bits all clips of a collection are served.

    `needed` are the depths of the sounds, `origins` those of what they were made from: copies at another level of
    sounds with 16 and 24 bits need 24 each, and the steps between their samples would tell them apart.
    """
    return min({MOST_BITS} | needed | (origins if len(origins) > 1 else set()))


def dithered(samples: Samples, bits: int, sha256: str) -> Samples:
    """Samples rounded to steps of so many bits (whole numbers), with triangular dither of two steps from peak to peak.

    The dither follows from the digest of the original, so that a file is always dithered the same. What is silent
    stays silent, as in a file that has so few bits already.
    """
    steps = float(1 << (bits - 1))
    rng = Generator(PCG64(int(sha256, 16)))
    rounded: Samples = np.empty(samples.shape, np.float32)
    for start in range(0, len(samples), BLOCK):
        block = samples[start : start + BLOCK]
        noise: NDArray[np.float64] = rng.random(block.shape) - rng.random(block.shape)
        np.rint(block * steps + np.where(block == 0, 0.0, noise), out=rounded[start : start + BLOCK], casting="unsafe")
    return rounded


def _are_steps(scaled: Samples) -> bool:
    return bool(np.abs(scaled).max(initial=0) <= 2 ** (MOST_BITS - 1) and (scaled == np.rint(scaled)).all())
