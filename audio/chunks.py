"""Analysis of one chunk of a long recording in one pass: measures, peaks and spectrogram levels in one archive."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from audio import peaks
from audio.array_archive import write_archive
from audio.decode.open import open_sound
from audio.formats import CANNOT_BE_CUT, Format, Readable, Samples, Shape
from audio.masters import MasterWriter
from audio.measure import RecordingMeter
from audio.partial_results import PartialResult
from audio.pyramid import (
    BIN_SAMPLES,
    COLUMNS,
    DIRECT_LEVELS,
    STATISTICS,
    STORED_FROM,
    Codes,
    Powers,
    Pyramid,
    spectrogram_at,
)
from audio.sandbox.client import Outcome
from audio.silence import QuietRuns
from audio.spectrogram import (
    BLOCK_SAMPLES,
    Columns,
    encode_decibels,
    load_tables,
    mix_channels,
    pool_columns,
    render_tile,
)
from audio.tiles import Peaks, encode_tile

# Blocks begin so many samples before a chunk, or a multiple of it, so that each begins with a bin of the peaks.
LEAD_SAMPLES = 8 * BIN_SAMPLES
# What nearly all recordings have; a child that meets another rate computes its tables in a millisecond.
USUAL_RATES_HZ = (8_000, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000)


class ChunkAnalysis:
    """What is found in a chunk, collected while its samples pass."""

    def __init__(self, shape: Shape, pyramid: Pyramid, number: int, name: str) -> None:
        self.pyramid, self.number = pyramid, number
        self.start, self.stop = pyramid.chunk(number)
        self._meter = RecordingMeter(shape, self.start, self.stop, name)
        spectrogram = spectrogram_at(shape.sample_rate_hz)
        hop = spectrogram.hop(STORED_FROM)
        self._lead = spectrogram.lead(hop)
        self._columns = Columns(spectrogram, hop)
        self._columns_left = -(-(self.stop - self.start) // hop)
        self._levels = build_levels(pyramid)
        self._bins: list[Peaks] = []
        self._quiet = QuietRuns(sample_rate_hz=shape.sample_rate_hz, start=self.start)
        self.reads_to = min(max(self._meter.reads_to, self.stop + self._lead), shape.length_samples)
        before = self.start - min(self._meter.reads_from, self.start - self._lead)
        self.reads_from = max(self.start + before // -LEAD_SAMPLES * LEAD_SAMPLES, 0)
        self._position = self.reads_from
        if not self.start:
            self._draw(np.zeros(self._lead, np.float32))

    def feed(self, samples: Samples) -> Samples:
        """Take the next samples, from `reads_from` on, and return those of them that belong to the chunk itself."""
        own = self._within(samples, self.start, self.stop)
        self._meter.feed(self._within(samples, self._meter.reads_from, self._meter.reads_to))
        self._draw(mix_channels(self._within(samples, self.start - self._lead, self.stop + self._lead)))
        if len(own):
            self._bins.append(peaks.compute_peaks(own, BIN_SAMPLES))
            self._quiet.feed(own)
        self._position += len(samples)
        return own

    def result(self) -> bytes:
        """Return everything as one archive of arrays; only once, after the last samples."""
        if self._columns_left:
            self._keep(self._columns.rest(self._columns_left))
        facts, result = _split_result(self._meter.partial_result())
        tiles, columns = self._pictures()
        bins = peaks.compute_levels(np.concatenate(self._bins), self.pyramid.peak_levels)
        arrays: dict[str, NDArray[Any]] = {
            **{f"peaks.{level}": level_bins for level, level_bins in enumerate(bins)},
            **columns,
            "tile_bounds": np.cumsum([0, *map(len, tiles)], dtype=np.int64),
            "runs": self._quiet.runs(),
            **result,
            "tiles": np.frombuffer(b"".join(tiles), np.uint8),
        }
        return write_archive({"number": self.number, **facts}, arrays)

    def _within(self, samples: Samples, start: int, stop: int) -> Samples:
        return samples[max(start - self._position, 0) : max(stop - self._position, 0)]

    def _draw(self, samples: NDArray[np.float32]) -> None:
        for powers in self._columns.feed(samples):
            self._keep(powers)
            self._columns_left -= powers.shape[1]

    def _keep(self, powers: Powers) -> None:
        times = STORED_FROM - DIRECT_LEVELS + 1
        if self._levels:
            self._levels[0].feed(
                encode_decibels(pool_columns(powers, "max", times)), pool_columns(powers, "mean", times)
            )

    def _pictures(self) -> tuple[list[bytes], dict[str, Codes]]:
        """Return the tiles that lie in the chunk, and its columns of the levels whose tiles are longer."""
        tiles: list[bytes] = []
        columns: dict[str, Codes] = {}
        for level in self._levels:
            level.close()
            for statistic in STATISTICS:
                tiles += level.tiles[statistic]
            columns |= {f"columns.{name}.{level.level}": found for name, found in level.columns.items()}
        return tiles, columns


def _split_result(result: PartialResult) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    values = {field.name: getattr(result, field.name) for field in fields(result)}
    arrays = {f"partial.{name}": value for name, value in values.items() if isinstance(value, np.ndarray)}
    numbers = {name: value for name, value in values.items() if not isinstance(value, np.ndarray)}
    return {"partial": numbers, "partial_arrays": [name.removeprefix("partial.") for name in arrays]}, arrays


def analyse_chunk(
    sound: Readable,
    number: int,
    *,
    chunk_samples: int = 0,
    name: str = "",
    master: MasterWriter | None = None,
) -> bytes:
    """Return all that is kept of a chunk, and write its own samples to a master if there is one."""
    analysis = ChunkAnalysis(sound.shape, Pyramid.of(sound.shape, chunk_samples), number, name)
    for samples in sound.blocks(analysis.reads_from, analysis.reads_to, BLOCK_SAMPLES):
        own = analysis.feed(samples)
        if master:
            master.feed(own)
    return analysis.result()


class _ShortSound:
    """A second of sound without a file."""

    shape = Shape("wav", 8000, 2, 8000, 16)

    def blocks(self, start: int = 0, stop: int | None = None, size: int = BLOCK_SAMPLES) -> Iterator[Samples]:
        yield np.ones((self.shape.length_samples, self.shape.channels), np.float32)[start:stop]


def warm_up() -> None:
    """Load or compile every kernel, and load the encoders, by drawing a little sound in all ways."""
    sound = _ShortSound()
    master = MasterWriter(sound.shape)
    analyse_chunk(sound, 0, chunk_samples=1 << 14, master=master)
    master.finish()
    render_tile(sound, statistic="mean", level=0, index=0)
    coarse = pool_columns(np.ones((2, 3), np.float32), "mean")
    pool_columns(encode_decibels(pool_columns(coarse, "max")), "max")
    load_tables(*USUAL_RATES_HZ)


def analyse_file(
    file: BinaryIO,
    *,
    format: str,
    number: int,
    chunk_samples: int = 0,
    name: str = "",
    index: bytes = b"",
) -> Outcome:
    """Analyse a chunk of a file, in the sandbox: the blobs `chunk` and, where the codec cannot be cut, `master`.

    The facts say what the file holds now: `length_samples` of the whole and `chunk_samples` of this chunk.
    """
    sound = open_sound(file, format=Format(format), name=name, index=index)
    master = MasterWriter(sound.shape) if format in CANNOT_BE_CUT else None
    chunk = analyse_chunk(sound, number, chunk_samples=chunk_samples, name=name, master=master)
    start, stop = Pyramid.of(sound.shape, chunk_samples).chunk(number)
    blobs = {"chunk": chunk} | ({"master": master.finish()} if master else {})
    return Outcome({"length_samples": sound.shape.length_samples, "chunk_samples": stop - start}, blobs)


# --- Pyramid levels ---------------------------------------------------------------------------------------------------


class PyramidLevel:
    """One level: what fills a tile is drawn, and every two columns make one of the level above.

    Where a tile is longer than a chunk, the columns are kept as they are.
    """

    def __init__(self, level: int, above: "PyramidLevel | None", *, has_tiles: bool) -> None:
        self.level, self.has_tiles = level, has_tiles
        self.tiles: dict[str, list[bytes]] = {statistic: [] for statistic in STATISTICS}
        self.columns: dict[str, Codes] = {}
        self._above = above
        self._maxima: list[Codes] = []
        self._means: list[Powers] = []
        self._count = 0

    def feed(self, maxima: Codes, means: Powers) -> None:
        """Take the next columns; a tile ends with the last of a call, never in its middle."""
        self._maxima.append(maxima)
        self._means.append(means)
        self._count += maxima.shape[1]
        if self._count == COLUMNS:
            self._draw()

    def close(self) -> None:
        """Draw what is left; the level below comes first."""
        if self._count:
            self._draw()

    def _draw(self) -> None:
        maxima, means = np.concatenate(self._maxima, axis=1), np.concatenate(self._means, axis=1)
        self._maxima, self._means, self._count = [], [], 0
        for statistic, found in zip(STATISTICS, (maxima, encode_decibels(means)), strict=True):
            if self.has_tiles:
                self.tiles[statistic].append(encode_tile(found))
            else:
                self.columns[statistic] = found
        if self._above:
            self._above.feed(pool_columns(maxima, "max"), pool_columns(means, "mean"))


def build_levels(pyramid: Pyramid) -> Sequence[PyramidLevel]:
    """Return all stored levels, the finest first."""
    built: list[PyramidLevel] = []
    for level in reversed(pyramid.stored_levels):
        has_tiles = pyramid.tiles_per_chunk(level) > 0
        built.insert(0, PyramidLevel(level, built[0] if built else None, has_tiles=has_tiles))
    return built
