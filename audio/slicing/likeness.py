"""Whether the summaries of a recording are coded alike, so that their own bytes do not tell one from another."""

from collections.abc import Sequence
from dataclasses import dataclass

from audio.formats import Format

LOSSY = frozenset({Format.MP3, Format.OPUS, Format.VORBIS, Format.M4A})
# A variable bit rate follows what sounds, so equal settings give somewhat different sizes.
LARGEST_RATIO = 1.5


@dataclass(frozen=True)
class Coding:
    """How a sound came, as far as its bytes give it away."""

    format: Format
    bits_per_s: float

    @property
    def is_lossy(self) -> bool:
        return self.format in LOSSY

    def __str__(self) -> str:
        return f"{self.format} {self.bits_per_s / 1000:.0f} kbit/s" if self.is_lossy else f"{self.format}"


def are_alike(codings: Sequence[Coding]) -> bool:
    """Whether format and bit rate tell nothing; all that is lossless is served in one form anyway."""
    lossy = [coding for coding in codings if coding.is_lossy]
    if not lossy:
        return True
    rates = [coding.bits_per_s for coding in lossy]
    one_format = len({coding.format for coding in codings}) == 1
    return one_format and max(rates) <= LARGEST_RATIO * min(rates)
