"""Split of one file at its long silences into several sounds."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, BinaryIO

from audio.clips import encode_pcm
from audio.decode.open import open_file
from audio.formats import Format
from audio.sandbox.client import Outcome
from audio.silence import QuietRuns
from audio.wav import encode_wav

SHORTEST_GAP_S = 30.0  # the studies put one minute between summaries; quiet passages are shorter
SHORTEST_PIECE_S = 0.5
LOSSLESS = frozenset({Format.WAV, Format.W64, Format.FLAC, Format.AIFF})


def find_pieces(file: BinaryIO, *, name: str) -> dict[str, Any]:
    """Say where the sounds of a file lie between its gaps, in samples; runs in the sandbox."""
    sound = open_file(file, name=name)
    rate, length = sound.shape.sample_rate_hz, sound.shape.length_samples
    quiet = QuietRuns(sample_rate_hz=rate, start=0)
    for samples in sound.blocks():
        quiet.feed(samples)
    runs = [(int(depth), int(start), int(stop)) for depth, start, stop in quiet.runs()]
    gaps = deepest_gaps(runs, shortest=round(SHORTEST_GAP_S * rate))
    pieces = between(gaps, length)
    heard = [piece for piece in pieces if piece[1] - piece[0] >= SHORTEST_PIECE_S * rate]
    return {
        "shape": sound.shape.to_json(),
        "pieces": heard,
        "specks": [piece for piece in pieces if piece not in heard],
        "gaps": gaps,
    }


def deepest_gaps(runs: Sequence[tuple[int, int, int]], *, shortest: int) -> list[tuple[int, int]]:
    """Long quiet stretches, each at the deepest quiet that lasts: a sound that fades in loses the least by that."""
    found: list[tuple[int, int]] = []
    for _, start, stop in sorted(runs, key=lambda run: -run[0]):
        if stop - start >= shortest and not any(start < end and begin < stop for begin, end in found):
            found.append((start, stop))
    return sorted(found)


def between(gaps: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """What lies between the gaps, and before the first and behind the last."""
    bounds = [(0, 0), *gaps, (length, length)]
    return [(end, start) for (_, end), (start, _) in pairwise(bounds) if start > end]


def cut_piece(file: BinaryIO, *, name: str, start: int, stop: int) -> Outcome:
    """Take a part out of a file, as a WAV of its own unchanged; runs in the sandbox.

    Of a lossy file 24 bits are kept, more than it holds.
    """
    sound = open_file(file, name=name)
    shape = sound.shape
    bits = shape.bits if Format(shape.format) in LOSSLESS else 24
    data = encode_pcm(sound.read(start, stop - start), bits)
    content = encode_wav(data, sample_rate_hz=shape.sample_rate_hz, channels=shape.channels, bits=bits)
    return Outcome({"length_samples": shape.length_samples}, {"piece": content})
