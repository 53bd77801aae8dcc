"""Strings of n words: the paper's precision p_n, which knows positions, and BLEU, which knows words alone."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TypeVar

from analysis.methods.summaries.utterances import Candidate, Summary

Item = TypeVar("Item", bound=Hashable)


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
