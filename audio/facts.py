"""Words in which the modules of sound speak to each other."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

# Frames down, channels across; full scale is 1.0.
Samples = NDArray[np.float32]


@dataclass(frozen=True)
class Shape:
    """What kind of sound a file holds. Positions and lengths are whole samples, counted per channel."""

    format: str  # a audio.formats.Format
    sample_rate_hz: int
    channels: int
    length_samples: int
    bits: int  # worth keeping: 16 to 24, or 32 for floating point; 16 for lossy codecs

    def to_json(self) -> dict[str, Any]:
        return vars(self).copy()

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Self:
        return cls(**facts)


@dataclass(frozen=True)
class Measures:
    """What was measured on a whole recording. None where there is nothing to measure, as in silence."""

    integrated_lufs: float | None  # ITU-R BS.1770-4, gated
    loudness_range_lu: float | None  # EBU Tech 3342; None below 3 s of sound
    true_peak_dbtp: float | None  # BS.1770-4 annex 2
    sample_peak_dbfs: float | None
    dc_offset: float  # mean of the worst channel, as a fraction of full scale
    clipped_samples: int  # samples in runs of three or more at full scale
    leading_silence_s: float
    trailing_silence_s: float
    longest_silence_s: float

    def to_json(self) -> dict[str, Any]:
        return vars(self).copy()

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Self:
        return cls(**facts)


class Readable(Protocol):
    """The part of a audio.decoding.base.Sound that measuring and drawing need."""

    @property
    def shape(self) -> Shape: ...

    def blocks(self, start: int = 0, stop: int | None = None, size: int = 2**20) -> Iterator[Samples]: ...
