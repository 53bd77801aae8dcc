"""What a container says about the length of its data; libsndfile reads on without a word when less is there."""

import struct
from collections.abc import Iterator
from typing import BinaryIO

from audio.errors import SoundBroken, SoundUnsupported
from audio.formats import Format
from core.clauses import clause

# Programs that write into a pipe cannot come back to fill in the length, and leave one of these.
_UNKNOWN_SIZES = {0, 0x7FFFFFFF, 0x7FFFF000, 0x7FFFFFFE, 0xFFFFFFFF, 0xFFFFFFFE}
BEYOND_HEADER = clause("a plain WAV cannot say how long it is beyond 4 GiB; export it as RF64, W64 or FLAC")
_MOST_CHUNKS = 10_000
_W64_DATA = b"data" + bytes.fromhex("f3acd3118cd100c04f8edb8a")


def claimed_bytes(file: BinaryIO, *, format: Format, name: str) -> int | None:
    """How many bytes of samples the header promises, or None if it does not say.

    Refuses a file that holds less than that, and a plain WAV that has outgrown its header.
    """
    size = file.seek(0, 2)
    file.seek(0)
    walk = {Format.WAV: _wav_data, Format.W64: _w64_data, Format.AIFF: _aiff_data}.get(format)
    claim = next(walk(file, size), None) if walk else None
    if claim is None:
        return None
    start, length = claim
    if format is Format.WAV and size >= 2**32 and length < 2**32:
        raise SoundUnsupported(name=name, problem=BEYOND_HEADER)
    if start + length > size + 1:  # some count the byte that makes an odd length even, and do not write it
        problem = clause("it should hold {claim} bytes of samples and holds {found}", claim=length, found=size - start)
        raise SoundBroken(name=name, problem=problem)
    return length


def _wav_data(file: BinaryIO, size: int) -> Iterator[tuple[int, int]]:
    """RIFF, RF64 and BW64 (EBU Tech 3306): chunks of a name and 32 bits of length, the long ones in `ds64`."""
    long_data = None
    for kind, start, length in _chunks(file, 12, size, "<4sI", 2):
        if kind == b"ds64":
            file.seek(start)
            long_data = int.from_bytes(file.read(16)[8:16], "little")
        if kind == b"data" and length == 0xFFFFFFFF and long_data is not None:
            yield start, long_data
        elif kind == b"data" and length not in _UNKNOWN_SIZES:
            yield start, length


def _aiff_data(file: BinaryIO, size: int) -> Iterator[tuple[int, int]]:
    for kind, start, length in _chunks(file, 12, size, ">4sI", 2):
        if kind == b"SSND" and length not in _UNKNOWN_SIZES:
            yield start + 8, length - 8  # after its offset and block size


def _w64_data(file: BinaryIO, size: int) -> Iterator[tuple[int, int]]:
    """Sony Wave64: names are GUIDs and lengths, which count their own 24 bytes, have 64 bits."""
    for kind, start, length in _chunks(file, 40, size, "<16sQ", 8, counts_head=True):
        if kind == _W64_DATA:
            yield start, length


def _chunks(
    file: BinaryIO, at: int, size: int, head: str, alignment: int, *, counts_head: bool = False
) -> Iterator[tuple[bytes, int, int]]:
    head_bytes = struct.calcsize(head)
    for _ in range(_MOST_CHUNKS):
        file.seek(at)
        read = file.read(head_bytes)
        if len(read) < head_bytes:
            return
        kind, length = struct.unpack(head, read)
        length -= head_bytes if counts_head else 0
        if length < 0:
            return
        yield kind, at + head_bytes, length
        at += head_bytes + length + -(head_bytes + length) % alignment
        if at >= size:
            return
