"""Tile files (grey JPEG pictures in one file with an index) and peak files (BBC audiowaveform)."""

import io
import struct
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from audio.pyramid import COLUMNS, ROWS, STATISTICS, STORED_FROM, Codes, Pyramid, Tile

# Of the JPEG. What is stored of every recording is a little coarser: 75 would take half as many bytes again.
STORED_QUALITY, FINE_QUALITY = 60, 75
INDEX_HEADER = struct.Struct("<4sIII")  # magic, version, first stored level, number of levels
INDEX_MAGIC, INDEX_VERSION = b"EMTI", 1


def encode_tile(columns: Codes, quality: int = STORED_QUALITY) -> bytes:
    """Encode up to a tile's columns; what is beyond them is black."""
    canvas = np.zeros((ROWS, COLUMNS), np.uint8)
    canvas[:, : columns.shape[1]] = columns
    content = io.BytesIO()
    Image.fromarray(canvas).save(content, "JPEG", quality=quality)
    return content.getvalue()


def encode_index(pyramid: Pyramid, ranges: Mapping[Tile, tuple[int, int]]) -> bytes:
    """Say in bytes where in the file each stored tile lies: its offset and its length."""
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


class TileFile:
    """Finds tiles in their file by its index."""

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


# --- Peak files -------------------------------------------------------------------------------------------------------


Peaks = NDArray[np.int8]  # one row a bin: lowest, highest; -128 is negative full scale
# Data format version 2: version, flags (1: bytes), rate, samples per bin, bins, channels.
DAT_HEADER = struct.Struct("<iIiiIi")
DAT_VERSION, DAT_BYTES = 2, 1


def encode_dat_header(*, sample_rate_hz: int, bin_samples: int, bins: int) -> bytes:
    """Begin a file that audiowaveform, peaks.js, waveform-data.js and wavesurfer.js can read; the bins follow."""
    return DAT_HEADER.pack(DAT_VERSION, DAT_BYTES, sample_rate_hz, bin_samples, bins, 1)
