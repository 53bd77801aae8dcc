"""Where everything drawn of a recording lies: levels, columns, tiles, bins and chunks, in whole samples."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from audio.drawing.parameters import spectrogram_at
from audio.facts import Shape

# 12.7 min of one channel at 44.1 kHz: whole tiles of four stored levels, and about a second of work.
CHUNK_SAMPLES = 1 << 25
COLUMNS = 1024  # of a tile
STATISTICS = ("max", "mean")
DIRECT_LEVELS = 3  # levels 0, 1 and 2 are transformed from the sound; from here on the statistics differ
STORED_FROM = 4  # finer levels would be nine tenths of the bytes, and are drawn from the sound in view
BIN_SAMPLES = 512
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

    @classmethod
    def of(cls, shape: Shape, chunk_samples: int = 0) -> "Pyramid":
        return cls(shape.length_samples, shape.sample_rate_hz, chunk_samples or samples_of_chunk(shape.channels))

    def to_json(self) -> dict[str, Any]:
        """What a viewer must know to ask for tiles and peaks."""
        spectrogram = spectrogram_at(self.sample_rate_hz).to_json()
        tiles = {"columns": COLUMNS, "levels": self.levels, "stored_from": STORED_FROM}
        statistics = {"statistics": list(STATISTICS), "mean_from": DIRECT_LEVELS}
        peaks = {"bin_samples": BIN_SAMPLES, "factor": BIN_FACTOR, "levels": self.peak_levels}
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
        return BIN_SAMPLES * int(BIN_FACTOR**level)

    def bins(self, level: int) -> int:
        return -(-self.length_samples // self.bin_samples(level))
