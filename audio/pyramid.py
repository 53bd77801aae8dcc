"""Geometry of the waveform and the spectrogram of a recording: levels, columns, tiles, bins, chunks and rows."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.formats import Shape

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


# --- Pyramid ----------------------------------------------------------------------------------------------------------


# 12.7 min of one channel at 44.1 kHz: whole tiles of four stored levels, and about a second of work.
CHUNK_SAMPLES = 1 << 25
COLUMNS = 1024  # of a tile
STATISTICS = ("max", "mean")
DIRECT_LEVELS = 3  # levels 0, 1 and 2 are transformed from the sound; from here on the statistics differ
STORED_FROM = 4  # finer levels would be nine tenths of the bytes, and are drawn from the sound in view
BIN_SAMPLES = 512
# Of a sound without chunks: also of a clip of a few seconds, every pixel of a fine screen then has a bin of its own.
FINE_BIN_SAMPLES = 8
BIN_FACTOR = 4
FEW_BINS = 256  # a level of peaks with no more than these needs none above it


@dataclass(frozen=True)
class Tile:
    statistic: str
    level: int
    index: int


def samples_of_chunk(channels: int) -> int:
    """Of more channels a chunk is shorter, so that neither its samples nor a master of them need more memory."""
    return CHUNK_SAMPLES >> (channels - 1).bit_length()


@dataclass(frozen=True)
class Pyramid:
    """The arithmetic of one recording. A chunk, but for the last, holds whole columns and whole bins of every level."""

    length_samples: int
    sample_rate_hz: int
    chunk_samples: int = CHUNK_SAMPLES
    finest_bin: int = BIN_SAMPLES

    @classmethod
    def of(cls, shape: Shape, chunk_samples: int = 0, finest_bin: int = BIN_SAMPLES) -> "Pyramid":
        chunk_samples = chunk_samples or samples_of_chunk(shape.channels)
        return cls(shape.length_samples, shape.sample_rate_hz, chunk_samples, finest_bin)

    def to_json(self) -> dict[str, Any]:
        """What a viewer must know to ask for tiles and peaks."""
        spectrogram = spectrogram_at(self.sample_rate_hz).to_json()
        tiles = {"columns": COLUMNS, "levels": self.levels, "stored_from": STORED_FROM}
        statistics = {"statistics": list(STATISTICS), "mean_from": DIRECT_LEVELS}
        peaks = {"bin_samples": self.finest_bin, "factor": BIN_FACTOR, "levels": self.peak_levels}
        return {"spectrogram": spectrogram | tiles | statistics, "peaks": peaks}

    # --- Chunks -------------------------------------------------------------------------------------------------------

    @property
    def chunks(self) -> int:
        return -(-self.length_samples // self.chunk_samples)

    def chunk(self, number: int) -> tuple[int, int]:
        """Return the first sample of a chunk and the one after its last."""
        start = number * self.chunk_samples
        return start, min(start + self.chunk_samples, self.length_samples)

    # --- Spectrogram --------------------------------------------------------------------------------------------------

    @cached_property
    def levels(self) -> int:
        """Count the levels up to the one that shows all in one tile; none has columns longer than a chunk."""
        level = 0
        while self.columns(level) > COLUMNS and self.step(level) < self.chunk_samples:
            level += 1
        return level + 1

    @property
    def stored_levels(self) -> range:
        return range(STORED_FROM, self.levels)

    def step(self, level: int) -> int:
        """Count the samples that a column stands for."""
        return spectrogram_at(self.sample_rate_hz).step_samples << level

    def columns(self, level: int) -> int:
        return -(-self.length_samples // self.step(level))

    def tiles(self, level: int) -> int:
        return -(-self.columns(level) // COLUMNS)

    def has(self, tile: Tile) -> bool:
        """Say whether there is such a tile, stored or to be drawn."""
        known = tile.statistic in STATISTICS and 0 <= tile.level < self.levels
        return known and 0 <= tile.index < self.tiles(tile.level)

    def chunk_columns(self, level: int, number: int = 0) -> int:
        """Count the columns of a level that stand for samples of a chunk."""
        start, stop = self.chunk(number)
        return -(-(stop - start) // self.step(level))

    def tiles_per_chunk(self, level: int) -> int:
        """Count the tiles that a whole chunk fills; 0 where a tile is longer than a chunk."""
        return self.chunk_samples // self.step(level) // COLUMNS

    def tiles_of_chunk(self, number: int) -> Iterator[Tile]:
        """Name the stored tiles that lie wholly in a chunk, in the order in which a chunk keeps them."""
        for level in self.stored_levels:
            first = number * self.tiles_per_chunk(level)
            for statistic in STATISTICS:
                for index in range(first, min(first + self.tiles_per_chunk(level), self.tiles(level))):
                    yield Tile(statistic, level, index)

    @property
    def joined_levels(self) -> range:
        """The stored levels whose tiles are longer than a chunk."""
        return range(next((n for n in self.stored_levels if not self.tiles_per_chunk(n)), self.levels), self.levels)

    def every_tile(self) -> Iterator[Tile]:
        """Name all stored tiles, in the order of the index."""
        for statistic in STATISTICS:
            for level in self.stored_levels:
                for index in range(self.tiles(level)):
                    yield Tile(statistic, level, index)

    # --- Peaks --------------------------------------------------------------------------------------------------------

    @cached_property
    def peak_levels(self) -> int:
        level = 0
        while self.bins(level) > FEW_BINS and self.bin_samples(level + 1) <= self.chunk_samples:
            level += 1
        return level + 1

    def bin_samples(self, level: int) -> int:
        return self.finest_bin * int(BIN_FACTOR**level)

    def bins(self, level: int) -> int:
        return -(-self.length_samples // self.bin_samples(level))
