"""Where the words of a text lie in a transcript: for systems that give words, not positions, and for recognisers."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.methods.summaries.alignment import align
from analysis.methods.summaries.utterances import FOREIGN, Candidate, Position


@dataclass(frozen=True, slots=True)
class Placed:
    """A text as a candidate, and the numbers of its words, from 1, that could as well lie elsewhere."""

    candidate: Candidate
    ambiguous: tuple[int, ...]


def place_words(words: Sequence[str], tokens: Sequence[str]) -> Placed:
    """Align words to a transcript with the fewest errors: equal words take the position, all others are foreign.

    Of several equally short alignments the latest is taken, so "cherry blossoms in spring" gets the second "in" of
    "cherry blossoms in Japan bloom in spring"; the words that the earliest one puts elsewhere are ambiguous.
    """
    latest = _positions(words, tokens)
    last = len(tokens) + 1
    earliest = [position and last - position for position in reversed(_positions(words[::-1], tokens[::-1]))]
    candidate = tuple(position or FOREIGN + word for position, word in zip(latest, words, strict=True))
    differing = zip(latest, earliest, strict=True)
    return Placed(candidate, tuple(number for number, (late, early) in enumerate(differing, 1) if late != early))


def through_recognition(picked: Sequence[Position], recognised: Placed) -> Candidate:
    """Turn a summary made of a recogniser's words into a candidate; `recognised` is its whole output, placed."""
    return tuple(recognised.candidate[position - 1] for position in picked)


def _positions(words: Sequence[str], tokens: Sequence[str]) -> list[Position | None]:
    """Give each word the position of its equal, or None."""
    positions: list[Position | None] = []
    position = 0
    for edit in align(words, tokens).edits:
        position += edit.op != "insertion"
        if edit.op != "deletion":
            positions.append(position if edit.op == "match" else None)
    return positions
