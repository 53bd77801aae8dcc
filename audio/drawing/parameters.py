"""What a spectrogram of Earmark shows, fixed for everybody: its window, its rows and its scale."""

import math
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

WINDOW_S = 0.0464  # 2048 samples at 44.1 kHz: a voice's harmonics stay apart, a knock stays short
STEPS_PER_WINDOW = 8  # the finest level; the eye sees no more with this window
COARSEST_HOP = 2  # level 2 has two columns a window, the fewest that leave no sound out; all above is pooled from it
NOISE_BINS = 1.5  # how many bins of white noise the Hann window lets into one (Harris 1978, table 1)
LOWEST_HZ, HIGHEST_HZ = 20.0, 20_000.0
ROWS = 256
FLOOR_DB, CEILING_DB = -120.0, 0.0
CODES_PER_DB = 255 / (CEILING_DB - FLOOR_DB)

Powers = NDArray[np.float32]  # rows down, the highest frequency first; columns across; a full-scale sine is 1
Codes = NDArray[np.uint8]  # the same in decibels: 0 is FLOOR_DB or less, 255 is CEILING_DB or more
Indices = NDArray[np.int64]


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

    def hop(self, level: int) -> int:
        """Count the samples from one transform to the next for the columns of a level."""
        return min(self.step_samples << level, self.window_samples // COARSEST_HOP)

    def lead(self, hop: int) -> int:
        """Count the samples before a column's own that its window covers; it covers as many after them."""
        return (self.window_samples - hop) // 2


@lru_cache(maxsize=16)
def spectrogram_at(sample_rate_hz: int) -> Spectrogram:
    """Return the parameters with their tables, which take a moment to compute."""
    return Spectrogram.at(sample_rate_hz)


def mels(frequency_hz: Any) -> Any:
    """O'Shaughnessy's formula, the usual one."""
    return 2595 * np.log10(1 + np.asarray(frequency_hz) / 700)


def hertz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return 700 * (10 ** (mel / 2595) - 1)
