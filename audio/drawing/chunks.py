"""One pass over a chunk of a long recording: all that is kept of it, in one pack that depends on the sound alone."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from audio.decoding.opening import open_sound
from audio.drawing import peaks
from audio.drawing.dat import Peaks
from audio.drawing.packs import pack
from audio.drawing.parameters import Codes, Powers, spectrogram_at
from audio.drawing.pyramid import (
    BIN_SAMPLES,
    DIRECT_LEVELS,
    STATISTICS,
    STORED_FROM,
    Pyramid,
)
from audio.drawing.rendering import BLOCK_SAMPLES, render_tile
from audio.drawing.spectrogram import Columns, codes, load_tables, mixed, pooled
from audio.drawing.storeys import storeys
from audio.facts import Readable, Samples, Shape
from audio.formats import CANNOT_BE_CUT, Format
from audio.measuring.examination import Examiner
from audio.measuring.quiet import QuietRuns
from audio.measuring.tallies import Tally
from audio.sealed.asking import Outcome
from audio.slicing.masters import MasterWriter

# Blocks begin so many samples before a chunk, or a multiple of it, so that each begins with a bin of the peaks.
LEAD_SAMPLES = 8 * BIN_SAMPLES
# What nearly all recordings have; a child that meets another rate computes its tables in a millisecond.
USUAL_RATES_HZ = (8_000, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000)


class Analysis:
    """What is found in a chunk, collected while its samples pass."""

    def __init__(self, shape: Shape, pyramid: Pyramid, number: int, name: str) -> None:
        self.pyramid, self.number = pyramid, number
        self.start, self.stop = pyramid.chunk(number)
        self._examiner = Examiner(shape, self.start, self.stop, name)
        spectrogram = spectrogram_at(shape.sample_rate_hz)
        hop = spectrogram.hop(STORED_FROM)
        self._lead = spectrogram.lead(hop)
        self._columns = Columns(spectrogram, hop)
        self._columns_left = -(-(self.stop - self.start) // hop)
        self._storeys = storeys(pyramid)
        self._bins: list[Peaks] = []
        self._quiet = QuietRuns(sample_rate_hz=shape.sample_rate_hz, start=self.start)
        self.reads_to = min(max(self._examiner.reads_to, self.stop + self._lead), shape.length_samples)
        before = self.start - min(self._examiner.reads_from, self.start - self._lead)
        self.reads_from = max(self.start + before // -LEAD_SAMPLES * LEAD_SAMPLES, 0)
        self._position = self.reads_from
        if not self.start:
            self._draw(np.zeros(self._lead, np.float32))

    def feed(self, samples: Samples) -> Samples:
        """Take the next samples, from `reads_from` on, and return those of them that belong to the chunk itself."""
        own = self._within(samples, self.start, self.stop)
        self._examiner.feed(self._within(samples, self._examiner.reads_from, self._examiner.reads_to))
        self._draw(mixed(self._within(samples, self.start - self._lead, self.stop + self._lead)))
        if len(own):
            self._bins.append(peaks.outline(own, BIN_SAMPLES))
            self._quiet.feed(own)
        self._position += len(samples)
        return own

    def result(self) -> bytes:
        """Return everything as a pack; only once, after the last samples."""
        if self._columns_left:
            self._keep(self._columns.rest(self._columns_left))
        facts, tally = _tally_parts(self._examiner.tally())
        tiles, columns = self._pictures()
        bins = peaks.levels(np.concatenate(self._bins), self.pyramid.peak_levels)
        arrays: dict[str, NDArray[Any]] = {
            **{f"peaks.{level}": level_bins for level, level_bins in enumerate(bins)},
            **columns,
            "tile_bounds": np.cumsum([0, *map(len, tiles)], dtype=np.int64),
            "runs": self._quiet.runs(),
            **tally,
            "tiles": np.frombuffer(b"".join(tiles), np.uint8),
        }
        return pack({"number": self.number, **facts}, arrays)

    def _within(self, samples: Samples, start: int, stop: int) -> Samples:
        return samples[max(start - self._position, 0) : max(stop - self._position, 0)]

    def _draw(self, samples: NDArray[np.float32]) -> None:
        for powers in self._columns.feed(samples):
            self._keep(powers)
            self._columns_left -= powers.shape[1]

    def _keep(self, powers: Powers) -> None:
        times = STORED_FROM - DIRECT_LEVELS + 1
        if self._storeys:
            self._storeys[0].feed(codes(pooled(powers, "max", times)), pooled(powers, "mean", times))

    def _pictures(self) -> tuple[list[bytes], dict[str, Codes]]:
        """Return the tiles that lie in the chunk, and its columns of the levels whose tiles are longer."""
        tiles: list[bytes] = []
        columns: dict[str, Codes] = {}
        for storey in self._storeys:
            storey.close()
            for statistic in STATISTICS:
                tiles += storey.tiles[statistic]
            columns |= {f"columns.{name}.{storey.level}": found for name, found in storey.columns.items()}
        return tiles, columns


def _tally_parts(tally: Tally) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    values = {field.name: getattr(tally, field.name) for field in fields(tally)}
    arrays = {f"tally.{name}": value for name, value in values.items() if isinstance(value, np.ndarray)}
    numbers = {name: value for name, value in values.items() if not isinstance(value, np.ndarray)}
    return {"tally": numbers, "tally_arrays": [name.removeprefix("tally.") for name in arrays]}, arrays


def analyse_chunk(
    sound: Readable,
    number: int,
    *,
    chunk_samples: int = 0,
    name: str = "",
    master: MasterWriter | None = None,
) -> bytes:
    """Return all that is kept of a chunk, and write its own samples to a master if there is one."""
    analysis = Analysis(sound.shape, Pyramid.of(sound.shape, chunk_samples), number, name)
    for samples in sound.blocks(analysis.reads_from, analysis.reads_to, BLOCK_SAMPLES):
        own = analysis.feed(samples)
        if master:
            master.feed(own)
    return analysis.result()


class _Rehearsal:
    """A second of sound without a file."""

    shape = Shape("wav", 8000, 2, 8000, 16)

    def blocks(self, start: int = 0, stop: int | None = None, size: int = BLOCK_SAMPLES) -> Iterator[Samples]:
        yield np.ones((self.shape.length_samples, self.shape.channels), np.float32)[start:stop]


def warm_up() -> None:
    """Load or compile every kernel, and load the encoders, by drawing a little sound in all ways."""
    sound = _Rehearsal()
    master = MasterWriter(sound.shape)
    analyse_chunk(sound, 0, chunk_samples=1 << 14, master=master)
    master.finish()
    render_tile(sound, statistic="mean", level=0, index=0)
    coarse = pooled(np.ones((2, 3), np.float32), "mean")
    pooled(codes(pooled(coarse, "max")), "max")
    load_tables(*USUAL_RATES_HZ)


def analyse(
    file: BinaryIO,
    *,
    format: str,
    number: int,
    chunk_samples: int = 0,
    name: str = "",
    index: bytes = b"",
) -> Outcome:
    """Analyse a chunk of a file, in a sealed child: the blobs `chunk` and, where the codec cannot be cut, `master`.

    The facts say what the file holds now: `length_samples` of the whole and `chunk_samples` of this chunk.
    """
    sound = open_sound(file, format=Format(format), name=name, index=index)
    master = MasterWriter(sound.shape) if format in CANNOT_BE_CUT else None
    chunk = analyse_chunk(sound, number, chunk_samples=chunk_samples, name=name, master=master)
    start, stop = Pyramid.of(sound.shape, chunk_samples).chunk(number)
    blobs = {"chunk": chunk} | ({"master": master.finish()} if master else {})
    return Outcome({"length_samples": sound.shape.length_samples, "chunk_samples": stop - start}, blobs)
