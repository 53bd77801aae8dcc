"""Pictures of a spectrogram: grey JPEG tiles, drawn from the sound when they are asked for or kept in a pack."""

import io
import struct
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Protocol

import numpy as np
from PIL import Image

from stimuli.errors.sound import PositionOutside
from stimuli.sound.decoding import open_sound
from stimuli.sound.facts import Samples, Shape
from stimuli.sound.formats import Format
from stimuli.sound.pyramid import COLUMNS, DIRECT_LEVELS, STATISTICS, STORED_FROM, Pyramid, Tile
from stimuli.sound.sealed import Outcome
from stimuli.sound.spectrogram import FRAMES_AT_ONCE, ROWS, Codes, Columns, Powers, codes, mixed, pooled, spectrogram_at

# Everything stored of a noisy day comes to 92 MB with it; 80 would come to 107, for 0.1 dB less error.
JPEG_QUALITY = 75
BLOCK_SAMPLES = 1 << 18
INDEX_HEADER = struct.Struct("<4sIII")  # magic, version, first stored level, number of levels
INDEX_MAGIC, INDEX_VERSION = b"EMTI", 1


class Readable(Protocol):
    """The part of a stimuli.sound.decoding.Sound that drawing needs."""

    @property
    def shape(self) -> Shape: ...

    def blocks(self, start: int = 0, stop: int | None = None, size: int = BLOCK_SAMPLES) -> Iterator[Samples]: ...


def picture(columns: Codes) -> bytes:
    """Encode up to a tile's columns; what is beyond them is black."""
    canvas = np.zeros((ROWS, COLUMNS), np.uint8)
    canvas[:, : columns.shape[1]] = columns
    content = io.BytesIO()
    Image.fromarray(canvas).save(content, "JPEG", quality=JPEG_QUALITY)
    return content.getvalue()


# --- Drawing on demand ------------------------------------------------------------------------------------------------


def render_tile(sound: Readable, *, statistic: str, level: int, index: int) -> bytes:
    """Draw a tile of any level from the sound. Up to level 2 there is nothing to pool, and both statistics are one."""
    pyramid = Pyramid.of(sound.shape)
    width, length = COLUMNS * pyramid.step(max(level, 0)), sound.shape.length_samples
    start, stop = index * width, (index + 1) * width
    if not pyramid.has(Tile(statistic, level, index)):
        raise PositionOutside(start=start, stop=stop, length=length)
    stop = min(stop, length)
    times = max(level - DIRECT_LEVELS + 1, 0)
    pieces = [pooled(piece, statistic, times) for piece in _columns(sound, start, stop, level)]
    # Pieces that are shorter than a column have become one each, and still have to be joined.
    done = min(times, FRAMES_AT_ONCE.bit_length() - 1)
    return picture(codes(pooled(np.concatenate(pieces, axis=1), statistic, times - done)))


def _columns(sound: Readable, start: int, stop: int, level: int) -> Iterator[Powers]:
    """Yield the columns of [start, stop), those of level 2 for levels above it."""
    spectrogram = spectrogram_at(sound.shape.sample_rate_hz)
    hop = spectrogram.hop(level)
    lead = spectrogram.lead(hop)
    columns = Columns(spectrogram, hop)
    count = -(-(stop - start) // hop)
    for samples in with_silence_before(sound, start - lead, stop + lead):
        for piece in columns.feed(mixed(samples)):
            yield piece[:, :count]
            count -= piece.shape[1]
    if count > 0:
        yield columns.rest(count)


def with_silence_before(sound: Readable, start: int, stop: int) -> Iterator[Samples]:
    """Yield the samples [start, stop); those before the recording are zeros, those after it are left out."""
    if start < 0:
        yield np.zeros((-start, sound.shape.channels), np.float32)
    yield from sound.blocks(max(start, 0), min(stop, sound.shape.length_samples), BLOCK_SAMPLES)


def render(
    file: BinaryIO, *, format: str, statistic: str, level: int, tile: int, name: str = "", index: bytes = b""
) -> Outcome:
    """Draw a tile of a file, in a sealed child: the blob `tile`."""
    sound = open_sound(file, format=Format(format), name=name, index=index)
    return Outcome({}, {"tile": render_tile(sound, statistic=statistic, level=level, index=tile)})


# --- The pack ---------------------------------------------------------------------------------------------------------


def tile_index(pyramid: Pyramid, ranges: Mapping[Tile, tuple[int, int]]) -> bytes:
    """Say in bytes where in the pack each stored tile lies: its offset and its length."""
    counts = [pyramid.tiles(level) for level in pyramid.stored_levels]
    where = np.array([ranges[tile] for tile in pyramid.every_tile()], np.uint64).reshape(-1, 2)
    return b"".join(
        [
            INDEX_HEADER.pack(INDEX_MAGIC, INDEX_VERSION, STORED_FROM, len(counts)),
            np.array(counts, "<u4").tobytes(),
            where[:, 0].astype("<u8").tobytes(),
            where[:, 1].astype("<u4").tobytes(),
        ]
    )


class TilePack:
    """Finds tiles in a pack by its index."""

    def __init__(self, index: bytes) -> None:
        magic, version, self.first_level, levels = INDEX_HEADER.unpack_from(index)
        if magic != INDEX_MAGIC or version != INDEX_VERSION:
            raise ValueError("This is no index of tiles that this version reads.")
        self._counts = np.frombuffer(index, "<u4", levels, INDEX_HEADER.size).tolist()
        total = len(STATISTICS) * sum(self._counts)
        at = INDEX_HEADER.size + 4 * levels
        self._offsets = np.frombuffer(index, "<u8", total, at)
        self._lengths = np.frombuffer(index, "<u4", total, at + 8 * total)

    def range_of(self, statistic: str, level: int, index: int) -> tuple[int, int]:
        """Return the offset and the length of a tile; a KeyError says that there is no such tile."""
        row = level - self.first_level
        if statistic not in STATISTICS or not 0 <= row < len(self._counts) or not 0 <= index < self._counts[row]:
            raise KeyError((statistic, level, index))
        number = STATISTICS.index(statistic) * sum(self._counts) + sum(self._counts[:row]) + index
        return int(self._offsets[number]), int(self._lengths[number])
