"""Sound out of a file: exact samples from any position of any format, without holding more than a section of it."""

from typing import BinaryIO

from audio.decoding.base import BLOCK_SAMPLES as BLOCK_SAMPLES
from audio.decoding.base import Sound as Sound
from audio.decoding.mp3 import Mp3Sound
from audio.decoding.packets import PacketSound
from audio.decoding.seekable import SeekableSound
from audio.formats import HANDLING, Format


def open_sound(file: BinaryIO, *, format: Format, name: str = "", index: bytes = b"") -> Sound:
    """Open a file whose format is known by its first bytes; `index` is what `frames.build_index` made of it."""
    if format is Format.MP3:
        return Mp3Sound(file, name=name, index=index)
    if HANDLING[format].exact_seek:
        return SeekableSound(file, format=format, name=name)
    return PacketSound(file, format=format, name=name)
