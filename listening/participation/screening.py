"""Sounds of the checks for left and right and for headphones, and how answers are judged; pure.
Also the noise by which a level can be set.

Huggins pitch: the same noise in both ears, with one narrow band inverted in one of them. A tone is heard only where the
ears are kept apart (Milne et al., Behavior Research Methods 53, 2021: six rounds, all right). Antiphase: of three tones
one is softer and another, no softer, is inverted in one ear; in a room the inverted one cancels and seems the softest
(Woods et al., Attention, Perception & Psychophysics 79, 2017: six rounds, five right).
"""

import io
import wave
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Stereo = NDArray[np.float64]  # (frames, 2)

RATE_HZ = 24_000
PEAK = 0.25
RAMP_S = 0.02
INTERVAL_S, GAP_S = 1.0, 0.3

HUGGINS_HZ, HUGGINS_BAND = 600.0, 0.06  # centre, and the half of the band as a share of it
ANTIPHASE_HZ, SOFTER_DB = 200.0, -6.0
LEVEL_S, LEVEL_LOW_HZ, LEVEL_HIGH_HZ = 3.0, 100.0, 8000.0
LEVEL_LUFS, LEVEL_PEAK = -20.37, 0.9  # of level_noise at a gain of 1, and how large its samples may be
EAR_HZ, EAR_PULSES_HZ, PULSE_FADE_FRAMES = 500.0, 3.0, 241


@dataclass(frozen=True)
class Screening:
    """A number of rounds with one right answer each, and how many must be right."""

    slug: str
    choices: tuple[str, ...]
    rounds: int
    needed: int
    intervals: int
    make: Callable[[str, Generator], Stereo]
    every_choice_equally_often: bool = False

    def solution(self, seed: str) -> tuple[str, ...]:
        rng = Random(f"{self.slug}/{seed}")
        if self.every_choice_equally_often:
            return tuple(rng.sample(self.choices * (self.rounds // len(self.choices)), self.rounds))
        return tuple(rng.choice(self.choices) for _ in range(self.rounds))

    def passed(self, seed: str, answers: tuple[str, ...]) -> bool:
        right = sum(given == true for given, true in zip(answers, self.solution(seed), strict=True))
        return right >= self.needed

    def sound(self, seed: str, number: int) -> bytes:
        """The WAV of one round, counted from 1."""
        answer = self.solution(seed)[number - 1]
        noise = int.from_bytes(Random(f"{self.slug}/{seed}/{number}").randbytes(8), "little")
        return _wav(self.make(answer, np.random.default_rng(noise)))

    @property
    def duration_s(self) -> float:
        return self.intervals * INTERVAL_S + (self.intervals - 1) * GAP_S


def level_noise(lufs: float) -> bytes:
    """The WAV of pink noise at a loudness, to set a level by where there is no practice clip; it contains no speech."""
    frames = round(LEVEL_S * RATE_HZ)
    frequencies = np.fft.rfftfreq(frames, 1 / RATE_HZ)
    inside = (frequencies >= LEVEL_LOW_HZ) & (frequencies <= LEVEL_HIGH_HZ)
    spectrum = np.fft.rfft(np.random.default_rng(0).standard_normal(frames))
    pink = np.fft.irfft(np.where(inside, spectrum / np.sqrt(np.maximum(frequencies, 1)), 0), frames)
    noise = _ramped(PEAK * pink / np.abs(pink).max())
    gain = min(10 ** ((lufs - LEVEL_LUFS) / 20), LEVEL_PEAK / PEAK)
    return _wav(gain * np.stack([noise, noise], axis=1))


def _ears(answer: str, rng: Generator) -> Stereo:
    """Three short tones on the side that is asked for."""
    time_s = np.arange(round(INTERVAL_S * RATE_HZ)) / RATE_HZ
    window = np.hanning(PULSE_FADE_FRAMES)
    pulses = np.convolve(np.sin(2 * np.pi * EAR_PULSES_HZ * time_s) > 0, window / window.sum(), mode="same")
    tone = _ramped(pulses * np.sin(2 * np.pi * EAR_HZ * time_s))
    silence = np.zeros_like(tone)
    return PEAK * np.stack([silence if answer == "right" else tone, silence if answer == "left" else tone], axis=1)


def _huggins(answer: str, rng: Generator) -> Stereo:
    return _row_of_three([_noise(rng, pitched=str(number) == answer) for number in (1, 2, 3)])


def _noise(rng: Generator, *, pitched: bool) -> Stereo:
    frames = round(INTERVAL_S * RATE_HZ)
    left = rng.standard_normal(frames)
    spectrum = np.fft.rfft(left)
    if pitched:
        frequencies = np.fft.rfftfreq(frames, 1 / RATE_HZ)
        spectrum[np.abs(frequencies / HUGGINS_HZ - 1) <= HUGGINS_BAND] *= -1
    both = np.stack([left, np.fft.irfft(spectrum, frames)], axis=1)
    return _ramped(PEAK * both / np.abs(both).max())


def _antiphase(answer: str, rng: Generator) -> Stereo:
    """The answer is the truly softer tone; the inverted one must not be taken for it."""
    inverted = rng.choice([number for number in ("1", "2", "3") if number != answer])
    time_s = np.arange(round(INTERVAL_S * RATE_HZ)) / RATE_HZ
    tone = _ramped(np.sin(2 * np.pi * ANTIPHASE_HZ * time_s))
    softer = 10 ** (SOFTER_DB / 20)
    return _row_of_three(
        [
            PEAK * np.stack([tone, -tone if number == inverted else tone], axis=1) * (softer if number == answer else 1)
            for number in ("1", "2", "3")
        ]
    )


def _row_of_three(intervals: list[Stereo]) -> Stereo:
    gap = np.zeros((round(GAP_S * RATE_HZ), 2))
    first, second, third = intervals
    return np.concatenate([first, gap, second, gap, third])


def _ramped(sound: NDArray[np.float64]) -> NDArray[np.float64]:
    """Begin and end without a click."""
    frames = round(RAMP_S * RATE_HZ)
    ramp = 0.5 - 0.5 * np.cos(np.pi * np.arange(frames) / frames)
    shaped = sound.copy()
    shaped[:frames] = (shaped[:frames].T * ramp).T
    shaped[-frames:] = (shaped[-frames:].T * ramp[::-1]).T
    return shaped


def _wav(sound: Stereo) -> bytes:
    packed = io.BytesIO()
    with wave.open(packed, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(np.round(sound * 32767).astype("<i2").tobytes())
    return packed.getvalue()


# For ears every answer comes once, so that always answering "both" never passes.
EARS = Screening("ears", ("left", "both", "right"), 3, 3, 1, _ears, every_choice_equally_often=True)
HUGGINS = Screening("huggins", ("1", "2", "3"), 6, 6, 3, _huggins)
ANTIPHASE = Screening("antiphase", ("1", "2", "3"), 6, 5, 3, _antiphase)
SCREENINGS = {screening.slug: screening for screening in (EARS, HUGGINS, ANTIPHASE)}
