"""Waveform peaks and spectrogram tiles: read from the ingested files or chunks, or rendered on request."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, BinaryIO

from audio.array_archive import ChunkResult
from audio.merge_chunks import TILE_INDEX, TILES, FindChunk, partial_peaks, partial_tile, peaks_name
from audio.pyramid import COLUMNS, DIRECT_LEVELS, STATISTICS, STORED_FROM, Pyramid, Tile, spectrogram_at
from audio.tiles import DAT_HEADER, TileFile, encode_dat_header
from core.errors import AppError
from core.i18n import gettext_noop as _
from stimuli import storage
from stimuli.models import DERIVATION
from stimuli.sandbox import run_sandboxed
from stimuli.services.sources import Source, masters, picture_cache, recording_not_ready, run_on_source

MOST_BINS = 16_384
PAIR_BYTES = 2
# Samples of all channels that a sandboxed process holds at once; a level of peaks is rendered in such pieces.
SAMPLES_AT_ONCE = 2**24
BLOCK_BYTES = 2**18


@dataclass(frozen=True)
class Picture:
    content: bytes
    complete: bool = True  # or there are parts that ingest has not reached yet


def _no_picture() -> AppError:
    return AppError(
        "sound.no_picture",
        404,
        _("There is no such picture of this sound. Its manifest lists the levels and statistics."),
    )


def tile(*, source: Source, statistic: str, level: int, index: int) -> Picture:
    """A picture of 1024 columns and 256 rows."""
    pyramid = source.pyramid
    if statistic not in STATISTICS or level >= pyramid.levels or index >= pyramid.tiles(level):
        raise _no_picture()
    if source.is_long and level >= STORED_FROM:
        return _read_during_merge(source, lambda: _stored_tile(source, statistic, level, index))
    # Where nothing is pooled, the statistics are the same picture.
    statistic = statistic if level >= DIRECT_LEVELS else STATISTICS[0]
    key = f"{source.name} {DERIVATION} tile {statistic} {level} {index}"
    return Picture(picture_cache().read_or_create(key, lambda: _drawn_tile(source, statistic, level, index)))


def peaks(*, source: Source, level: int, start: int, count: int) -> Picture:
    """Pairs of the lowest and the highest value of each bin; bins beyond the end are left off."""
    pyramid = source.pyramid
    if level >= pyramid.peak_levels:
        raise _no_picture()
    count = min(count, MOST_BINS, max(pyramid.bins(level) - start, 0))
    if source.is_long:
        return _read_during_merge(source, lambda: _stored_peaks(source, level, start, count))
    with _drawn_peaks(source, level) as file:
        file.seek(DAT_HEADER.size + start * PAIR_BYTES)
        return Picture(file.read(count * PAIR_BYTES))


def peaks_file(*, source: Source, level: int) -> tuple[int, Iterator[bytes]]:
    """A level as a whole BBC .dat file: how many bytes, and the bytes."""
    if level >= source.pyramid.peak_levels:
        raise _no_picture()
    if not source.is_ready:
        raise recording_not_ready()
    if source.is_long:
        name = source.derived.file(peaks_name(level))
        byte_count = storage.byte_count(name)
        return byte_count, storage.blocks(name, 0, byte_count)
    file = _drawn_peaks(source, level)
    return file.seek(0, 2), _blocks(file)


# --- What ingest stored -----------------------------------------------------------------------------------------------


def _read_during_merge(source: Source, read: Callable[[], Picture]) -> Picture:
    """Read, and once more if the chunks were merged in the meantime."""
    try:
        return read()
    except FileNotFoundError:
        if source.is_ready:
            raise
        source.recording.refresh_from_db()
        return read()


def _stored_tile(source: Source, statistic: str, level: int, index: int) -> Picture:
    if not source.is_ready:
        return Picture(*partial_tile(source.pyramid, Tile(statistic, level, index), _finder(source)))
    offset, length = _tile_file(source.derived.file(TILE_INDEX)).range_of(statistic, level, index)
    return Picture(storage.read_range(source.derived.file(TILES), offset, length))


@lru_cache(maxsize=16)
def _tile_file(name: str) -> TileFile:
    """Where the tiles of a merged recording lie; that never changes."""
    return TileFile(storage.read_range(name, 0, storage.byte_count(name)))


def _stored_peaks(source: Source, level: int, start: int, count: int) -> Picture:
    if not source.is_ready:
        bins, complete = partial_peaks(source.pyramid, level, start, count, _finder(source))
        return Picture(bins.tobytes(), complete)
    offset = DAT_HEADER.size + start * PAIR_BYTES
    return Picture(storage.read_range(source.derived.file(peaks_name(level)), offset, count * PAIR_BYTES))


def _finder(source: Source) -> FindChunk:
    """Chunks by number, as far as they are there; only what is needed of them is read."""
    made = set(source.recording.chunks.values_list("number", flat=True))

    def find(number: int) -> ChunkResult | None:
        name = source.derived.chunk(number)
        return ChunkResult(lambda offset, count: storage.read_range(name, offset, count)) if number in made else None

    return find


# --- Drawn when asked for ---------------------------------------------------------------------------------------------


def _drawn_tile(source: Source, statistic: str, level: int, index: int) -> bytes:
    wanted: dict[str, Any] = {"statistic": statistic, "level": level, "tile": index}
    if not source.has_masters:
        return run_on_source("audio.spectrogram:render_file_tile", source, **wanted).blobs["tile"]
    start, stop = _reach(source.pyramid, level, index)
    with masters(source, start, stop) as (first, files):
        wanted |= {"first": first, "shape": source.shape.to_json()}
        return run_sandboxed("audio.masters:render_masters_tile", *files, **wanted).blobs["tile"]


def _reach(pyramid: Pyramid, level: int, index: int) -> tuple[int, int]:
    """The samples under a tile and under the windows at its edges."""
    margin = spectrogram_at(pyramid.sample_rate_hz).window_samples
    width = COLUMNS * pyramid.step(level)
    return max(index * width - margin, 0), min((index + 1) * width + margin, pyramid.length_samples)


def _drawn_peaks(source: Source, level: int) -> BinaryIO:
    """A level of a short recording as a .dat file."""
    key = f"{source.name} {DERIVATION} peaks of {source.pyramid.bin_samples(level)}"
    return picture_cache().open_or_create(key, lambda target: _draw_peaks(source, level, target))


def _draw_peaks(source: Source, level: int, target: BinaryIO) -> None:
    pyramid = source.pyramid
    width, bins = pyramid.bin_samples(level), pyramid.bins(level)
    target.write(encode_dat_header(sample_rate_hz=pyramid.sample_rate_hz, bin_samples=width, bins=bins))
    at_once = max(SAMPLES_AT_ONCE // (width * source.recording.channels), 1)
    for start in range(0, bins, at_once):
        wanted = {"bin_samples": width, "start": start, "count": min(at_once, bins - start)}
        target.write(run_on_source("audio.peaks:render_file_peaks", source, **wanted).blobs["peaks"])


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while block := file.read(BLOCK_BYTES):
            yield block
