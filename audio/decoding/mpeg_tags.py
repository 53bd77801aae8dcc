"""Tags around and inside an MP3: what to step over, and what the encoder says about delay, padding and length."""

from dataclasses import dataclass
from typing import BinaryIO

from audio.decoding.mpeg_header import Header

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
