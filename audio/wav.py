"""Plain WAV files, the only kind of WAV that is written here, and the bit depth of their samples."""

import struct
from collections.abc import Sequence

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from audio.formats import Samples

PCM, FLOAT = 1, 3
CHUNK_HEAD_BYTES = 8
HEAD = struct.Struct("<4sI4s4sIHHIIHH4sI")
HEAD_LENGTH = HEAD.size  # 44: RIFF, fmt of 16 bytes, and the head of the data


def plain_bytes(length_samples: int, channels: int, bits: int) -> int:
    """How many bytes a clip has without padding."""
    data = length_samples * channels * bits // 8
    return HEAD_LENGTH + data + data % 2


def common_bytes(lengths: Sequence[int]) -> int:
    """To how many bytes clips of these lengths are brought: all equal, and each filled where they are not.

    Filling is a chunk, whose head alone takes eight bytes; so all clips get one as soon as one needs one.
    """
    longest = max(lengths)
    return longest if min(lengths) == longest else longest + CHUNK_HEAD_BYTES


def encode_wav(data: bytes, *, sample_rate_hz: int, channels: int, bits: int, total_bytes: int = 0) -> bytes:
    """Write a WAV of exactly fmt and data, and of JUNK behind them if it must be longer."""
    padded = data + bytes(len(data) % 2)
    padding_bytes = max(0, total_bytes - HEAD_LENGTH - len(padded))
    junk = (
        struct.pack("<4sI", b"JUNK", padding_bytes - CHUNK_HEAD_BYTES) + bytes(padding_bytes - CHUNK_HEAD_BYTES)
        if padding_bytes
        else b""
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
    """Whether a file that begins so and is so long is in this very form already, without padding."""
    if len(head) < HEAD_LENGTH:
        return False
    riff, size, wave, fmt, fmt_size, tag, channels, rate, rate_bytes, frame, own_bits, data, length = HEAD.unpack_from(
        head
    )
    named = (riff, wave, fmt, data) == (b"RIFF", b"WAVE", b"fmt ", b"data")
    counted = size == byte_count - CHUNK_HEAD_BYTES and byte_count == HEAD_LENGTH + length + length % 2
    shaped = (fmt_size, tag, own_bits, frame, rate_bytes) == (16, PCM, bits, channels * bits // 8, rate * frame)
    return named and counted and shaped and length % 2 == 0 and length % max(frame, 1) == 0


# --- Bit depth --------------------------------------------------------------------------------------------------------


# Zeros in the lowest bits would tell a condition of 16 bits from one of 24. So all clips of a collection are served
# with the depth of the one that has least, but never with less than 16 bits: coarser is audible, and a condition.
LEAST_BITS, MOST_BITS = 16, 24
BLOCK = 2**16  # frames that are dithered at a time


class DepthMeter:
    """Finds how many bits the samples need, whatever they are stored in: 16 bits in a file of 24 are 16."""

    def __init__(self, stored_bits: int) -> None:
        self._stored = stored_bits
        self._used = 0  # every bit, of 24, that some sample has
        self._beyond = False  # whether some sample is between the steps of 24 bits, or beyond full scale

    def feed(self, samples: Samples) -> None:
        if self._stored <= LEAST_BITS or self._beyond or self._used & 1:
            return
        scaled = samples * np.float32(2 ** (MOST_BITS - 1))
        if self._stored > MOST_BITS and not _are_steps(scaled):
            self._beyond = True
            return
        self._used |= int(np.bitwise_or.reduce(scaled.astype(np.int32), axis=None))

    @property
    def bits(self) -> int:
        """Silence needs none, and counts as what it is stored in."""
        if self._beyond or not self._used:
            return self._stored
        unused = (self._used & -self._used).bit_length() - 1
        return max(LEAST_BITS, min(MOST_BITS - unused, self._stored))


def measure_depth(samples: Samples, stored_bits: int) -> int:
    meter = DepthMeter(stored_bits)
    meter.feed(samples)
    return meter.bits


def common_depth(needed: set[int], origins: set[int]) -> int:
    """With how many bits all clips of a collection are served.

    `needed` are the depths of the sounds, `origins` those of what they were made from: copies at another level of
    sounds with 16 and 24 bits need 24 each, and the steps between their samples would tell them apart.
    """
    return min({MOST_BITS} | needed | (origins if len(origins) > 1 else set()))


def add_dither(samples: Samples, bits: int, sha256: str) -> Samples:
    """Samples rounded to steps of so many bits (whole numbers), with triangular dither of two steps from peak to peak.

    The dither follows from the digest of the original, so that a file is always dithered the same. What is silent
    stays silent, as in a file that has so few bits already.
    """
    steps = float(1 << (bits - 1))
    rng = Generator(PCG64(int(sha256, 16)))
    rounded: Samples = np.empty(samples.shape, np.float32)
    for start in range(0, len(samples), BLOCK):
        block = samples[start : start + BLOCK]
        noise: NDArray[np.float64] = rng.random(block.shape) - rng.random(block.shape)
        np.rint(block * steps + np.where(block == 0, 0.0, noise), out=rounded[start : start + BLOCK], casting="unsafe")
    return rounded


def _are_steps(scaled: Samples) -> bool:
    return bool(np.abs(scaled).max(initial=0) <= 2 ** (MOST_BITS - 1) and (scaled == np.rint(scaled)).all())
