"""Merge of the chunks of a recording into its final files, and tiles and peaks from chunks before that."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from audio.array_archive import ChunkResult
from audio.clock import Runs, Stretch, find_hours
from audio.formats import Shape
from audio.outline import outline_of_peaks
from audio.partial_results import Measures, PartialResult, merge_results
from audio.pyramid import BIN_SAMPLES, COLUMNS, ROWS, STATISTICS, Codes, Pyramid, Tile
from audio.tiles import DAT_HEADER, Peaks, encode_dat_header, encode_index, encode_tile

TILES, TILE_INDEX, LOUDNESS = "tiles.pack", "tiles.idx", "loudness.f32"

FindChunk = Callable[[int], ChunkResult | None]


def peaks_name(level: int) -> str:
    return f"peaks-{BIN_SAMPLES * 4**level}.dat"


@dataclass(frozen=True)
class MergedFiles:
    files: tuple[str, ...]
    measures: Measures
    outline: str
    clock: tuple[Stretch, ...]


class TileWriter:
    """Writes the file of tiles: those of each chunk as they are, the longer ones when their last column has come."""

    def __init__(self, pyramid: Pyramid, target: BinaryIO) -> None:
        self._pyramid, self._target = pyramid, target
        self._ranges: dict[Tile, tuple[int, int]] = {}
        self._offset = 0
        self._begun: dict[tuple[str, int], list[Codes]] = {
            (statistic, level): [] for level in pyramid.joined_levels for statistic in STATISTICS
        }

    def add(self, chunk: ChunkResult) -> None:
        content, bounds = chunk.tiles()
        for tile, start, stop in zip(self._pyramid.tiles_of_chunk(chunk.number), bounds, bounds[1:], strict=False):
            self._ranges[tile] = (self._offset + start, stop - start)
        self._target.write(content)
        self._offset += len(content)
        for (statistic, level), columns in self._begun.items():
            columns.append(chunk.columns(statistic, level))
            known = chunk.number * self._pyramid.chunk_columns(level) + columns[-1].shape[1]
            if known % COLUMNS == 0 or known == self._pyramid.columns(level):
                self._finish(Tile(statistic, level, (known - 1) // COLUMNS))

    def _finish(self, tile: Tile) -> None:
        columns = self._begun[tile.statistic, tile.level]
        content = encode_tile(np.concatenate(columns, axis=1))
        columns.clear()
        self._ranges[tile] = (self._offset, len(content))
        self._target.write(content)
        self._offset += len(content)

    def index(self) -> bytes:
        return encode_index(self._pyramid, self._ranges)


def merge_chunks(
    chunks: Iterable[bytes],
    *,
    shape: Shape,
    folder: Path,
    chunk_samples: int = 0,
    clock_s: float = 0,
) -> MergedFiles:
    """Write the final files of a recording into a folder, from all its chunks in order, one in memory at a time.

    `clock_s` is the time of day at which the recording begins. The files depend on the chunks alone.
    """
    pyramid = Pyramid.of(shape, chunk_samples)
    peak_names = [peaks_name(level) for level in range(pyramid.peak_levels)]
    results: list[PartialResult] = []
    runs: list[Runs] = []
    with ExitStack() as stack:
        tiles = TileWriter(pyramid, stack.enter_context((folder / TILES).open("wb")))
        outlines = [stack.enter_context((folder / name).open("wb")) for name in peak_names]
        for level, target in enumerate(outlines):
            target.write(_peaks_header(pyramid, level))
        for expected, content in enumerate(chunks):
            chunk = ChunkResult.from_bytes(content)
            if chunk.number != expected:
                raise ValueError(f"Chunk {chunk.number} came where {expected} was due.")
            tiles.add(chunk)
            for level, target in enumerate(outlines):
                target.write(chunk.peaks(level).tobytes())
            results.append(chunk.partial_result())
            runs.append(chunk.runs())
    if len(results) != pyramid.chunks:
        raise ValueError(f"{len(results)} of {pyramid.chunks} chunks came.")
    (folder / TILE_INDEX).write_bytes(tiles.index())
    (folder / LOUDNESS).write_bytes(np.concatenate([result.blocks for result in results]).astype("<f4").tobytes())
    return MergedFiles(
        files=(TILES, TILE_INDEX, LOUDNESS, *peak_names),
        measures=merge_results(results, shape.sample_rate_hz),
        outline=outline_of_peaks(_bins_in(folder / peak_names[-1])),
        clock=tuple(find_hours(np.concatenate(runs), shape=shape, clock_s=clock_s)),
    )


def _bins_in(path: Path) -> Peaks:
    return np.fromfile(path, np.int8, offset=DAT_HEADER.size).reshape(-1, 2)


def _peaks_header(pyramid: Pyramid, level: int) -> bytes:
    return encode_dat_header(
        sample_rate_hz=pyramid.sample_rate_hz, bin_samples=pyramid.bin_samples(level), bins=pyramid.bins(level)
    )


# --- Before the merge -------------------------------------------------------------------------------------------------


def partial_tile(pyramid: Pyramid, tile: Tile, find: FindChunk) -> tuple[bytes, bool]:
    """Return a stored tile as far as its chunks are there, and whether all of them are; the rest of it is black."""
    per_chunk = pyramid.tiles_per_chunk(tile.level)
    if per_chunk:
        chunk = find(tile.index // per_chunk)
        if chunk is None:
            return encode_tile(np.zeros((ROWS, 0), np.uint8)), False
        return chunk.tile(list(pyramid.tiles_of_chunk(chunk.number)).index(tile)), True
    columns = pyramid.chunk_columns(tile.level)
    numbers = range(tile.index * COLUMNS // columns, min(-(-(tile.index + 1) * COLUMNS // columns), pyramid.chunks))
    canvas, complete = np.zeros((ROWS, COLUMNS), np.uint8), True
    for number in numbers:
        chunk = find(number)
        if chunk is None:
            complete = False
            continue
        found = chunk.columns(tile.statistic, tile.level)
        at = number * columns - tile.index * COLUMNS
        canvas[:, at : at + found.shape[1]] = found
    return encode_tile(canvas), complete


def partial_peaks(pyramid: Pyramid, level: int, start: int, count: int, find: FindChunk) -> tuple[Peaks, bool]:
    """Return bins of a level as far as their chunks are there, and whether all of them are; the others are 0."""
    stop = min(start + count, pyramid.bins(level))
    per_chunk = pyramid.chunk_samples // pyramid.bin_samples(level)
    bins, complete = np.zeros((max(stop - start, 0), 2), np.int8), True
    for number in range(start // per_chunk, -(-stop // per_chunk)):
        first = max(start - number * per_chunk, 0)
        last = min(stop - number * per_chunk, per_chunk)
        chunk = find(number)
        if chunk is None:
            complete = False
            continue
        at = number * per_chunk + first - start
        bins[at : at + last - first] = chunk.array(f"peaks.{level}", first, last)
    return bins, complete
