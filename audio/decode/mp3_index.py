"""MP3 frame index: a small table that turns any sample of a day-long file into a byte range."""

import struct
from dataclasses import dataclass
from typing import BinaryIO, Self

from audio.formats import Format

KIND_MASK = 0xFFFE0C00  # sync, version, layer, sample rate: what never changes inside one stream
RATES_HZ = (44100, 48000, 32000, 0)
# kbit/s by index: MPEG-1, then MPEG-2 and 2.5. 0 is free format, 15 is forbidden; neither is taken.
KBITS = (
    (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0),
    (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
)


@dataclass(frozen=True)
class Header:
    word: int

    @property
    def kind(self) -> int:
        return self.word & KIND_MASK

    @property
    def is_mpeg_1(self) -> bool:
        return self.word >> 19 & 3 == 3

    @property
    def sample_rate_hz(self) -> int:
        return RATES_HZ[self.word >> 10 & 3] // {3: 1, 2: 2, 0: 4}[self.word >> 19 & 3]

    @property
    def channels(self) -> int:
        return 1 if self.word >> 6 & 3 == 3 else 2

    @property
    def samples_per_frame(self) -> int:
        return 1152 if self.is_mpeg_1 else 576

    @property
    def side_bytes(self) -> int:
        """How long the side information is that follows the header (2.4.1.7)."""
        if self.is_mpeg_1:
            return 17 if self.channels == 1 else 32
        return 9 if self.channels == 1 else 17

    @property
    def reservoir_bytes(self) -> int:
        """How far back a frame's data may begin: main_data_begin has 9 bits, 8 in MPEG-2."""
        return 511 if self.is_mpeg_1 else 255

    def with_kbits(self, index: int) -> "Header":
        """The header of a frame of this kind with another bit rate, without checksum and padding."""
        return Header((self.word | 1 << 16) & ~(0xF << 12) & ~(1 << 9) | index << 12)


# --- Frame index ------------------------------------------------------------------------------------------------------


# What a decoder's transform and filter bank add (528 + 1); the delay in LAME's tag counts without them.
DECODER_DELAY_SAMPLES = 529
# libmpg123 adds the products of its filter bank in an order that comes round every eighth frame. Decoding that
# starts on a multiple of it gives the same bits as decoding from the beginning.
ALIGNED_FRAMES = 8
STRIDE_FRAMES = 2 * ALIGNED_FRAMES

MAGIC = b"EMFI"
VERSION = 1
_HEAD = struct.Struct("<4sHHIIIIQQQ")


@dataclass(frozen=True)
class Span:
    """Frames to hand to a decoder for a range of samples, and how many decoded samples come before that range."""

    first_frame: int
    stop_frame: int
    first_byte: int
    stop_byte: int
    lead_samples: int


@dataclass(frozen=True)
class FrameIndex:
    """The byte offset of every 16th frame. Sample 0 is the first after the encoder's and the decoder's delay."""

    header: Header
    delay_samples: int  # decoded samples before the first that counts
    padding_samples: int  # decoded samples after the last that counts
    preroll_frames: int  # a decoder that starts so much earlier gives the same as one that started at the beginning
    frame_count: int
    foreign_bytes: int  # tags and junk between the first frame and the last
    stop_byte: int
    offsets: bytes  # little-endian, 32 bits each, or 64 in files beyond 4 GiB

    @property
    def length_samples(self) -> int:
        return self.frame_count * self.header.samples_per_frame - self.delay_samples - self.padding_samples

    def span(self, start: int, count: int) -> Span:
        """Say which bytes hold the samples [start, start + count) and what a decoder needs before them."""
        size = self.header.samples_per_frame
        first_sample = start + self.delay_samples
        first = max(0, first_sample // size - self.preroll_frames) // STRIDE_FRAMES
        stop = -(-(first_sample + count) // (size * STRIDE_FRAMES))
        return Span(
            first_frame=first * STRIDE_FRAMES,
            stop_frame=min(stop * STRIDE_FRAMES, self.frame_count),
            first_byte=self._offset(first),
            stop_byte=self._offset(stop) if stop * STRIDE_FRAMES < self.frame_count else self.stop_byte,
            lead_samples=first_sample - first * STRIDE_FRAMES * size,
        )

    def _offset(self, entry: int) -> int:
        width = offset_bytes(self.stop_byte)
        return int.from_bytes(self.offsets[entry * width : (entry + 1) * width], "little")

    def to_bytes(self) -> bytes:
        head = _HEAD.pack(
            MAGIC,
            VERSION,
            STRIDE_FRAMES,
            self.header.word,
            self.delay_samples,
            self.padding_samples,
            self.preroll_frames,
            self.foreign_bytes,
            self.frame_count,
            self.stop_byte,
        )
        return head + self.offsets

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        magic, version, stride, word, delay, padding, preroll, foreign, frames, stop = _HEAD.unpack_from(content)
        if (magic, version, stride) != (MAGIC, VERSION, STRIDE_FRAMES):
            raise ValueError("This is no frame index of this version; build it again.")
        return cls(Header(word), delay, padding, preroll, frames, foreign, stop, content[_HEAD.size :])


def offset_bytes(stop_byte: int) -> int:
    """How many bytes an offset takes in the index of a file whose frames end there."""
    return 4 if stop_byte < 2**32 else 8


def build_index(file: BinaryIO, *, format: Format, name: str = "") -> bytes:
    """Find the frames of an MP3; a format that a decoder can seek in needs no index, and gets an empty one."""
    if format is not Format.MP3:
        return b""
    from audio.decode.mp3 import index_mp3

    return index_mp3(file, name=name).to_bytes()
