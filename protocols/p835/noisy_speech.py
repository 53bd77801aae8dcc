"""The sound of the P.835 demo: a pool of babbled samples in noise, four ways of cleaning them, and references; pure.

The pool has the size and the factors of the CHiME-7 UDASE listening test: 220 samples from two sessions, three rooms
and three mixes of talkers. Nothing here was recorded: every sample is made of numbers, and short, to be made quickly.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from audio.synthesis import levelled, speak

Sound = NDArray[np.float64]

RATE_HZ = 8000
DURATION_S = 0.6
UTTERANCES, SPEEDS = 44, (0.88, 0.94, 1.0, 1.07, 1.14)  # an utterance at five speeds is five voices for one
SNR_DB = 6.0
POOL = {
    "session": {"S01": 112, "S21": 108},
    "location": {"dining": 77, "living": 70, "kitchen": 73},
    "sex": {"FM": 169, "F": 25, "M": 26},
}
TALKERS = ("f1", "f2", "m1", "m2")


@dataclass(frozen=True)
class Cleaning:
    """What a system does: how much of the noise it takes away, and what it does to the speech meanwhile."""

    noise_db: float
    musical: float = 0.0  # how strongly noise follows the speech, as in a modulated noise reference unit
    dulled: float = 0.0  # how much of every sample is its neighbour's


SYSTEMS = {
    "C0": Cleaning(noise_db=0),
    "C1": Cleaning(noise_db=-12, musical=0.1),
    "C2": Cleaning(noise_db=-18, musical=0.4),
    "C3": Cleaning(noise_db=-6, dulled=0.6),
    "C4": Cleaning(noise_db=-9, musical=0.2, dulled=0.3),
}
# Twelve references span both scales: from clean to noisy, from clear to distorted, and both at once.
REFERENCES = {
    f"i{number:02d}": Cleaning(noise_db=noise_db, musical=musical)
    for number, (noise_db, musical) in enumerate(
        [
            *((-60, 0.0), (6, 0.0), (0, 0.0), (-6, 0.0), (-12, 0.0)),
            *((-60, 0.15), (-60, 0.35), (-60, 0.7), (-60, 1.2)),
            *((0, 0.35), (-6, 0.7), (6, 1.2)),
        ],
        start=1,
    )
}


def pool() -> list[tuple[str, Mapping[str, str]]]:
    """The samples by name with their factors; every factor has exactly as many of each level as POOL says."""
    rng = Random("the pool of the demo")
    columns = {}
    for factor, levels in POOL.items():
        column = [level for level, count in levels.items() for _ in range(count)]
        rng.shuffle(column)
        columns[factor] = column
    rows = zip(*columns.values(), strict=True)
    return [(f"sample_{number:03d}", dict(zip(columns, row, strict=True))) for number, row in enumerate(rows, start=1)]


def clips() -> Iterator[tuple[str, str, Sound]]:
    """Yield condition, item and sound of every clip: each sample under each system, then the references."""
    speeches = [speak(seed, DURATION_S, RATE_HZ).astype(np.float64) for seed in range(UTTERANCES)]
    for number, (item, _) in enumerate(pool()):
        speech = _at_speed(speeches[number % UTTERANCES], SPEEDS[number // UTTERANCES])
        noise = _noise(len(speech), seed=number)
        for system, cleaning in SYSTEMS.items():
            yield system, item, _cleaned(speech, noise, cleaning, seed=number)
    for number, talker in enumerate(TALKERS):
        for name, cleaning in REFERENCES.items():
            yield "ref", f"{name}_{talker}", _cleaned(speeches[number], _noise(len(speeches[number]), 7), cleaning, 7)


def _cleaned(speech: Sound, noise: Sound, cleaning: Cleaning, seed: int) -> Sound:
    rng = np.random.default_rng(seed)
    heard = speech * (1 + cleaning.musical * rng.standard_normal(len(speech)))
    heard = (1 - cleaning.dulled) * heard + cleaning.dulled * np.roll(heard, 1)
    loudness = 10 ** ((cleaning.noise_db - SNR_DB) / 20) * np.sqrt(np.mean(speech**2))
    return levelled(heard + noise * loudness).astype(np.float64)


def _noise(length: int, seed: int) -> Sound:
    """A room: noise that falls with frequency, at an RMS of one."""
    frequency_hz = np.fft.rfftfreq(length, 1 / RATE_HZ)
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(length)) / np.sqrt(np.maximum(frequency_hz, 60))
    noise: Sound = np.fft.irfft(spectrum, length)
    noise /= np.sqrt(np.mean(noise**2))
    return noise


def _at_speed(speech: Sound, speed: float) -> Sound:
    """The same utterance faster and higher, or slower and lower, cut or padded to the same length."""
    taken = np.interp(np.arange(0, len(speech) - 1, speed), np.arange(len(speech)), speech)[: len(speech)]
    return np.pad(taken, (0, len(speech) - len(taken)))
