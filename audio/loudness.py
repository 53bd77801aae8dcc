"""Loudness out of the energy of 100 ms blocks: the gates of ITU-R BS.1770-4 and EBU Tech 3342, and usual targets."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.errors import gettext_noop
from audio.formats import Samples

Energies = NDArray[np.float64]  # of K-weighted sound, summed over the weighted channels
Levels = NDArray[np.float64]

MOMENTARY_BLOCKS = 4  # 400 ms
SHORT_TERM_BLOCKS = 30  # 3 s (EBU Tech 3341)
OFFSET_DB = -0.691  # makes a 997 Hz sine at full scale read -3.01 LUFS (BS.1770-4, annex 1)
ABSOLUTE_GATE_LUFS = -70.0
RELATIVE_GATE_LU = -10.0
RANGE_GATE_LU = -20.0  # EBU Tech 3342
RANGE_PERCENTILES = (10, 95)


def lufs(energy: Energies) -> Levels:
    """Return energies as levels; no energy is -inf."""
    with np.errstate(divide="ignore"):
        return OFFSET_DB + 10 * np.log10(energy)


def momentary_lufs(blocks: Energies) -> Levels:
    return lufs(sliding_sums(blocks, MOMENTARY_BLOCKS) / MOMENTARY_BLOCKS)


def short_term_lufs(blocks: Energies) -> Levels:
    return lufs(sliding_sums(blocks, SHORT_TERM_BLOCKS) / SHORT_TERM_BLOCKS)


def loudest(levels: Levels) -> float | None:
    """Return the highest of some levels, or None if there is none or all is silent."""
    highest = float(levels.max(initial=-math.inf))
    return highest if math.isfinite(highest) else None


def integrated_lufs(blocks: Energies) -> float | None:
    """Return the gated loudness of a whole programme; None below 0.4 s and where nothing is louder than -70 LUFS."""
    energy = sliding_sums(blocks, MOMENTARY_BLOCKS) / MOMENTARY_BLOCKS
    energy = energy[energy > _energy(ABSOLUTE_GATE_LUFS)]
    if not len(energy):
        return None
    loud = energy[energy > energy.mean() * 10 ** (RELATIVE_GATE_LU / 10)]
    return float(lufs(loud.mean()))


def loudness_range_lu(blocks: Energies) -> float | None:
    """Return the range between the 10th and 95th percentile of gated short-term loudness; None below 3 s."""
    energy = sliding_sums(blocks, SHORT_TERM_BLOCKS) / SHORT_TERM_BLOCKS
    energy = energy[energy >= _energy(ABSOLUTE_GATE_LUFS)]
    if not len(energy):
        return None
    energy = np.sort(energy[energy >= energy.mean() * 10 ** (RANGE_GATE_LU / 10)])
    # The nearest rank, a half rounded up, as in the annex of Tech 3342.
    low, high = (lufs(energy[(2 * (len(energy) - 1) * percent + 100) // 200]) for percent in RANGE_PERCENTILES)
    return float(high - low)


def sliding_sums(energies: Energies, count: int) -> Energies:
    """Return the sum of every `count` neighbours, each added in the same order, wherever the row begins."""
    sums = np.zeros(max(len(energies) - count + 1, 0))
    for first in range(count):
        sums += energies[first : first + len(sums)]
    return sums


def _energy(level_lufs: float) -> float:
    return float(10 ** ((level_lufs - OFFSET_DB) / 10))


# --- Blocks and windows -----------------------------------------------------------------------------------------------


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


# --- Targets ----------------------------------------------------------------------------------------------------------


TRUE_PEAK_LIMIT_DBTP = -1.0  # EBU R 128


@dataclass(frozen=True)
class Preset:
    """A level that others use too."""

    slug: str
    title: str  # to be translated
    target_lufs: float


PRESETS = (
    Preset("udase", gettext_noop("UDASE (CHiME-7 listening test)"), -30.0),
    Preset("ebu-r128", "EBU R 128", -23.0),
    # P.56 measures active speech in dBov. For speech, -26 LUFS comes close to its -26 dBov; it is not the same measure.
    Preset("p56", gettext_noop("Close to -26 dBov of ITU-T P.56"), -26.0),
)
