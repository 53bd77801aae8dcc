"""Walking over the frames of an MP3 and mending what a decoder is given of them, in compiled loops."""

from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from audio.compiled import compiled
from audio.decoding.mpeg_header import KBITS, KIND_MASK, RATES_HZ, Header
from audio.errors import NotAudio, SoundUnsupported
from core.clauses import clause

Bytes = NDArray[np.uint8]

_KBITS = np.array(KBITS, np.int64)
_RATES_HZ = np.array(RATES_HZ, np.int64)
LONGEST_FRAME_BYTES = 2881
_SEARCH_BYTES = 1 << 17


@compiled
def word_at(data: Bytes, at: int) -> int:
    return int(data[at]) << 24 | int(data[at + 1]) << 16 | int(data[at + 2]) << 8 | int(data[at + 3])


@compiled
def frame_bytes(word: int) -> int:
    """How long the frame with this header is, or 0 if it is no header of a layer III frame."""
    version, layer = (word >> 19) & 3, (word >> 17) & 3
    if (word >> 21) != 0x7FF or layer != 1 or version == 1:
        return 0
    rate = int(_RATES_HZ[(word >> 10) & 3])
    kbits = int(_KBITS[0 if version == 3 else 1, (word >> 12) & 15])
    if rate == 0 or kbits == 0:
        return 0
    padding = (word >> 9) & 1
    if version == 3:
        return 144000 * kbits // rate + padding
    return 72000 * kbits // (rate // (2 if version == 2 else 4)) + padding


@compiled
def walk(data: Bytes, at: int, kind: int, counted: int, stride: int, room: NDArray[np.int64]) -> tuple[int, ...]:
    """Step from frame to frame until one is not whole or not there.

    Gives where that is, how many frames were passed, how many entries of `room` were filled (one for every
    `stride`th frame of the file, `counted` of which came before), and the shortest frame and the mono frames seen.
    """
    frames, filled, shortest, mono = 0, 0, LONGEST_FRAME_BYTES, 0
    while at + 4 <= data.shape[0]:
        word = word_at(data, at)
        length = frame_bytes(word) if word & KIND_MASK == kind else 0
        if length == 0 or at + length > data.shape[0]:
            break
        if (counted + frames) % stride == 0:
            room[filled] = at
            filled += 1
        shortest = min(shortest, length)
        mono += 1 if (word >> 6) & 3 == 3 else 0
        frames += 1
        at += length
    return at, frames, filled, shortest, mono


@compiled
def find(data: Bytes, at: int, kind: int) -> int:
    """Where the next frame begins that another follows or that ends the data; -1 if there is none. Kind 0 is any."""
    size = data.shape[0]
    while at + 4 <= size:
        word = word_at(data, at)
        length = frame_bytes(word) if kind == 0 or word & KIND_MASK == kind else 0
        following = at + length
        if length and following == size:
            return at
        if length and following + 4 <= size:
            second = word_at(data, following)
            if second & KIND_MASK == word & KIND_MASK and frame_bytes(second):
                return at
        at += 1
    return -1


@compiled
def silence_orphans(data: Bytes, side_bytes: int, reservoir_bytes: int) -> None:
    """Make silent, in place, the first frames whose data began in a frame before these.

    A decoder would complain about them, and drop them without a turn of its filter bank.
    """
    at, held = 0, 0
    while at + 4 <= data.shape[0] and held < reservoir_bytes:
        word = word_at(data, at)
        length = frame_bytes(word)
        if length == 0 or at + 6 + side_bytes > data.shape[0]:
            return
        side = at + 4 + (0 if word >> 16 & 1 else 2)
        back = int(data[side]) << 1 | int(data[side + 1]) >> 7 if reservoir_bytes > 255 else int(data[side])
        if back > held:
            for place in range(side, side + side_bytes):
                data[place] = 0
            # The way back stays as long as it can be: decoders keep no more of the reservoir than the last frame used.
            data[side] = held >> 1 if reservoir_bytes > 255 else held
            data[side + 1] = held << 7 & 255 if reservoir_bytes > 255 else 0
        held += max(0, at + length - side - side_bytes)
        at += length


def filler(header: Header, content: bytes = b"") -> bytes:
    """A frame of this kind that decodes to silence, with room for a tag behind its side information."""
    # 128 kbit/s, 64 in MPEG-2: long enough for a tag at every rate.
    silent = header.with_kbits(9 if header.is_mpeg_1 else 8)
    frame = silent.word.to_bytes(4, "big") + bytes(header.side_bytes) + content
    return frame.ljust(frame_bytes(silent.word), b"\0")


def find_first(file: BinaryIO, start: int, *, name: str) -> tuple[int, Header, bytes]:
    """The first frame after the tags at the beginning: where it is, its header, and its bytes."""
    file.seek(start)
    opening = file.read(_SEARCH_BYTES)
    at = find(np.frombuffer(opening, np.uint8), 0, 0)
    if at < 0:
        raise _why_not(opening, name)
    header = Header(int.from_bytes(opening[at : at + 4], "big"))
    return start + at, header, opening[at : at + frame_bytes(header.word)]


def _why_not(opening: bytes, name: str) -> NotAudio | SoundUnsupported:
    word = int.from_bytes(opening[:4].ljust(4, b"\0"), "big")
    is_synced = word >> 21 == 0x7FF and word >> 10 & 3 != 3
    if is_synced and word >> 17 & 3 in {2, 3}:
        problem = clause("it is MPEG audio of layer I or II; give MP3, WAV or FLAC")
        return SoundUnsupported(name=name, problem=problem)
    if is_synced and word >> 17 & 3 == 1 and word >> 12 & 15 == 0:
        problem = clause("it is a free-format MP3; give one with a standard bit rate")
        return SoundUnsupported(name=name, problem=problem)
    return NotAudio(name=name, problem=clause("it begins like an MP3 but holds no two frames in a row"))
