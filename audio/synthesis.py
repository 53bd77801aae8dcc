"""Speech-like sound made of nothing but numbers: babbled syllables and the degradations of the demo; deterministic."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numpy.random import Generator

Signal = NDArray[np.float32]
Samples = NDArray[np.float64]

LEVEL_DB = -26.0  # active level of P.800 material, dB relative to full scale
PEAK_DB = -3.1
FADE_MS = 10
PADDING_MS = 200

# Formant frequencies of adult male vowels in Hz, rounded from Peterson and Barney (1952); F4 and F5 are taken as fixed.
VOWELS = (
    (730, 1090, 2440),
    (270, 2290, 3010),
    (300, 870, 2240),
    (530, 1840, 2480),
    (570, 840, 2410),
    (660, 1720, 2410),
    (490, 1350, 1690),
)
UPPER_FORMANTS = (3500, 4500)
BANDWIDTHS_HZ = (80, 100, 140, 220, 300)


class Degradation(StrEnum):
    """What may be done to a clean clip; the name of a demo condition."""

    CLEAN = "clean"
    NOISE = "noise"
    BABBLE = "babble"
    BAND = "band"
    CLIPPING = "clipping"
    CODED = "coded"


@dataclass(frozen=True)
class Voice:
    """One talker: where the pitch lies, how long the vocal tract is, how fast the syllables come."""

    pitch_hz: float
    tract: float
    syllable_s: float

    @classmethod
    def drawn(cls, rng: Generator) -> Voice:
        high = rng.random() < 0.5
        pitch_hz = rng.uniform(170, 220) if high else rng.uniform(95, 130)
        return cls(pitch_hz=pitch_hz, tract=1.15 if high else 1.0, syllable_s=rng.uniform(0.17, 0.24))


def speak(seed: int, duration_s: float, sample_rate_hz: int = 16000) -> Signal:
    """Babble for so long: the same seed says the same, sample for sample; another seed has another voice and words.

    The shortest useful duration is about half a second: below that no syllable fits and the clip is silent.
    """
    rng = np.random.default_rng(seed)
    voice = Voice.drawn(rng)
    length = round(duration_s * sample_rate_hz)
    sound, at = np.zeros(length), 0
    while True:
        for part in _phrase(voice, rng, sample_rate_hz):
            if at + len(part) > length:  # a syllable that does not fit is not begun
                return levelled(sound)
            sound[at : at + len(part)] = part
            at += len(part)


def degrade(signal: Signal, kind: Degradation, rng: Generator, sample_rate_hz: int = 16000) -> Signal:
    """Return the clip as it sounds after the degradation: same length, same level."""
    return levelled(_DEGRADATIONS[kind](signal.astype(np.float64), rng, sample_rate_hz))


def levelled(signal: Samples) -> Signal:
    """Bring the RMS to LEVEL_DB; the few peaks that would pass PEAK_DB are rounded off, and the level set once more."""
    ceiling = 10 ** (PEAK_DB / 20)
    target = 10 ** (LEVEL_DB / 20)
    signal = signal - signal.mean()
    for _ in range(20):
        signal = signal * (target / _rms(signal))
        if np.abs(signal).max() <= ceiling:
            break
        signal = ceiling * 0.98 * np.tanh(signal / (ceiling * 0.98))
    return np.clip(signal, -ceiling, ceiling).astype(np.float32)


def clip_bytes(signal: Signal, sample_rate_hz: int) -> bytes:
    """Return the clip as a 16-bit WAV file, faded in and out, with a little silence on both sides."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydub misses ffmpeg, which WAV does not need, and imports audioop
        from pydub import AudioSegment

    pcm = np.round(np.clip(signal, -1.0, 1.0) * 32767).astype("<i2").tobytes()
    sound = AudioSegment(data=pcm, sample_width=2, frame_rate=sample_rate_hz, channels=1)
    silence = AudioSegment.silent(duration=PADDING_MS, frame_rate=sample_rate_hz)
    wav = io.BytesIO()
    (silence + sound.fade_in(FADE_MS).fade_out(FADE_MS) + silence).export(wav, format="wav")
    return wav.getvalue()


# --- Speech ---------------------------------------------------------------------------------------------------------


def _phrase(voice: Voice, rng: Generator, rate: int) -> list[Samples]:
    """A breath group: a few syllables under a falling pitch contour, then a pause."""
    count = int(rng.integers(3, 7))
    parts = []
    for n in range(count):
        stress = rng.uniform(0.7, 1.2) * (1.0 - 0.25 * n / count)
        pitch_hz = voice.pitch_hz * (1.12 - 0.28 * n / count) * rng.uniform(0.95, 1.08)
        parts.append(stress * _syllable(voice, pitch_hz, rng, rate))
    parts.append(np.zeros(int(rng.uniform(0.1, 0.22) * rate)))
    return parts


def _syllable(voice: Voice, pitch_hz: float, rng: Generator, rate: int) -> Samples:
    """A consonant-like onset followed by a vowel that glides into another."""
    length = int(voice.syllable_s * rng.uniform(0.8, 1.35) * rate)
    start, end = rng.choice(len(VOWELS), size=2)
    glide = np.linspace(0, 1, length) ** 1.5
    formants = [
        voice.tract * ((1 - glide) * a + glide * b)
        for a, b in zip(VOWELS[start] + UPPER_FORMANTS, VOWELS[end] + UPPER_FORMANTS, strict=True)
    ]
    contour = pitch_hz * (1 + 0.05 * np.sin(np.pi * np.linspace(0, 1, length)))
    voiced = _resonate(_glottal_pulses(contour, rng, rate), formants, rate)
    vowel = _unit_rms(voiced) * _envelope(length, attack=int(0.03 * rate), release=int(0.07 * rate))
    return np.concatenate([_consonant(rng, rate), vowel])


def _consonant(rng: Generator, rate: int) -> Samples:
    """A stop (closure, then a burst), a fricative (hiss above 2 kHz), or nothing."""
    kind = rng.random()
    if kind < 0.4:
        burst = _shaped_noise(int(0.018 * rate), rng, rate, low_hz=rng.uniform(500, 2500), high_hz=6000)
        return np.concatenate([np.zeros(int(0.045 * rate)), 0.5 * burst * np.linspace(1, 0, len(burst))])
    if kind < 0.8:
        length = int(rng.uniform(0.06, 0.1) * rate)
        hiss = _shaped_noise(length, rng, rate, low_hz=rng.uniform(2000, 4000), high_hz=7500)
        return 0.28 * hiss * _envelope(length, attack=length // 3, release=length // 3)
    return np.zeros(0)


def _glottal_pulses(contour_hz: Samples, rng: Generator, rate: int) -> Samples:
    """A pulse train whose spectrum falls by about 12 dB an octave, with a little jitter and breath."""
    drift = np.cumsum(rng.standard_normal(len(contour_hz))) / np.sqrt(rate)
    phase = np.cumsum(contour_hz * (1 + 0.01 * drift)) / rate % 1.0
    opening = np.clip(phase / 0.6, 0, 1)
    flow = np.where(phase < 0.6, opening**2 * (1 - opening), 0.0)
    return np.gradient(flow) + 0.002 * rng.standard_normal(len(flow))


def _resonate(source: Samples, formants_hz: list[Samples], rate: int) -> Samples:
    """Pass the source through second-order resonators in cascade, their coefficients renewed every 5 ms."""
    from scipy.signal import lfilter  # a slow import that only synthesis needs

    sound = source
    block = int(0.005 * rate)
    for track, bandwidth in zip(formants_hz, BANDWIDTHS_HZ, strict=True):
        out, state = np.empty_like(sound), np.zeros(2)
        radius = np.exp(-np.pi * bandwidth / rate)
        for at in range(0, len(sound), block):
            frequency = min(track[at], 0.46 * rate)
            b1, b2 = 2 * radius * np.cos(2 * np.pi * frequency / rate), -(radius**2)
            out[at : at + block], state = lfilter([1 - b1 - b2], [1, -b1, -b2], sound[at : at + block], zi=state)
        sound = out
    return sound


# --- Degradations ---------------------------------------------------------------------------------------------------


def _with_noise(signal: Samples, noise: Samples, snr_db: float) -> Samples:
    return signal + noise * (_rms(signal) / _rms(noise)) * 10 ** (-snr_db / 20)


def _pink_noise(signal: Samples, rng: Generator, rate: int) -> Samples:
    frequency = np.fft.rfftfreq(len(signal), 1 / rate)
    spectrum = np.fft.rfft(rng.standard_normal(len(signal))) / np.sqrt(np.maximum(frequency, 50.0))
    return _with_noise(signal, np.fft.irfft(spectrum, len(signal)), snr_db=8.0)


def _babble(signal: Samples, rng: Generator, rate: int) -> Samples:
    talkers = [speak(int(seed), len(signal) / rate, rate) for seed in rng.integers(10_000, 2**31, size=5)]
    return _with_noise(signal, np.sum(talkers, axis=0), snr_db=5.0)


def _telephone_band(signal: Samples, rng: Generator, rate: int) -> Samples:
    return _between(signal, rate, low_hz=300, high_hz=3400)


def _hard_clipped(signal: Samples, rng: Generator, rate: int) -> Samples:
    threshold = 0.8 * _rms(signal)
    return np.clip(signal, -threshold, threshold)


def _coarsely_coded(signal: Samples, rng: Generator, rate: int) -> Samples:
    """Noise that follows the signal, as in the modulated noise reference unit of ITU-T P.810, at Q = 8 dB."""
    return signal * (1 + 10 ** (-8.0 / 20) * rng.standard_normal(len(signal)))


_DEGRADATIONS: dict[Degradation, Callable[[Samples, Generator, int], Samples]] = {
    Degradation.CLEAN: lambda signal, rng, rate: signal,
    Degradation.NOISE: _pink_noise,
    Degradation.BABBLE: _babble,
    Degradation.BAND: _telephone_band,
    Degradation.CLIPPING: _hard_clipped,
    Degradation.CODED: _coarsely_coded,
}


# --- Small tools ----------------------------------------------------------------------------------------------------


def _rms(signal: Samples) -> float:
    return float(np.sqrt(np.mean(np.square(signal)))) + 1e-12


def _unit_rms(signal: Samples) -> Samples:
    return signal / _rms(signal)


def _envelope(length: int, attack: int, release: int) -> Samples:
    """Raised-cosine rise and fall around a slowly sinking middle."""
    shape = np.linspace(1.0, 0.75, length)
    shape[:attack] *= 0.5 - 0.5 * np.cos(np.pi * np.arange(attack) / attack)
    shape[-release:] *= 0.5 + 0.5 * np.cos(np.pi * np.arange(release) / release)
    return shape


def _shaped_noise(length: int, rng: Generator, rate: int, low_hz: float, high_hz: float) -> Samples:
    return _unit_rms(_between(rng.standard_normal(length), rate, low_hz=low_hz, high_hz=high_hz))


def _between(signal: Samples, rate: int, low_hz: float, high_hz: float) -> Samples:
    """Keep a band, with skirts a tenth of each edge wide, by weighting the spectrum."""
    frequency = np.fft.rfftfreq(len(signal), 1 / rate)
    rise = np.clip((frequency - 0.9 * low_hz) / (0.1 * low_hz), 0, 1)
    fall = np.clip((1.1 * high_hz - frequency) / (0.1 * high_hz), 0, 1)
    return np.fft.irfft(np.fft.rfft(signal) * rise * fall, len(signal))
