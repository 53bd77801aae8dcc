"""Archive of named arrays with a JSON header, and what is kept in it of a chunk until its recording is merged."""

import json
import struct
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from audio.clock import Runs
from audio.partial_results import PartialResult
from audio.pyramid import Codes
from audio.tiles import Peaks

HEADER = struct.Struct("<4sII")  # magic, version, bytes of JSON
MAGIC, VERSION = b"EMCH", 1
FIRST_READ_BYTES = 8192  # usually the whole head
ALIGNMENT = 8

Read = Callable[[int, int], bytes]  # offset, count


def write_archive(facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Write facts (JSON) and arrays (little-endian, as they lie in memory)."""
    sections, parts, at = {}, [], 0
    for name, array in arrays.items():
        content = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        sections[name] = [array.dtype.newbyteorder("<").str, list(array.shape), at]
        parts.append(content + bytes(-len(content) % ALIGNMENT))
        at += len(parts[-1])
    head = json.dumps({"facts": facts, "sections": sections}, sort_keys=True, allow_nan=False).encode()
    head += b" " * (-(HEADER.size + len(head)) % ALIGNMENT)
    return b"".join([HEADER.pack(MAGIC, VERSION, len(head)), head, *parts])


class ArrayArchive:
    """Reads an archive of arrays through a function, only what is asked for."""

    def __init__(self, read: Read) -> None:
        self._read = read

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        view = memoryview(content)
        return cls(lambda offset, count: bytes(view[offset : offset + count]))

    @property
    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = self._head["facts"]
        return facts

    def array(self, name: str, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """Return an array, or some of its rows."""
        dtype, shape, offset = self._head["sections"][name]
        stop = shape[0] if stop is None else min(stop, shape[0])
        row_bytes = np.dtype(dtype).itemsize * int(np.prod(shape[1:], dtype=np.int64))
        content = self._read(self._body + offset + start * row_bytes, (stop - start) * row_bytes)
        return np.frombuffer(content, dtype).reshape(stop - start, *shape[1:])

    @cached_property
    def _head(self) -> dict[str, Any]:
        first = self._read(0, FIRST_READ_BYTES)
        magic, version, count = HEADER.unpack_from(first)
        if magic != MAGIC or version != VERSION:
            raise ValueError("This is no archive of arrays that this version reads.")
        if len(first) < HEADER.size + count:
            first += self._read(len(first), HEADER.size + count - len(first))
        self._body = HEADER.size + count
        head: dict[str, Any] = json.loads(first[HEADER.size : self._body])
        return head


# --- Chunks -----------------------------------------------------------------------------------------------------------


class ChunkResult(ArrayArchive):
    """Reads what `audio.chunks` has written."""

    @property
    def number(self) -> int:
        return int(self.facts["number"])

    def partial_result(self) -> PartialResult:
        arrays: dict[str, Any] = {name: self.array(f"partial.{name}") for name in self.facts["partial_arrays"]}
        return PartialResult(**self.facts["partial"], **arrays)

    def peaks(self, level: int) -> Peaks:
        return self.array(f"peaks.{level}")

    def runs(self) -> Runs:
        return self.array("runs")

    def columns(self, statistic: str, level: int) -> Codes:
        """Return the columns of a level whose tiles are longer than a chunk."""
        return self.array(f"columns.{statistic}.{level}")

    def tile(self, number: int) -> bytes:
        """Return a tile by its number among those of Pyramid.tiles_of_chunk."""
        start, stop = self.array("tile_bounds", number, number + 2).tolist()
        return self.array("tiles", start, stop).tobytes()

    def tiles(self) -> tuple[bytes, list[int]]:
        """Return all tiles, one after the other, and their bounds."""
        return self.array("tiles").tobytes(), self.array("tile_bounds").tolist()
