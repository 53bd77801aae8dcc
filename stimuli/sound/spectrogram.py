"""What a spectrogram of Earmark shows, fixed for everybody: its window, its rows, its scale; and columns of it."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stimuli.sound.compiled import compiled
from stimuli.sound.facts import Samples
from stimuli.sound.fourier import Indices, Transform, Vector, band_powers

WINDOW_S = 0.0464  # 2048 samples at 44.1 kHz: a voice's harmonics stay apart, a knock stays short
STEPS_PER_WINDOW = 8  # the finest level; the eye sees no more with this window
COARSEST_HOP = 2  # level 2 has two columns a window, the fewest that leave no sound out; all above is pooled from it
NOISE_BINS = 1.5  # how many bins of white noise the Hann window lets into one (Harris 1978, table 1)
LOWEST_HZ, HIGHEST_HZ = 20.0, 20_000.0
ROWS = 256
FLOOR_DB, CEILING_DB = -120.0, 0.0
CODES_PER_DB = 255 / (CEILING_DB - FLOOR_DB)
FRAMES_AT_ONCE = 256

Powers = NDArray[np.float32]  # rows down, the highest frequency first; columns across; a full-scale sine is 1
Codes = NDArray[np.uint8]  # the same in decibels: 0 is FLOOR_DB or less, 255 is CEILING_DB or more


@dataclass(frozen=True)
class Spectrogram:
    """The parameters for one sample rate. Column c of level l stands for samples from c * step, shifted left by l."""

    window: str
    window_samples: int
    step_samples: int
    rows: int
    scale: str
    low_hz: float
    high_hz: float
    floor_db: float
    ceiling_db: float
    sample_rate_hz: int

    @classmethod
    def at(cls, sample_rate_hz: int) -> "Spectrogram":
        size = 2 ** round(math.log2(WINDOW_S * sample_rate_hz))
        return cls(
            window="hann",
            window_samples=size,
            step_samples=size // STEPS_PER_WINDOW,
            rows=ROWS,
            scale="mel",
            low_hz=LOWEST_HZ,
            high_hz=min(HIGHEST_HZ, sample_rate_hz / 2),
            floor_db=FLOOR_DB,
            ceiling_db=CEILING_DB,
            sample_rate_hz=sample_rate_hz,
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @cached_property
    def row_edges_hz(self) -> NDArray[np.float64]:
        """Return the bounds of the rows, from the highest frequency to the lowest: one more than there are rows."""
        return hertz(np.linspace(mels(self.high_hz), mels(self.low_hz), self.rows + 1))

    @cached_property
    def row_centres_hz(self) -> NDArray[np.float64]:
        edges = mels(self.row_edges_hz)
        return hertz((edges[:-1] + edges[1:]) / 2)

    @cached_property
    def bands(self) -> Indices:
        """Return the first bin of each row and the one after its last.

        A row takes a bin more on either side than its bounds say, so that a sine between two rows is seen whole in
        one of them; and three bins at least, which hold 98 % of a sine. DC and half the sample rate are left out.
        """
        bins = self.window_samples / self.sample_rate_hz
        edges, centres = self.row_edges_hz * bins, self.row_centres_hz * bins
        low = np.minimum(edges[1:] - 1, centres - 1.5)
        high = np.maximum(edges[:-1] + 1, centres + 1.5)
        first = np.clip(np.ceil(low), 1, self.window_samples // 2 - 3)
        stop = np.clip(np.floor(high) + 1, first + 1, self.window_samples // 2)
        return np.stack([first, stop], axis=1).astype(np.int64)

    @cached_property
    def transform(self) -> Transform:
        return Transform.hann(self.window_samples)

    def hop(self, level: int) -> int:
        """Count the samples from one transform to the next for the columns of a level."""
        return min(self.step_samples << level, self.window_samples // COARSEST_HOP)

    def columns(self, samples: Vector, *, hop: int, count: int) -> Powers:
        """Return columns of one channel; the first is centred hop / 2 after the first sample that the window covers."""
        powers = band_powers(samples, transform=self.transform, hop=hop, bands=self.bands, count=count)
        powers /= np.float32(NOISE_BINS)
        return powers

    def lead(self, hop: int) -> int:
        """Count the samples before a column's own that its window covers; it covers as many after them."""
        return (self.window_samples - hop) // 2


@lru_cache(maxsize=16)
def spectrogram_at(sample_rate_hz: int) -> Spectrogram:
    """Return the parameters with their tables, which take a moment to compute."""
    return Spectrogram.at(sample_rate_hz)


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
                yield self._spectrogram.columns(self._held, hop=self._hop, count=FRAMES_AT_ONCE)
                self._held[: self._overlap] = self._held[-self._overlap :]
                self._count = self._overlap

    def rest(self, count: int) -> Powers:
        """Return the last `count` columns; what was not fed is silent."""
        self._held[self._count :] = 0
        return self._spectrogram.columns(self._held, hop=self._hop, count=count)


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


def mels(frequency_hz: Any) -> Any:
    """O'Shaughnessy's formula, the usual one."""
    return 2595 * np.log10(1 + np.asarray(frequency_hz) / 700)


def hertz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return 700 * (10 ** (mel / 2595) - 1)


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
