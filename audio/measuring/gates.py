"""Loudness out of the energy of blocks: the gates of ITU-R BS.1770-4 and EBU Tech 3342."""

import math

import numpy as np
from numpy.typing import NDArray

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
