"""A day of sound for benchmarks: beds of noise that rise and fall with the hours, calls and knocks; deterministic."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfilt

RATE_HZ = 44_100
BLOCK_S = 10
BED_S = 97  # a prime number of seconds, so that the beds never repeat together
BEDS_HZ = ((20, 200), (100, 1_200), (800, 5_000), (3_500, 7_500), (30, 15_000))

Signal = NDArray[np.float32]


def soundscape(*, hours: float, first_hour: float = 5.0, seed: int = 1) -> Iterator[Signal]:
    """Yield blocks of ten seconds, mono, at most full scale; five in the morning is the busiest hour."""
    rng = np.random.default_rng(seed)
    beds = [_bed(rng, low_hz, high_hz) for low_hz, high_hz in BEDS_HZ]
    calls = [_call(rng) for _ in range(120)] + [_knock(rng) for _ in range(60)]
    length = BLOCK_S * RATE_HZ
    for number in range(round(hours * 3600 / BLOCK_S)):
        hour = (first_hour + number * BLOCK_S / 3600) % 24
        block = _beds_at(beds, hour, number, length)
        for _ in range(rng.poisson(1 + 25 * np.exp(-(((hour - 5.5) / 1.5) ** 2)))):
            call = calls[rng.integers(len(calls))]
            at = int(rng.integers(0, length - len(call)))
            block[at : at + len(call)] += call * np.float32(10 ** (rng.uniform(-45, -12) / 20))
        yield np.clip(block, -1, 1)


def _beds_at(beds: list[Signal], hour: float, number: int, length: int) -> Signal:
    day = 0.5 - 0.5 * np.cos(2 * np.pi * (hour - 3) / 24)  # 0 at three in the morning, 1 at three in the afternoon
    levels_db = (-38 + 14 * day, -44 + 18 * day, -52 + 16 * day, -50 + 14 * np.exp(-(((hour - 21) / 3) ** 2)), -62.0)
    block = np.zeros(length, np.float32)
    for order, (bed, level_db) in enumerate(zip(beds, levels_db, strict=True)):
        start = (number * length * (order + 1) + order * 7919 * RATE_HZ) % len(bed)
        block += np.take(bed, np.arange(start, start + length), mode="wrap") * np.float32(10 ** (level_db / 20))
    return block


def _bed(rng: np.random.Generator, low_hz: float, high_hz: float) -> Signal:
    band = butter(2, [low_hz, high_hz], btype="band", output="sos", fs=RATE_HZ)
    noise = sosfilt(band, rng.standard_normal(BED_S * RATE_HZ))
    return np.asarray(noise / np.sqrt(np.mean(noise**2)), np.float32)


def _call(rng: np.random.Generator) -> Signal:
    """A chirp, as of a bird."""
    duration_s = rng.uniform(0.05, 0.8)
    time_s = np.arange(int(duration_s * RATE_HZ)) / RATE_HZ
    low_hz = rng.uniform(1_500, 7_500)
    sweep_hz = low_hz * (rng.uniform(0.6, 1.5) - 1)
    phase = 2 * np.pi * (low_hz * time_s + sweep_hz * time_s**2 / (2 * duration_s))
    return (np.hanning(len(time_s)) * np.sin(phase)).astype(np.float32)


def _knock(rng: np.random.Generator) -> Signal:
    """A burst of noise that dies away, as of a door."""
    time_s = np.arange(int(rng.uniform(0.05, 0.6) * RATE_HZ)) / RATE_HZ
    return (rng.standard_normal(len(time_s)) * np.exp(-time_s * rng.uniform(10, 80))).astype(np.float32)
