"""Frames and pages with new numbers and right checksums, for files that no encoder has time to write."""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import av
import numpy as np
from numpy.typing import NDArray

from audio.compiled import compiled
from audio.formats import Samples

Bytes = NDArray[np.uint8]
FRAMES_AT_ONCE = 1 << 16


def _table(polynomial: int, bits: int) -> NDArray[np.int64]:
    values = np.arange(256, dtype=np.int64) << bits - 8
    for _ in range(8):
        values = np.where(values >> bits - 1 & 1, values << 1 ^ polynomial, values << 1) & (1 << bits) - 1
    return values


_OGG = _table(0x04C11DB7, 32)
_FLAC_HEADER = _table(0x07, 8)
_FLAC_FRAME = _table(0x8005, 16)


@compiled
def _checksum(data: Bytes, table: NDArray[np.int64], bits: int) -> int:
    value = 0
    for byte in data:
        value = (value << 8) ^ table[(value >> (bits - 8) ^ byte) & 255]
    return value & (1 << bits) - 1


@dataclass(frozen=True)
class Packets:
    """Whole packets as a page holds them."""

    lacing: bytes
    body: bytes

    @classmethod
    def of(cls, *packets: bytes) -> "Packets":
        lacing = b"".join(b"\xff" * (len(packet) // 255) + bytes([len(packet) % 255]) for packet in packets)
        return cls(lacing, b"".join(packets))


def ogg_page(pieces: Sequence[Packets], *, granule: int, sequence: int, flags: int = 0) -> bytes:
    """A page of whole packets (RFC 3533 6)."""
    lacing = b"".join([piece.lacing for piece in pieces])
    head = struct.pack("<4sBBqIIIB", b"OggS", 0, flags, granule, 7, sequence, 0, len(lacing))
    page = b"".join([head, lacing, *[piece.body for piece in pieces]])
    checksum = _checksum(np.frombuffer(page, np.uint8), _OGG, 32)
    return page[:22] + struct.pack("<I", checksum) + page[26:]


def opus_packets(samples: Samples, kbits: int) -> list[bytes]:
    """Packets of 20 ms each, of one size."""
    encoder = av.CodecContext.create("libopus", "w")
    assert isinstance(encoder, av.AudioCodecContext)
    encoder.sample_rate, encoder.layout, encoder.format = 48000, "mono", "flt"
    encoder.options = {"b": str(kbits * 1000), "vbr": "off", "application": "lowdelay"}
    packets: list[bytes] = []
    for start in range(0, len(samples), 960):
        frame = av.AudioFrame.from_ndarray(samples[start : start + 960].T.copy(), format="flt", layout="mono")
        frame.sample_rate, frame.pts = 48000, start
        packets += [bytes(packet) for packet in encoder.encode(frame)]
    return packets + [bytes(packet) for packet in encoder.encode(None)]


def flac_frames(pieces: Sequence[bytes], order: NDArray[np.int64]) -> Iterator[bytes]:
    """Frames in this order, numbered anew (RFC 9639 9.1.5); a piece is a frame that had the number 0."""
    joined = np.frombuffer(b"".join(pieces), np.uint8)
    stops = np.cumsum([len(piece) for piece in pieces])
    starts = stops - [len(piece) for piece in pieces]
    for first in range(0, len(order), FRAMES_AT_ONCE):
        chosen = order[first : first + FRAMES_AT_ONCE]
        room = np.empty(int((stops - starts)[chosen].sum()) + 8 * len(chosen), np.uint8)
        yield room[: _number(joined, starts, stops, chosen, first, room)].tobytes()


@compiled
def _number(
    joined: Bytes,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    order: NDArray[np.int64],
    first: int,
    room: Bytes,
) -> int:
    at = 0
    for place, piece in enumerate(order):
        begin = at
        room[at : at + 4] = joined[starts[piece] : starts[piece] + 4]
        at = _write_number(first + place, room, at + 4)
        room[at] = _checksum(room[begin:at], _FLAC_HEADER, 8)
        body = joined[starts[piece] + 6 : stops[piece] - 2]
        room[at + 1 : at + 1 + len(body)] = body
        at += 1 + len(body)
        checksum = _checksum(room[begin:at], _FLAC_FRAME, 16)
        room[at] = checksum >> 8
        room[at + 1] = checksum & 255
        at += 2
    return at


@compiled
def _write_number(number: int, room: Bytes, at: int) -> int:
    """As UTF-8 would write it."""
    if number < 0x80:
        room[at] = number
        return at + 1
    extra = 1
    while number >> 5 * extra + 6:
        extra += 1
    room[at] = (0xFF << 7 - extra & 0xFF) | number >> 6 * extra
    for place in range(extra):
        room[at + 1 + place] = 0x80 | (number >> 6 * (extra - 1 - place) & 0x3F)
    return at + 1 + extra
