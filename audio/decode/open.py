"""Opening of files with the decoder of their format."""

from typing import BinaryIO

from audio.decode.base import BLOCK_SAMPLES as BLOCK_SAMPLES
from audio.decode.base import Sound as Sound
from audio.decode.mp3 import Mp3Sound
from audio.decode.packets import PacketSound
from audio.decode.pcm import SeekableSound
from audio.errors import UNRECOGNISED, NotAudio
from audio.formats import HANDLING, HEAD_BYTES, Format, recognise_format


def open_sound(file: BinaryIO, *, format: Format, name: str = "", index: bytes = b"") -> Sound:
    """Open a file whose format is known by its first bytes; `index` is what `mp3_index.build_index` made of it."""
    if format is Format.MP3:
        return Mp3Sound(file, name=name, index=index)
    if HANDLING[format].exact_seek:
        return SeekableSound(file, format=format, name=name)
    return PacketSound(file, format=format, name=name)


def open_file(file: BinaryIO, *, name: str, index: bytes = b"") -> Sound:
    """Open a file as what its first bytes say it is."""
    file.seek(0)
    kind = recognise_format(file.read(HEAD_BYTES))
    if kind is None:
        raise NotAudio(name=name, problem=UNRECOGNISED)
    file.seek(0)
    return open_sound(file, format=kind, name=name, index=index)
