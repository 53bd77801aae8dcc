"""Decoder for MP3: libmpg123, inside libsndfile, is given exactly the frames that a range of samples needs."""

import io
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import soundfile
from numpy.typing import NDArray

from audio.compiled import compiled
from audio.decode.base import Sound
from audio.decode.libsndfile import MemoryDecoder
from audio.decode.mp3_index import (
    ALIGNED_FRAMES,
    DECODER_DELAY_SAMPLES,
    KBITS,
    KIND_MASK,
    RATES_HZ,
    STRIDE_FRAMES,
    FrameIndex,
    Header,
    Span,
    offset_bytes,
)
from audio.errors import EmptyAudio, NotAudio, SoundBroken, SoundUnsupported, gettext_noop
from audio.formats import Format, Samples, Shape

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
def walk_frames(data: Bytes, at: int, kind: int, counted: int, stride: int, room: NDArray[np.int64]) -> tuple[int, ...]:
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
def find_frame(data: Bytes, at: int, kind: int) -> int:
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
    at = find_frame(np.frombuffer(opening, np.uint8), 0, 0)
    if at < 0:
        raise _not_mp3_error(opening, name)
    header = Header(int.from_bytes(opening[at : at + 4], "big"))
    return start + at, header, opening[at : at + frame_bytes(header.word)]


def _not_mp3_error(opening: bytes, name: str) -> NotAudio | SoundUnsupported:
    word = int.from_bytes(opening[:4].ljust(4, b"\0"), "big")
    is_synced = word >> 21 == 0x7FF and word >> 10 & 3 != 3
    if is_synced and word >> 17 & 3 in {2, 3}:
        problem = gettext_noop("it is MPEG audio of layer I or II; give MP3, WAV or FLAC")
        return SoundUnsupported(name=name, problem=problem)
    if is_synced and word >> 17 & 3 == 1 and word >> 12 & 15 == 0:
        problem = gettext_noop("it is a free-format MP3; give one with a standard bit rate")
        return SoundUnsupported(name=name, problem=problem)
    return NotAudio(name=name, problem=gettext_noop("it begins like an MP3 but holds no two frames in a row"))


# --- Tags -------------------------------------------------------------------------------------------------------------


# Encoders whose tag carries true delays; in others those bytes may mean anything.
_HONEST_ENCODERS = (b"LAME", b"Lavf", b"Lavc")


@dataclass(frozen=True)
class InfoTag:
    """What the first frame says when it is no sound but a table of contents."""

    frames: int | None
    delay_samples: int | None  # the encoder's, without the decoder's 529
    padding_samples: int | None


def skip_tags(file: BinaryIO, at: int) -> int:
    """Where the tags that begin here end: ID3v2, ID3v1, Lyrics3 and APE, in any order and number."""
    while (length := _tag_bytes(_read(file, at, 32))) > 0:
        at += length
    return at


def _read(file: BinaryIO, at: int, count: int) -> bytes:
    file.seek(at)
    return file.read(count)


def _tag_bytes(head: bytes) -> int:
    if head[:3] == b"ID3" and len(head) >= 10:
        size = 0
        for byte in head[6:10]:  # four times seven bits, so that no sync word can appear
            size = size << 7 | byte & 0x7F
        return 10 + size + (10 if head[5] & 0x10 else 0)
    if head[:3] == b"TAG":
        return 227 if head[3:4] == b"+" else 128
    if head[:8] == b"APETAGEX" and len(head) == 32:
        is_header = head[23] & 0x20
        return int.from_bytes(head[12:16], "little") + 32 if is_header else 32
    return 0


def read_info_tag(frame: bytes, header: Header) -> InfoTag | None:
    """Read a Xing, Info or VBRI tag; None if this is a frame of sound."""
    if frame[36:40] == b"VBRI":
        return InfoTag(int.from_bytes(frame[50:54], "big") or None, None, None)
    at = 4 + header.side_bytes
    for start in (at, at + 2):  # a checksum may lie between
        if frame[start : start + 4] in {b"Xing", b"Info"}:
            return _read_xing(frame, start + 4)
    return None


def _read_xing(frame: bytes, at: int) -> InfoTag:
    flags = int.from_bytes(frame[at : at + 4], "big")
    at += 4
    frames = int.from_bytes(frame[at : at + 4], "big") or None if flags & 1 else None
    # count of frames, count of bytes, table of contents, quality
    at += sum(size for bit, size in ((1, 4), (2, 4), (4, 100), (8, 4)) if flags & bit)
    if frame[at : at + 4] not in _HONEST_ENCODERS or len(frame) < at + 24:
        return InfoTag(frames, None, None)
    delays = int.from_bytes(frame[at + 21 : at + 24], "big")
    return InfoTag(frames, delays >> 12, delays & 0xFFF)


# --- Frame survey -----------------------------------------------------------------------------------------------------


BLOCK_BYTES = 1 << 24
# A damaged header costs its frame. More than a few of them, or one byte in a thousand, is a damaged file.
JUNK_BYTES = 8192
JUNK_SHARE = 0.001
TAIL_BYTES = 1 << 17
# What else is there may look like a frame or two of another rate by chance; so much of them is sound.
OTHER_RATE_S = 1.0
_SHORTEST_FRAME_BYTES = 24


def index_mp3(file: BinaryIO, *, name: str = "") -> FrameIndex:
    """Walk over all frames of an MP3, whatever its bit rates, and refuse one that is damaged or breaks off."""
    start, header, opening = find_first(file, skip_tags(file, 0), name=name)
    tag = read_info_tag(opening, header)
    survey = _Survey(file, header, name)
    survey.run(start + len(opening) if tag else start)
    return survey.index(tag or InfoTag(None, None, None))


def only_frames(content: bytes, header: Header) -> bytes:
    """The frames out of a part of the file that begins with one, found in the same way as when they were counted."""
    data, file = np.frombuffer(content, np.uint8), io.BytesIO(content)
    pieces: list[bytes] = []
    at = 0
    while 0 <= at < len(content):
        reached = walk_frames(data, at, header.kind, 1, len(content), np.empty(1, np.int64))[0]
        pieces.append(content[at:reached])
        behind_tags = skip_tags(file, reached)
        at = behind_tags if behind_tags > reached else find_frame(data, reached, header.kind)
    return b"".join(pieces)


class _Survey:
    """One walk from the first frame to the last, a block of the file at a time."""

    def __init__(self, file: BinaryIO, header: Header, name: str) -> None:
        self.file = file
        self.header = header
        self.name = name
        self.size = file.seek(0, 2)
        self.frames = 0
        self.frame_bytes = 0
        self.mono_frames = 0
        self.junk = 0
        self.other_s = 0.0
        self.shortest = LONGEST_FRAME_BYTES
        self.stop = 0
        self.offsets: list[NDArray[np.int64]] = []

    def run(self, at: int) -> None:
        while at < self.size:
            self.file.seek(at)
            data = np.frombuffer(self.file.read(BLOCK_BYTES), np.uint8)
            if not len(data):
                break
            at += self._scan(data, at)

    def _scan(self, data: NDArray[np.uint8], base: int) -> int:
        """Count the frames of one block; returns how much of it is done with."""
        is_end = base + len(data) >= self.size
        at = 0
        while True:
            at = self._walk(data, at, base)
            left = len(data) - at
            if left == 0 or (not is_end and left < LONGEST_FRAME_BYTES):
                return at  # the frame goes on in the next block
            at, is_found = self._resume(data, at, base)
            if not is_found:
                return at

    def _walk(self, data: NDArray[np.uint8], at: int, base: int) -> int:
        room = np.empty((len(data) - at) // (_SHORTEST_FRAME_BYTES * STRIDE_FRAMES) + 2, np.int64)
        reached, frames, filled, shortest, mono = walk_frames(
            data, at, self.header.kind, self.frames, STRIDE_FRAMES, room
        )
        if frames:
            self.offsets.append(room[:filled] + base)
            self.frames += frames
            self.frame_bytes += reached - at
            self.mono_frames += mono
            self.shortest = min(self.shortest, shortest)
            self.stop = base + reached
        return reached

    def _resume(self, data: NDArray[np.uint8], at: int, base: int) -> tuple[int, bool]:
        """Step over what is no frame: a tag, or junk up to the next frame of this kind."""
        behind_tags = skip_tags(self.file, base + at) - base
        if behind_tags > at:
            return behind_tags, behind_tags < len(data)
        found = find_frame(data, at, self.header.kind)
        if found >= 0:
            self.junk += found - at
            self._refuse_other_rate(data[at:found])
            self._refuse_junk(self.junk, max(JUNK_BYTES, JUNK_SHARE * self.size))
            return found, True
        if base + len(data) < self.size and at > 0:
            return at, False  # look again with a whole block in view
        self._refuse_other_rate(data[at:])
        self._refuse_junk(self.size - base - at, TAIL_BYTES)
        return self.size - base, False

    def _refuse_other_rate(self, data: NDArray[np.uint8]) -> None:
        """Refuse frames of another rate, of which nothing would be heard: two recordings that were joined as bytes."""
        at = find_frame(data, 0, 0)
        while at >= 0:
            other = Header(int.from_bytes(data[at : at + 4].tobytes(), "big"))
            at, frames, *_ = walk_frames(data, at, other.kind, 1, len(data), np.empty(1, np.int64))
            self.other_s += frames * other.samples_per_frame / other.sample_rate_hz
            if self.other_s > OTHER_RATE_S:
                problem = gettext_noop(
                    "it changes its sample rate on the way, from {first} to {second} Hz; export it again with one rate"
                )
                raise SoundUnsupported(
                    name=self.name, problem=problem, first=self.header.sample_rate_hz, second=other.sample_rate_hz
                )
            at = find_frame(data, at, 0)

    def _refuse_junk(self, count: int, limit: float) -> None:
        if count > limit:
            problem = gettext_noop("{count} bytes between or after its frames are no MP3")
            raise SoundBroken(name=self.name, problem=problem, count=count)

    def index(self, tag: InfoTag) -> FrameIndex:
        if not self.frames:
            raise EmptyAudio(name=self.name)
        if tag.frames is not None and self.frames + 1 < tag.frames:
            problem = gettext_noop("it should have {claim} frames and has {found}")
            raise SoundBroken(name=self.name, problem=problem, claim=tag.frames, found=self.frames)
        if self.mono_frames not in {0, self.frames}:
            raise SoundUnsupported(
                name=self.name, problem=gettext_noop("it changes between mono and stereo on the way")
            )
        # Of a file that others were appended to, the tag's padding lies somewhere in the middle.
        is_whole = tag.frames is None or abs(self.frames - tag.frames) <= 1
        offsets = np.concatenate(self.offsets)
        index = FrameIndex(
            header=self.header,
            delay_samples=0 if tag.delay_samples is None else tag.delay_samples + DECODER_DELAY_SAMPLES,
            padding_samples=max(0, (tag.padding_samples or 0) - DECODER_DELAY_SAMPLES) if is_whole else 0,
            preroll_frames=_preroll_frames(self.header, self.shortest),
            frame_count=self.frames,
            foreign_bytes=self.stop - int(offsets[0]) - self.frame_bytes,
            stop_byte=self.stop,
            offsets=offsets.astype(f"<u{offset_bytes(self.stop)}").tobytes(),
        )
        if index.length_samples <= 0:
            raise EmptyAudio(name=self.name)
        return index


def _preroll_frames(header: Header, shortest_bytes: int) -> int:
    """Frames that a decoder must see before the first that counts.

    Two for the overlap of the transform and the memory of the filter bank, and before those as many as the bit
    reservoir can reach back over when every frame is as short as the shortest.
    """
    data_bytes = max(3, shortest_bytes - 4 - 2 - header.side_bytes)
    return max(10, 2 + math.ceil(header.reservoir_bytes / data_bytes))


# --- Decoder ----------------------------------------------------------------------------------------------------------


# What is decoded with one decoder, whose compressed bytes are held in memory: 3 minutes, 3 MB at 128 kbit/s.
SECTION_SAMPLES = 1 << 23


class Mp3Sound(Sound):
    def __init__(self, file: BinaryIO, *, name: str, index: bytes) -> None:
        self.name = name
        self._file = file
        self.index = FrameIndex.from_bytes(index) if index else index_mp3(file, name=name)
        header = self.index.header
        self.shape = Shape(
            format=str(Format.MP3),
            sample_rate_hz=header.sample_rate_hz,
            channels=header.channels,
            length_samples=self.index.length_samples,
            bits=16,
        )

    def _stream(self, start: int, stop: int, size: int) -> Iterator[Samples]:
        section = max(SECTION_SAMPLES // size, 1) * size
        for at in range(start, stop, section):
            yield from self._section(at, min(at + section, stop), size)

    def _section(self, start: int, stop: int, size: int) -> Iterator[Samples]:
        content, lead = self._decodable(self.index.span(start, stop - start))
        at = start
        with suppress(soundfile.LibsndfileError), MemoryDecoder(content) as decoder:
            decoder.read(lead, dtype="float32")
            while at < stop:
                samples: Samples = decoder.read(min(size, stop - at), dtype="float32", always_2d=True)
                if samples.shape[1] != self.shape.channels or not len(samples):
                    break
                at += len(samples)
                yield samples
        if at < stop:
            raise self._broken_off(at)

    def _decodable(self, span: Span) -> tuple[bytes, int]:
        """A small MP3 of just these frames, and how many of its samples come before the wanted ones."""
        header = self.index.header
        self._file.seek(span.first_byte)
        frames = self._file.read(span.stop_byte - span.first_byte)
        if self.index.foreign_bytes:
            frames = only_frames(frames, header)
        data = np.frombuffer(bytearray(frames), np.uint8)
        silence_orphans(data, header.side_bytes, header.reservoir_bytes)
        count = span.stop_frame - span.first_frame
        # The decoder drops its own delay, which must not be taken from the sound when there is nothing before it.
        silent = ALIGNED_FRAMES if span.first_frame == 0 else 0
        content = filler(header, info_tag(count + silent)) + filler(header) * silent + data.tobytes()
        return content, span.lead_samples + silent * header.samples_per_frame - DECODER_DELAY_SAMPLES


def info_tag(frames: int) -> bytes:
    """Without a count of frames the decoder guesses the length, and stops there."""
    return b"Info" + (1).to_bytes(4, "big") + frames.to_bytes(4, "big")
