"""Base class of the decoders: samples at any position, in blocks."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from audio.errors import PositionOutside, SoundBroken, gettext_noop
from audio.formats import Samples, Shape

BLOCK_SAMPLES = 1 << 20


class Sound(ABC):
    """An opened recording. Positions count samples of one channel from the first that the encoder was given."""

    shape: Shape
    name: str

    def read(self, start: int, count: int) -> Samples:
        """Give the samples [start, start + count), or fewer where the recording ends before."""
        pieces = list(self.blocks(start, start + count))
        if len(pieces) == 1:
            return pieces[0]
        return np.concatenate([np.empty((0, self.shape.channels), np.float32), *pieces])

    def blocks(self, start: int = 0, stop: int | None = None, size: int = BLOCK_SAMPLES) -> Iterator[Samples]:
        """Give the samples [start, stop) in order, `size` at a time, without ever holding more than a few blocks."""
        end = self.shape.length_samples
        if start < 0 or (stop is not None and stop < start):
            raise PositionOutside(start=start, stop=stop, length=end)
        stop = end if stop is None else min(stop, end)
        at = start
        for piece in self._stream(start, stop, size) if start < stop else ():
            at += len(piece)
            yield piece
        if at < stop:
            raise self._broken_off(at)

    @abstractmethod
    def _stream(self, start: int, stop: int, size: int) -> Iterator[Samples]:
        """Decode a range that lies inside the recording, `size` samples at a time; may end early if nothing comes."""

    def _broken_off(self, at: int) -> SoundBroken:
        rate = self.shape.sample_rate_hz
        length_s, end_s = f"{self.shape.length_samples / rate:.3f}", f"{at / rate:.3f}"
        problem = gettext_noop("it should last {length} s and ends after {end} s")
        return SoundBroken(name=self.name, problem=problem, length=length_s, end=end_s)


def in_blocks(pieces: Iterator[Samples], size: int) -> Iterator[Samples]:
    """Put pieces of any length together to blocks of one length; the last may be shorter."""
    held: list[Samples] = []
    count = 0
    for piece in pieces:
        held.append(piece)
        count += len(piece)
        if count < size:
            continue
        whole = np.concatenate(held)
        whole_count = count - count % size
        yield from np.split(whole[:whole_count], whole_count // size)
        held, count = [whole[whole_count:]], count % size
    if count:
        yield np.concatenate(held)
