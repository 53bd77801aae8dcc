"""Sound sources of the demo's soundscape: every source as one scene of it, made of noise, tones and babble; pure."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from audio.synthesis import speak

Sound = NDArray[np.float32]

RATE_HZ = 32_000
SCENE_S = 18.0
SCENE_SAMPLES = round(SCENE_S * RATE_HZ)
BELL_HZ = 523.0
# Partials of a church bell by the strike note, as they are tuned (hum, prime, tierce, quint, nominal) and two above.
BELL_PARTIALS = ((0.5, 0.5), (1.0, 0.8), (1.2, 0.6), (1.5, 0.35), (2.0, 1.0), (2.5, 0.3), (3.0, 0.25))


# --- Weather and insects ----------------------------------------------------------------------------------------------


def wind(rng: Generator) -> Sound:
    low, high = _band(rng, 60, 450) * _gusts(rng, every_s=1.5), _band(rng, 600, 2500) * _gusts(rng, every_s=1.0)
    return low + 0.15 * high


def rain(rng: Generator) -> Sound:
    """A steady hiss, and drops that fall on something near."""
    return 0.25 * _band(rng, 900, 9000) + _scattered(rng, [_drop(rng) for _ in range(20)], count=260)


def thunder(rng: Generator) -> Sound:
    rumble = _band(rng, 25, 110) * _strokes((2.0, 3.1, 9.5), fall_s=1.6)
    return rumble + 0.2 * rain(rng)


def crickets(rng: Generator) -> Sound:
    """Three insects, each a tone in pulses, the pulses in chirps."""
    time_s = _seconds(SCENE_S)
    sound = np.zeros(SCENE_SAMPLES)
    for _ in range(3):
        pulses = np.maximum(np.sin(2 * np.pi * rng.uniform(26, 34) * time_s), 0)
        chirps = np.clip(4 * np.sin(2 * np.pi * rng.uniform(1.8, 2.6) * time_s + rng.uniform(0, 6)), 0, 1)
        tone = np.sin(2 * np.pi * rng.uniform(4100, 4900) * time_s)
        sound += rng.uniform(0.4, 1.0) * pulses * chirps * tone
    return sound.astype(np.float32)


# --- Animals ----------------------------------------------------------------------------------------------------------


def owl(rng: Generator) -> Sound:
    short, long = _call(0.5, (370, 385, 350), harmonics=2), _call(0.9, (380, 390, 340), harmonics=2)
    return _sequence([(2.0, short), (3.3, long), (10.5, short), (11.8, long)])


def birds(rng: Generator) -> Sound:
    """Two or three birds, one after the other."""
    return _scattered(rng, [_song(rng) for _ in range(3)], count=11)


def chorus(rng: Generator) -> Sound:
    """All birds at once, as before sunrise."""
    return _scattered(rng, [_song(rng) for _ in range(9)], count=75)


def rooster(rng: Generator) -> Sound:
    crow = _call(1.9, (480, 620, 640, 880, 900, 520), harmonics=9)
    return _sequence([(2.5, crow), (9.0, crow), (14.0, 0.6 * crow)])


def dog(rng: Generator) -> Sound:
    voice = _call(0.16, (420, 560, 300), harmonics=7)
    bark = (voice * (1 + 0.4 * rng.standard_normal(len(voice)))).astype(np.float32)
    return _sequence([(at_s, bark) for at_s in 2 + np.cumsum(rng.uniform(0.3, 1.6, 9))])


# --- Traffic ----------------------------------------------------------------------------------------------------------


def car(rng: Generator) -> Sound:
    """One car that comes, passes and goes."""
    return _passing(rng, at_s=rng.uniform(7, 11), width_s=rng.uniform(1.6, 2.6))


def traffic(rng: Generator) -> Sound:
    cars = sum(_passing(rng, at_s=at_s, width_s=rng.uniform(1.0, 2.0)) for at_s in rng.uniform(0, SCENE_S, 6))
    return np.asarray(cars + 0.5 * _band(rng, 50, 700), np.float32)


def siren(rng: Generator) -> Sound:
    """Two tones in turn, louder and then softer, and lower once it has passed."""
    time_s = _seconds(SCENE_S)
    doppler = 1.03 - 0.06 / (1 + np.exp(-(time_s - 9)))
    pitch_hz = np.where(time_s % 1.1 < 0.55, 435.0, 580.0) * doppler
    return _harmonics(pitch_hz, 8) * _bell_curve(9, 4)


# --- People -----------------------------------------------------------------------------------------------------------


def voices(rng: Generator) -> Sound:
    """Two people who talk in turn, one nearer than the other; babble is babble backwards, too."""
    near, far = (np.repeat(speak(int(seed), 3.5, RATE_HZ // 2), 2) for seed in rng.integers(1, 2**31, 2))
    return _sequence([(0.6, near), (4.0, 0.5 * far), (7.8, near[::-1]), (11.3, 0.5 * far[::-1]), (14.5, near)])


def steps(rng: Generator) -> Sound:
    step = _burst(rng, 0.12, fall_s=0.02, low_hz=80, high_hz=900)
    nearness = _bell_curve(9, 4)
    return _sequence([(at_s, step) for at_s in 1 + np.cumsum(rng.normal(0.55, 0.02, 28))]) * nearness


def hammering(rng: Generator) -> Sound:
    knock = _burst(rng, 0.25, fall_s=0.03, low_hz=500, high_hz=5000)
    starts_s = [row_s + 0.48 * nth for row_s in (1.5, 7.0, 12.0) for nth in range(int(rng.integers(5, 9)))]
    return _sequence([(at_s, knock) for at_s in starts_s])


def bell_strike(duration_s: float) -> Sound:
    """One stroke of a church bell."""
    time_s = _seconds(duration_s)
    partials = (
        strength * np.exp(-time_s * (0.8 + 0.7 * ratio)) * np.sin(2 * np.pi * BELL_HZ * ratio * time_s)
        for ratio, strength in BELL_PARTIALS
    )
    return np.asarray(sum(partials), np.float32)


def steady_noise(rng: Generator) -> Sound:
    """The air of an open place, which falls with frequency; its end goes on into its beginning without a seam."""
    frequency_hz = np.fft.rfftfreq(SCENE_SAMPLES, 1 / RATE_HZ)
    slope = np.where(frequency_hz < 40, 0, 1 / np.maximum(frequency_hz, 100))
    noise = np.fft.irfft(np.fft.rfft(rng.standard_normal(SCENE_SAMPLES)) * slope, SCENE_SAMPLES)
    return np.asarray(noise / np.sqrt(np.mean(noise**2)), np.float32)


# --- What they are made of --------------------------------------------------------------------------------------------


def _seconds(duration_s: float) -> NDArray[np.float64]:
    return np.arange(round(duration_s * RATE_HZ)) / RATE_HZ


def _band(rng: Generator, low_hz: float, high_hz: float, samples: int = SCENE_SAMPLES) -> Sound:
    """Noise between two frequencies, at an RMS of one."""
    frequency_hz = np.fft.rfftfreq(samples, 1 / RATE_HZ)
    skirts = np.clip(frequency_hz / low_hz, 0, 1) ** 4 * np.clip(high_hz / np.maximum(frequency_hz, 1), 0, 1) ** 4
    noise = np.fft.irfft(np.fft.rfft(rng.standard_normal(samples)) * skirts, samples)
    return np.asarray(noise / np.sqrt(np.mean(noise**2)), np.float32)


def _gusts(rng: Generator, every_s: float) -> Sound:
    """A strength that wanders."""
    knots_s = np.arange(0, SCENE_S + every_s, every_s)
    return np.interp(_seconds(SCENE_S), knots_s, rng.uniform(0.1, 1.0, len(knots_s))).astype(np.float32)


def _strokes(starts_s: Sequence[float], fall_s: float) -> Sound:
    """A strength that jumps up at each start and dies away."""
    since_s = _seconds(SCENE_S)[:, None] - np.asarray(starts_s)
    strength = np.clip(since_s / 0.05, 0, 1) * np.exp(-np.maximum(since_s, 0) / fall_s)
    return np.asarray(strength.max(axis=1), np.float32)


def _bell_curve(at_s: float, width_s: float) -> Sound:
    return np.exp(-0.5 * ((_seconds(SCENE_S) - at_s) / width_s) ** 2).astype(np.float32)


def _passing(rng: Generator, at_s: float, width_s: float) -> Sound:
    engine = _harmonics(rng.uniform(70, 110) * (1.04 - 0.08 / (1 + np.exp(at_s - _seconds(SCENE_S)))), 5)
    return (_band(rng, 90, 1600) + 0.5 * engine) * _bell_curve(at_s, width_s)


def _harmonics(pitch_hz: NDArray[np.float64], count: int) -> Sound:
    phase = 2 * np.pi * np.cumsum(pitch_hz) / RATE_HZ
    return np.asarray(sum(np.sin(number * phase) / number for number in range(1, count + 1)), np.float32)


def _call(duration_s: float, contour_hz: Sequence[float], harmonics: int) -> Sound:
    """A voice whose pitch follows a contour."""
    time_s = _seconds(duration_s)
    pitch_hz = np.interp(time_s, np.linspace(0, duration_s, len(contour_hz)), contour_hz)
    edges = np.clip(np.minimum(time_s, duration_s - time_s) / 0.04, 0, 1)
    return (_harmonics(pitch_hz, harmonics) * edges).astype(np.float32)


def _song(rng: Generator) -> Sound:
    """A phrase of one bird: a note that is sung a few times, or a few notes in turn."""
    notes = [_note(rng) for _ in range(int(rng.integers(1, 4)))]
    gap = np.zeros(round(rng.uniform(0.02, 0.12) * RATE_HZ), np.float32)
    return np.concatenate([part for _ in range(int(rng.integers(2, 6))) for note in notes for part in (note, gap)])


def _note(rng: Generator) -> Sound:
    start_hz = rng.uniform(2000, 6000)
    contour_hz = start_hz * rng.uniform(0.75, 1.3, 4)
    return _call(rng.uniform(0.06, 0.22), contour_hz.tolist(), harmonics=1)


def _drop(rng: Generator) -> Sound:
    return rng.uniform(0.3, 1.0) * _burst(rng, 0.02, fall_s=0.003, low_hz=1500, high_hz=7000)


def _burst(rng: Generator, duration_s: float, *, fall_s: float, low_hz: float, high_hz: float) -> Sound:
    time_s = _seconds(duration_s)
    return (_band(rng, low_hz, high_hz, len(time_s)) * np.exp(-time_s / fall_s)).astype(np.float32)


def _scattered(rng: Generator, parts: Sequence[Sound], count: int) -> Sound:
    """Parts at any moment, each near or far."""
    sound = np.zeros(SCENE_SAMPLES, np.float32)
    for part, loudness in zip(rng.integers(0, len(parts), count), rng.uniform(0.15, 1.0, count), strict=True):
        at = int(rng.integers(0, SCENE_SAMPLES - len(parts[part])))
        sound[at : at + len(parts[part])] += np.float32(loudness) * parts[part]
    return sound


def _sequence(parts: Sequence[tuple[float, Sound]]) -> Sound:
    """Parts at these times; what reaches beyond the scene is left off."""
    sound = np.zeros(SCENE_SAMPLES, np.float32)
    for at_s, part in parts:
        at = round(at_s * RATE_HZ)
        room = sound[at : at + len(part)]
        room += part[: len(room)]
    return sound
