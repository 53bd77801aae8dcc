"""Audio formats, recognised by the first bytes of a file, and the shape of decoded sound."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

HEAD_BYTES = 4096


class Format(StrEnum):
    WAV = "wav"  # RF64 and BW64 too
    W64 = "w64"
    FLAC = "flac"
    MP3 = "mp3"
    OPUS = "opus"  # in Ogg
    VORBIS = "vorbis"  # in Ogg
    M4A = "m4a"  # AAC or ALAC in MP4
    AIFF = "aiff"


@dataclass(frozen=True)
class Handling:
    """How a format is read and cut."""

    demuxer: str  # the only one that libavformat may use
    exact_seek: bool  # libsndfile finds any sample of it at once
    suffixes: tuple[str, ...]


HANDLING = {
    Format.WAV: Handling("wav", True, (".wav", ".rf64", ".bw64")),
    Format.W64: Handling("w64", True, (".w64",)),
    Format.FLAC: Handling("flac", True, (".flac",)),
    Format.MP3: Handling("mp3", False, (".mp3",)),
    Format.OPUS: Handling("ogg", False, (".opus", ".ogg", ".oga")),
    Format.VORBIS: Handling("ogg", False, (".ogg", ".oga")),
    Format.M4A: Handling("mov", False, (".m4a", ".mp4")),
    Format.AIFF: Handling("aiff", True, (".aif", ".aiff", ".aifc")),
}
SUFFIXES = frozenset(suffix for handling in HANDLING.values() for suffix in handling.suffixes)
# Their packets cannot be played from the middle by every browser; a long one gets a FLAC master, and slices of that.
CANNOT_BE_CUT = frozenset({Format.OPUS, Format.VORBIS, Format.M4A})
W64_GUID = bytes.fromhex("726966662e91cf11a5d628db04c10000")


def recognise_format(head: bytes) -> Format | None:
    """Name the format of a file that begins so, or None if it is no sound that Earmark reads."""
    return next((kind for kind, matches in _SIGNS.items() if matches(head)), None)


def _is_mp3(head: bytes) -> bool:
    """An ID3 tag, or a frame header of layer III with a valid rate; the frame after it is the decoder's to check."""
    if head[:3] == b"ID3":
        return True
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    bit_rate, sample_rate = head[2] >> 4, head[2] >> 2 & 3
    return version != 1 and layer == 1 and bit_rate not in {0, 15} and sample_rate != 3


_SIGNS: dict[Format, Callable[[bytes], bool]] = {
    Format.WAV: lambda head: head[:4] in {b"RIFF", b"RF64", b"BW64"} and head[8:12] == b"WAVE",
    Format.W64: lambda head: head[:16] == W64_GUID,
    Format.FLAC: lambda head: head[:4] == b"fLaC",
    Format.OPUS: lambda head: head[:4] == b"OggS" and b"OpusHead" in head[:512],
    Format.VORBIS: lambda head: head[:4] == b"OggS" and b"\x01vorbis" in head[:512],
    Format.M4A: lambda head: head[4:8] == b"ftyp",
    Format.AIFF: lambda head: head[:4] == b"FORM" and head[8:12] in {b"AIFF", b"AIFC"},
    Format.MP3: _is_mp3,
}


# --- Decoded sound ----------------------------------------------------------------------------------------------------


# Frames down, channels across; full scale is 1.0.
Samples = NDArray[np.float32]


@dataclass(frozen=True)
class Shape:
    """What kind of sound a file holds. Positions and lengths are whole samples, counted per channel."""

    format: str  # a Format
    sample_rate_hz: int
    channels: int
    length_samples: int
    bits: int  # worth keeping: 16 to 24, or 32 for floating point; 16 for lossy codecs

    def to_json(self) -> dict[str, Any]:
        return vars(self).copy()

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Self:
        return cls(**facts)


class Readable(Protocol):
    """The part of audio.decode.base.Sound that measuring and drawing need."""

    @property
    def shape(self) -> Shape: ...

    def blocks(self, start: int = 0, stop: int | None = None, size: int = 2**20) -> Iterator[Samples]: ...
