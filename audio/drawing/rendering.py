"""Tiles of any level drawn from the sound, when they are asked for."""

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from audio.decoding.opening import open_sound
from audio.drawing.parameters import Powers, spectrogram_at
from audio.drawing.pyramid import COLUMNS, DIRECT_LEVELS, STORED_FROM, Pyramid, Tile
from audio.drawing.spectrogram import FRAMES_AT_ONCE, Columns, codes, mixed, pooled
from audio.drawing.tiles import FINE_QUALITY, STORED_QUALITY, picture
from audio.errors import PositionOutside
from audio.facts import Readable, Samples
from audio.formats import Format
from audio.sealed.asking import Outcome

BLOCK_SAMPLES = 1 << 18


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
    quality = STORED_QUALITY if level >= STORED_FROM else FINE_QUALITY
    return picture(codes(pooled(np.concatenate(pieces, axis=1), statistic, times - done)), quality)


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
