"""One walk over all frames of an MP3: where they begin, how many there are, and whether that is what was promised."""

import io
import math
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from audio.decoding.frames import DECODER_DELAY_SAMPLES, STRIDE_FRAMES, FrameIndex, offset_bytes
from audio.decoding.mpeg_frames import LONGEST_FRAME_BYTES, find, find_first, walk
from audio.decoding.mpeg_header import Header
from audio.decoding.mpeg_tags import InfoTag, read_info_tag, skip_tags
from audio.errors import EmptyAudio, SoundBroken, SoundUnsupported
from core.clauses import clause

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
        reached = walk(data, at, header.kind, 1, len(content), np.empty(1, np.int64))[0]
        pieces.append(content[at:reached])
        behind_tags = skip_tags(file, reached)
        at = behind_tags if behind_tags > reached else find(data, reached, header.kind)
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
        reached, frames, filled, shortest, mono = walk(data, at, self.header.kind, self.frames, STRIDE_FRAMES, room)
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
        found = find(data, at, self.header.kind)
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
        at = find(data, 0, 0)
        while at >= 0:
            other = Header(int.from_bytes(data[at : at + 4].tobytes(), "big"))
            at, frames, *_ = walk(data, at, other.kind, 1, len(data), np.empty(1, np.int64))
            self.other_s += frames * other.samples_per_frame / other.sample_rate_hz
            if self.other_s > OTHER_RATE_S:
                problem = clause(
                    "it changes its sample rate on the way, from {first} to {second} Hz; export it again with one rate",
                    first=self.header.sample_rate_hz,
                    second=other.sample_rate_hz,
                )
                raise SoundUnsupported(name=self.name, problem=problem)
            at = find(data, at, 0)

    def _refuse_junk(self, count: int, limit: float) -> None:
        if count > limit:
            problem = clause("{count} bytes between or after its frames are no MP3", count=count)
            raise SoundBroken(name=self.name, problem=problem)

    def index(self, tag: InfoTag) -> FrameIndex:
        if not self.frames:
            raise EmptyAudio(name=self.name)
        if tag.frames is not None and self.frames + 1 < tag.frames:
            problem = clause("it should have {claim} frames and has {found}", claim=tag.frames, found=self.frames)
            raise SoundBroken(name=self.name, problem=problem)
        if self.mono_frames not in {0, self.frames}:
            raise SoundUnsupported(name=self.name, problem=clause("it changes between mono and stereo on the way"))
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
