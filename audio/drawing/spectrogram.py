"""Columns of a spectrogram out of sound, and coarser ones out of those."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.compiled import compiled
from audio.drawing.fourier import Transform, Vector, band_powers
from audio.drawing.parameters import (
    CODES_PER_DB,
    FLOOR_DB,
    NOISE_BINS,
    Codes,
    Powers,
    Spectrogram,
    spectrogram_at,
)
from audio.facts import Samples

FRAMES_AT_ONCE = 256


def transformed(samples: Vector, spectrogram: Spectrogram, *, hop: int, count: int) -> Powers:
    """Return columns of one channel; the first is centred hop / 2 after the first sample that the window covers."""
    transform = _transform(spectrogram.window_samples)
    powers = band_powers(samples, transform=transform, hop=hop, bands=spectrogram.bands, count=count)
    powers /= np.float32(NOISE_BINS)
    return powers


@lru_cache(maxsize=16)
def _transform(size: int) -> Transform:
    return Transform.hann(size)


def load_tables(*rates_hz: int) -> None:
    """Draw a silent column at each rate, so that all tables are at hand when somebody waits for a picture."""
    for spectrogram in map(spectrogram_at, rates_hz):
        transformed(np.zeros(1, np.float32), spectrogram, hop=spectrogram.step_samples, count=1)


class Columns:
    """The columns of a stretch of sound that arrives in pieces.

    Feed one channel from `lead` samples before the first column on (zeros before the start of a recording).
    """

    def __init__(self, spectrogram: Spectrogram, hop: int) -> None:
        self._spectrogram, self._hop = spectrogram, hop
        self._overlap = spectrogram.window_samples - hop
        self._held = np.empty(FRAMES_AT_ONCE * hop + self._overlap, np.float32)
        self._count = 0

    def feed(self, samples: Vector) -> Iterator[Powers]:
        """Yield columns, FRAMES_AT_ONCE at a time."""
        while len(samples):
            room = len(self._held) - self._count
            piece, samples = samples[:room], samples[room:]
            self._held[self._count : self._count + len(piece)] = piece
            self._count += len(piece)
            if self._count == len(self._held):
                yield transformed(self._held, self._spectrogram, hop=self._hop, count=FRAMES_AT_ONCE)
                self._held[: self._overlap] = self._held[-self._overlap :]
                self._count = self._overlap

    def rest(self, count: int) -> Powers:
        """Return the last `count` columns; what was not fed is silent."""
        self._held[self._count :] = 0
        return transformed(self._held, self._spectrogram, hop=self._hop, count=count)


def mixed(samples: Samples) -> Vector:
    """Return the mean of all channels."""
    channels = samples.shape[1]
    if channels == 1:
        return samples[:, 0]
    mean: Vector = samples @ np.full(channels, 1 / channels, np.float32)
    return mean


def pooled(powers: NDArray[Any], statistic: str, times: int = 1) -> NDArray[Any]:
    """Join neighbouring columns by twos, so many times; the last may stand alone. Codes have a maximum, but no mean."""
    powers = np.ascontiguousarray(powers)
    for _ in range(times):
        halved = np.empty((powers.shape[0], -(-powers.shape[1] // 2)), powers.dtype)
        if statistic == "max":
            _join_by_maximum(powers, halved)
        else:
            _join_by_mean(powers, halved)
        powers = halved
    return powers


@compiled
def _join_by_maximum(powers: NDArray[Any], out: NDArray[Any]) -> None:
    for row in range(powers.shape[0]):
        for i in range(powers.shape[1] // 2):
            out[row, i] = max(powers[row, 2 * i], powers[row, 2 * i + 1])
        if powers.shape[1] % 2:
            out[row, -1] = powers[row, -1]


@compiled
def _join_by_mean(powers: Powers, out: Powers) -> None:
    for row in range(powers.shape[0]):
        for i in range(powers.shape[1] // 2):
            out[row, i] = np.float32(0.5) * (powers[row, 2 * i] + powers[row, 2 * i + 1])
        if powers.shape[1] % 2:
            out[row, -1] = powers[row, -1]


def codes(powers: Powers) -> Codes:
    """Return powers in decibels, as bytes."""
    out = np.empty(powers.shape, np.uint8)
    _codes(np.ascontiguousarray(powers).reshape(-1), out.reshape(-1))
    return out


@compiled
def _codes(powers: Vector, out: NDArray[np.uint8]) -> None:
    """The logarithm is read off the bits of the number; a parabola over its mantissa leaves 0.03 dB of error."""
    bits = powers.view(np.int32)
    scale = np.float32(CODES_PER_DB * 3.0102999566398120)  # 10 log10(2)
    offset = np.float32(-FLOOR_DB * CODES_PER_DB + 0.5)
    bend = np.float32(0.3466)
    for i in range(bits.shape[0]):
        mantissa = np.float32(bits[i] & 0x7FFFFF) * np.float32(2.0**-23)
        exponent = np.float32((bits[i] >> 23) - 127)
        octaves = exponent + mantissa + bend * mantissa * (np.float32(1) - mantissa)
        value = octaves * scale + offset
        out[i] = np.uint8(min(max(value, np.float32(0)), np.float32(255)))
