"""A slice of a file as a sealed child cuts it."""

from typing import BinaryIO

from audio.decoding.opening import open_sound
from audio.errors import PositionOutside
from audio.formats import Format
from audio.sealed.asking import Outcome
from audio.slicing.slices import written


def cut_file(file: BinaryIO, *, format: str, start: int, count: int, name: str = "", index: bytes = b"") -> Outcome:
    """Decode [start, start + count) and write it anew without loss: the blob `slice`."""
    sound = open_sound(file, format=Format(format), name=name, index=index)
    if not 0 <= start < start + count <= sound.shape.length_samples:
        raise PositionOutside(start=start, stop=start + count, length=sound.shape.length_samples)
    piece = written(sound.read(start, count), sound.shape)
    return Outcome(
        {"lead_samples": piece.lead_samples, "length_samples": piece.length_samples}, {"slice": piece.content}
    )
