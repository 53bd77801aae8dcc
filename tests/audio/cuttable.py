"""A recording with all that cutting it takes."""

import io

from audio.decoding.base import Sound
from audio.decoding.frames import build_index
from audio.decoding.opening import open_sound
from audio.formats import recognise
from audio.slicing.slices import Slice, cut


class Material:
    """A recording and all that cutting it takes."""

    def __init__(self, content: bytes) -> None:
        recognised = recognise(content[:4096])
        assert recognised is not None
        self.content, self.format = content, recognised
        self.index = build_index(io.BytesIO(content), format=recognised)
        self.sound: Sound = open_sound(io.BytesIO(content), format=recognised, index=self.index)

    def cut(self, start: int, count: int) -> Slice:
        return cut(
            io.BytesIO(self.content),
            format=self.format,
            index=self.index,
            start=start,
            count=count,
            shape=self.sound.shape,
        )
