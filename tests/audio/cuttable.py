"""A recording with all that cutting it takes."""

import io

from audio.decode.base import Sound
from audio.decode.mp3_index import build_index
from audio.decode.open import open_sound
from audio.formats import recognise_format
from audio.slices import Slice, cut_slice


class Material:
    """A recording and all that cutting it takes."""

    def __init__(self, content: bytes) -> None:
        recognised = recognise_format(content[:4096])
        assert recognised is not None
        self.content, self.format = content, recognised
        self.index = build_index(io.BytesIO(content), format=recognised)
        self.sound: Sound = open_sound(io.BytesIO(content), format=recognised, index=self.index)

    def cut(self, start: int, count: int) -> Slice:
        return cut_slice(
            io.BytesIO(self.content),
            format=self.format,
            index=self.index,
            start=start,
            count=count,
            shape=self.sound.shape,
        )
