"""Slices: a few seconds of a recording of any length, in a form that browsers decode to exactly these samples."""

import io
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from audio.decode.mp3_index import FrameIndex
from audio.errors import PositionOutside
from audio.formats import Format, Samples, Shape

# The FLAC format knows no more (RFC 9639 9.1.3).
_MOST_FLAC_CHANNELS = 8
_WAVE_FORMAT_IEEE_FLOAT = 3


@dataclass(frozen=True)
class Slice:
    content: bytes
    media_type: str
    lead_samples: int  # to drop after decoding
    length_samples: int  # to keep after those


@dataclass(frozen=True)
class ByteRange:
    """A slice that can be sent as it lies in the file."""

    first_byte: int
    stop_byte: int
    media_type: str
    lead_samples: int
    length_samples: int


def find_byte_range(*, index: bytes, start: int, count: int) -> ByteRange:
    """Say which bytes of an MP3 hold these samples; takes no decoder.

    In the rare file with tags or junk between its frames they come along; browsers step over them.
    """
    return _find_byte_range(FrameIndex.from_bytes(index), start, count)


def has_tags_inside(index: bytes) -> bool:
    """Whether something that is no sound stands between the frames of an MP3."""
    return FrameIndex.from_bytes(index).foreign_bytes > 0


def _find_byte_range(frames: FrameIndex, start: int, count: int) -> ByteRange:
    _check_range(start, count, frames.length_samples)
    span = frames.span(start, count)
    return ByteRange(span.first_byte, span.stop_byte, "audio/mpeg", span.lead_samples, count)


def cut_slice(file: BinaryIO, *, format: Format, index: bytes, start: int, count: int, shape: Shape) -> Slice:
    """Cut out [start, start + count): an MP3 by its own frames, anything else decoded and written anew without loss."""
    if format is Format.MP3:
        return _cut_mp3(file, FrameIndex.from_bytes(index), start, count)
    from audio.decode.open import open_sound

    _check_range(start, count, shape.length_samples)
    return encode_slice(open_sound(file, format=format).read(start, count), shape)


def _cut_mp3(file: BinaryIO, frames: FrameIndex, start: int, count: int) -> Slice:
    found = _find_byte_range(frames, start, count)
    file.seek(found.first_byte)
    content = file.read(found.stop_byte - found.first_byte)
    if frames.foreign_bytes:
        from audio.decode.mp3 import only_frames

        content = only_frames(content, frames.header)
    return Slice(content, found.media_type, found.lead_samples, found.length_samples)


def encode_slice(samples: Samples, shape: Shape) -> Slice:
    """Write decoded samples as a slice: FLAC, or a WAV of floating point numbers where the source has such."""
    if shape.bits > 24 or shape.channels > _MOST_FLAC_CHANNELS:
        return Slice(_encode_float_wav(samples, shape.sample_rate_hz), "audio/wav", 0, len(samples))
    return Slice(encode_flac(samples, shape.sample_rate_hz, bits=shape.bits), "audio/flac", 0, len(samples))


def encode_flac(samples: Samples, sample_rate_hz: int, *, bits: int) -> bytes:
    """Write samples as FLAC, rounded to 16 or 24 bits; samples that came out of so many go back into the same ones.

    The stream has 24 bits either way. FLAC does not store the lowest ones where they are all 0, and browsers scale
    24 bits by a power of two, but the positive half of 16 bits by 32767.
    """
    import numpy as np
    import soundfile

    steps = 2 ** (bits - 1)
    whole = np.clip(np.rint(samples * np.float32(steps)), -steps, steps - 1).astype(np.int32) << 32 - bits
    target = io.BytesIO()
    soundfile.write(target, whole, sample_rate_hz, format="FLAC", subtype="PCM_24", compression_level=0.5)
    return target.getvalue()


def _encode_float_wav(samples: Samples, sample_rate_hz: int) -> bytes:
    """Three chunks and no more: libsndfile would add one with the time of writing."""
    content = samples.astype("<f4").tobytes()
    channels = samples.shape[1]
    form = struct.pack(
        "<HHIIHHH",
        _WAVE_FORMAT_IEEE_FLOAT,
        channels,
        sample_rate_hz,
        sample_rate_hz * channels * 4,
        channels * 4,
        32,
        0,
    )
    chunks = [(b"fmt ", form), (b"fact", struct.pack("<I", len(samples))), (b"data", content)]
    body = b"WAVE" + b"".join(kind + struct.pack("<I", len(chunk)) + chunk for kind, chunk in chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _check_range(start: int, count: int, length: int) -> None:
    if start < 0 or count <= 0 or start + count > length:
        raise PositionOutside(start=start, stop=start + count, length=length)


# --- Codec similarity -------------------------------------------------------------------------------------------------


LOSSY = frozenset({Format.MP3, Format.OPUS, Format.VORBIS, Format.M4A})
# A variable bit rate follows what sounds, so equal settings give somewhat different sizes.
LARGEST_RATIO = 1.5


@dataclass(frozen=True)
class Coding:
    """How a sound came, as far as its bytes give it away."""

    format: Format
    bits_per_s: float

    @property
    def is_lossy(self) -> bool:
        return self.format in LOSSY

    def __str__(self) -> str:
        return f"{self.format} {self.bits_per_s / 1000:.0f} kbit/s" if self.is_lossy else f"{self.format}"


def are_similar(codings: Sequence[Coding]) -> bool:
    """Whether format and bit rate tell nothing; all that is lossless is served in one form anyway."""
    lossy = [coding for coding in codings if coding.is_lossy]
    if not lossy:
        return True
    rates = [coding.bits_per_s for coding in lossy]
    one_format = len({coding.format for coding in codings}) == 1
    return one_format and max(rates) <= LARGEST_RATIO * min(rates)
