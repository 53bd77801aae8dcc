"""The one form of WAV that Earmark writes: fmt and data, and JUNK behind them to make a clip as long as others."""

import struct
from collections.abc import Sequence

PCM, FLOAT = 1, 3
CHUNK_HEAD_BYTES = 8
HEAD = struct.Struct("<4sI4s4sIHHIIHH4sI")
HEAD_LENGTH = HEAD.size  # 44: RIFF, fmt of 16 bytes, and the head of the data


def plain_bytes(length_samples: int, channels: int, bits: int) -> int:
    """How many bytes a clip has without filling."""
    data = length_samples * channels * bits // 8
    return HEAD_LENGTH + data + data % 2


def common_bytes(lengths: Sequence[int]) -> int:
    """To how many bytes clips of these lengths are brought: all equal, and each filled where they are not.

    Filling is a chunk, whose head alone takes eight bytes; so all clips get one as soon as one needs one.
    """
    longest = max(lengths)
    return longest if min(lengths) == longest else longest + CHUNK_HEAD_BYTES


def wav(data: bytes, *, sample_rate_hz: int, channels: int, bits: int, total_bytes: int = 0) -> bytes:
    """Write a WAV of exactly fmt and data, and of JUNK behind them if it must be longer."""
    padded = data + bytes(len(data) % 2)
    filling = max(0, total_bytes - HEAD_LENGTH - len(padded))
    junk = (
        struct.pack("<4sI", b"JUNK", filling - CHUNK_HEAD_BYTES) + bytes(filling - CHUNK_HEAD_BYTES) if filling else b""
    )
    head = wav_head(len(data), len(junk), sample_rate_hz=sample_rate_hz, channels=channels, bits=bits)
    return b"".join((head, padded, junk))


def wav_head(data_bytes: int, junk_bytes: int = 0, *, sample_rate_hz: int, channels: int, bits: int) -> bytes:
    """The 44 bytes before the data; 32 bits are floating point."""
    frame_bytes = channels * bits // 8
    return HEAD.pack(
        *(b"RIFF", HEAD_LENGTH - CHUNK_HEAD_BYTES + data_bytes + data_bytes % 2 + junk_bytes, b"WAVE", b"fmt ", 16),
        *(FLOAT if bits == 32 else PCM, channels, sample_rate_hz, sample_rate_hz * frame_bytes, frame_bytes, bits),
        *(b"data", data_bytes),
    )


def is_plain(head: bytes, byte_count: int, *, bits: int) -> bool:
    """Whether a file that begins so and is so long is in this very form already, without filling."""
    if len(head) < HEAD_LENGTH:
        return False
    riff, size, wave, fmt, fmt_size, tag, channels, rate, rate_bytes, frame, own_bits, data, length = HEAD.unpack_from(
        head
    )
    named = (riff, wave, fmt, data) == (b"RIFF", b"WAVE", b"fmt ", b"data")
    counted = size == byte_count - CHUNK_HEAD_BYTES and byte_count == HEAD_LENGTH + length + length % 2
    shaped = (fmt_size, tag, own_bits, frame, rate_bytes) == (16, PCM, bits, channels * bits // 8, rate * frame)
    return named and counted and shaped and length % 2 == 0 and length % max(frame, 1) == 0
