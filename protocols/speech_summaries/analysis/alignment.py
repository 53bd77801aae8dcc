"""Token alignment: word accuracy, places of words in a transcript, and strings of n words (p_n and BLEU)."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log
from typing import Any, Literal, NamedTuple, TypeVar

from protocols.speech_summaries.analysis.utterances import FOREIGN, Candidate, Position, Summary

Item = TypeVar("Item", bound=Hashable)
Op = Literal["match", "substitution", "deletion", "insertion"]


class Edit(NamedTuple):
    """One step: a deletion has no candidate, an insertion no target."""

    op: Op
    candidate: Any
    target: Any


@dataclass(frozen=True, slots=True)
class Alignment:
    """A candidate beside a target, which has at least one word."""

    edits: tuple[Edit, ...]

    def count(self, *ops: Op) -> int:
        return sum(edit.op in ops for edit in self.edits)

    @property
    def length(self) -> int:
        return len(self.edits) - self.count("insertion")

    @property
    def errors(self) -> int:
        return len(self.edits) - self.count("match")

    @property
    def word_accuracy(self) -> float:
        """Equation (2), in percent: not clipped, so many insertions make it negative."""
        return word_accuracy(self.errors, self.length)

    @property
    def percent_correct(self) -> float:
        """Equation (2) without insertions. The paper calls it word precision, though the target's length divides it."""
        return 100 * self.count("match") / self.length


def word_accuracy(errors: int, length: int) -> float:
    return 100 * (length - errors) / length


def align(candidate: Sequence[Item], target: Sequence[Item]) -> Alignment:
    """Align with unit costs; of equally short ways back from the end: substitution, then deletion, then insertion.

    The number of errors does not depend on this rule, but how they divide into three kinds does.
    """
    rows = _distances(candidate, target)
    edits: list[Edit] = []
    at, of = len(candidate), len(target)
    while at or of:
        here = rows[of][at]
        if at and of and here == rows[of - 1][at - 1] + (candidate[at - 1] != target[of - 1]):
            at, of = at - 1, of - 1
            op: Op = "match" if candidate[at] == target[of] else "substitution"
            edits.append(Edit(op, candidate[at], target[of]))
        elif of and here == rows[of - 1][at] + 1:
            of -= 1
            edits.append(Edit("deletion", None, target[of]))
        else:
            at -= 1
            edits.append(Edit("insertion", candidate[at], None))
    return Alignment(tuple(reversed(edits)))


def _distances(candidate: Sequence[Item], target: Sequence[Item]) -> list[list[int]]:
    """Row r, column c: the fewest errors between the first c of the candidate and the first r of the target."""
    rows = [list(range(len(candidate) + 1))]
    for word in target:
        rows.append(row_below(rows[-1], candidate, word))
    return rows


def row_below(above: Sequence[int], candidate: Sequence[Item], word: Item) -> list[int]:
    """Go one word of the target further: the step from which all distances are made."""
    row = [above[0] + 1]
    for token, (diagonal, deleted) in zip(candidate, pairwise(above), strict=True):
        row.append(min(diagonal + (token != word), deleted + 1, row[-1] + 1))
    return row


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


def ngrams(sequence: Sequence[Item], n: int) -> Iterator[tuple[Item, ...]]:
    return zip(*(sequence[start:] for start in range(n)), strict=False)


@dataclass(frozen=True, slots=True)
class SharedStrings:
    """A candidate's n-grams: how often it has each, and how often each maker has it, if at all.

    Counted once, they answer for every group of makers.
    """

    total: int
    counts: tuple[tuple[int, dict[str, int]], ...]

    @classmethod
    def of(cls, candidate: Sequence[Item], summaries: Mapping[str, Sequence[Item]], n: int) -> "SharedStrings":
        by_maker = {maker: Counter(ngrams(summary, n)) for maker, summary in summaries.items()}
        own = Counter(ngrams(candidate, n))
        counts = (
            (count, {maker: theirs[string] for maker, theirs in by_maker.items() if string in theirs})
            for string, count in own.items()
        )
        return cls(own.total(), tuple(counts))

    def known(self, makers: Collection[str]) -> int:
        """Count the n-grams that any of the makers has, however often."""
        return sum(count for count, theirs in self.counts if not theirs.keys().isdisjoint(makers))

    def clipped(self, makers: Collection[str]) -> int:
        """Count an n-gram no more often than the one maker who has it most often."""
        return sum(
            min(count, max((theirs[maker] for maker in makers if maker in theirs), default=0))
            for count, theirs in self.counts
        )


class StringPrecision:
    """Equation (3): the share of the candidate's n-grams of positions that occur in any summary."""

    def __init__(self, candidate: Candidate, references: Mapping[str, Summary], longest: int) -> None:
        self._strings = {n: SharedStrings.of(candidate, references, n) for n in range(1, longest + 1)}

    def among(self, makers: Collection[str]) -> dict[int, float | None]:
        """Give p_1, p_2 ...; a candidate of fewer than n words has no p_n."""
        return {
            n: strings.known(makers) / strings.total if strings.total else None for n, strings in self._strings.items()
        }


class Bleu:
    """Equations (5) and (6) for one sentence, without smoothing: no common n-gram of some order makes it 0."""

    def __init__(
        self, candidate: Candidate, references: Mapping[str, Summary], tokens: Sequence[str], order: int
    ) -> None:
        # A foreign word is told from every word of the transcript, even from one that is spelt alike.
        words = [tokens[token - 1] if isinstance(token, int) else None for token in candidate]
        summaries: dict[str, list[str | None]] = {
            maker: [tokens[position - 1] for position in summary] for maker, summary in references.items()
        }
        self._strings = [SharedStrings.of(words, summaries, n) for n in range(1, order + 1)]
        self._length = len(candidate)
        self._lengths = {maker: len(summary) for maker, summary in references.items()}

    def among(self, makers: Collection[str]) -> float:
        clipped = [strings.clipped(makers) for strings in self._strings]
        if not all(clipped):
            return 0.0
        logarithms = [log(count / strings.total) for count, strings in zip(clipped, self._strings, strict=True)]
        return self._brevity(makers) * exp(sum(logarithms) / len(logarithms))

    def _brevity(self, makers: Collection[str]) -> float:
        """Hold the length against the closest of the summaries' lengths, of two equally close against the shorter."""
        lengths = (self._lengths[maker] for maker in makers)
        closest = min(lengths, key=lambda length: (abs(length - self._length), length))
        return 1.0 if self._length > closest else exp(1 - closest / self._length)
