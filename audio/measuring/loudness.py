"""A loudness meter by ITU-R BS.1770-4, for streams of any length."""

import numpy as np

from audio.facts import Samples
from audio.measuring.framing import Framer
from audio.measuring.gates import Energies, loudest, lufs
from audio.measuring.kweighting import KWeighting


class LoudnessMeter:
    """Measures a stream. Feed it from the start of `first_block` on; blocks of neighbouring streams can be joined."""

    def __init__(self, sample_rate_hz: int, channels: int, first_block: int = 0) -> None:
        self._framer = Framer(sample_rate_hz, channels, first_block)
        self._weighting = KWeighting(sample_rate_hz, channels)
        self._energies: list[Energies] = []

    def feed(self, samples: Samples) -> None:
        self._energies += [self._weighting.block_energies(*piece) for piece in self._framer.cut(samples)]

    @property
    def blocks(self) -> Energies:
        """The whole blocks so far; the first WARM_UP_BLOCKS are wrong if the stream began inside a sound."""
        return np.concatenate([np.zeros(0), *self._energies])

    @property
    def loudest_momentary_lufs(self) -> float | None:
        """The highest momentary loudness so far, looked for every 10 ms."""
        return loudest(lufs(np.array([self._weighting.loudest_momentary])))
