"""Merged word network of people's summaries, and its paths in the order of how close they are to a candidate."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice, pairwise, takewhile
from statistics import geometric_mean
from sys import maxsize
from typing import Any, NamedTuple

from protocols.speech_summaries.analysis.alignment import row_below, word_accuracy
from protocols.speech_summaries.analysis.utterances import Candidate, Position, Reading, Summary

Node = Position  # or one of the two below, which are no words
START, END = 0, maxsize
SPOKEN = {START: "<s>", END: "</s>"}


@dataclass(frozen=True, slots=True)
class Network:
    """Arcs run from smaller to larger positions. A path from <s> to </s> may mix people."""

    makers: int  # H of the paper
    chosen: dict[Position, int]  # how many people kept the word, by position
    arcs: dict[Node, dict[Node, int]]  # C of the paper: how many people put the second straight after the first

    @classmethod
    def of(cls, summaries: Collection[Summary]) -> "Network":
        chosen = Counter(position for summary in summaries for position in summary)
        counts = Counter(arc for summary in summaries for arc in pairwise((START, *summary, END)))
        arcs: dict[Node, dict[Node, int]] = {}
        for (left, right), count in sorted(counts.items()):
            arcs.setdefault(left, {})[right] = count
        return cls(len(summaries), dict(sorted(chosen.items())), arcs)

    def weight_of(self, path: Summary, *, boundaries: bool) -> float:
        """Equation (7): the geometric mean of C/H over the arcs of a path.

        A path of one word has no arc between words. Its weight is then the share of people who kept the word, after
        the paper's "ratios of the number of subjects who select each word".
        """
        nodes = (START, *path, END) if boundaries else path
        shares = [self.arcs[left][right] / self.makers for left, right in pairwise(nodes)]
        return geometric_mean(shares or [self.chosen[path[0]] / self.makers])

    def to_json(self, tokens: Sequence[str]) -> dict[str, Any]:
        words = [
            {"position": position, "word": tokens[position - 1], "count": count}
            for position, count in self.chosen.items()
        ]
        arcs = [
            {"from": SPOKEN.get(left, left), "to": SPOKEN.get(right, right), "count": count}
            for left, following in self.arcs.items()
            for right, count in following.items()
        ]
        return {"makers": self.makers, "nodes": words, "arcs": arcs}


# How good the rest of a path is: its rank, minus the product of its arcs' counts, its words; smaller is closer. Each
# part is added to or multiplied when the path is prolonged, so the best rest stays the best whatever stands before it.
# Products of counts are whole numbers of any size: a tie is a tie, not a matter of rounding.
Rest = tuple[int, int, Summary]


@dataclass(frozen=True, slots=True)
class Path:
    words: Summary
    errors: int  # against the candidate

    @property
    def word_accuracy(self) -> float:
        return word_accuracy(self.errors, len(self.words))


class _Beginning(NamedTuple):
    """A path as far as it has been walked, after the best that can become of it."""

    best: Rest
    words: Summary
    node: Node
    product: int
    errors: list[int]  # at i: between these words and the first i tokens of the candidate


class Search:
    """Compares paths by cost, then by length (longer first), popularity (product of counts) and smaller positions.

    The cost of a path is error_price * errors - word_price * length. The rank holds cost and length in one number,
    which compares as the pair (cost, -length) does.
    """

    def __init__(
        self, network: Network, candidate: Candidate, *, boundaries: bool, error_price: int = 1, word_price: int = 0
    ) -> None:
        self.network, self.candidate, self.boundaries = network, candidate, boundaries
        self.error_price, self.word_price = error_price, word_price
        more_than_any_length = len(network.chosen) + 1
        self._error = error_price * more_than_any_length
        self._word = -word_price * more_than_any_length - 1
        self._rests = self._find_rests()

    @property
    def best(self) -> Path:
        return self._path(self._rests[START][0])

    def cost(self, path: Path) -> int:
        return self.error_price * path.errors - self.word_price * len(path.words)

    def paths(self) -> Iterator[Path]:
        """Walk paths best first: a beginning is prolonged only while nothing closer can become of any other."""
        waiting = [self._begin((), START, 1, list(range(len(self.candidate) + 1)))]
        while waiting:
            first = heappop(waiting)
            if first.node == END:
                yield self._path(first.best)
                continue
            for node, count in self.network.arcs[first.node].items():
                heappush(waiting, self._prolong(first, node, count))

    def near_ties(self, most: int) -> list[Path]:
        """List, best first, other paths that are as close as the target or within one error of it."""
        limit = self.cost(self.best) + self.error_price
        return list(islice(takewhile(lambda path: self.cost(path) <= limit, self.paths()), 1, most + 1))

    def _path(self, rest: Rest) -> Path:
        rank, _, words = rest
        return Path(words, (rank - self._word * len(words)) // self._error)

    # --- The best rest from every node, for every number of tokens that are used up ------------------------------

    def _find_rests(self) -> dict[Node, list[Rest]]:
        size = len(self.candidate)
        rests: dict[Node, list[Rest]] = {END: [(self._error * (size - used), -1, ()) for used in range(size + 1)]}
        entered = dict(rests)
        for word in reversed(self.network.chosen):
            rests[word] = self._after(word, entered)
            entered[word] = self._with_word(word, rests[word])
        rests[START] = self._after(START, entered)
        return rests

    def _after(self, node: Node, entered: dict[Node, list[Rest]]) -> list[Rest]:
        """Take the best arc out of a node, or first insert a token of the candidate."""
        ways = [
            self._along(self._weighed(node, following, count), entered[following])
            for following, count in self.network.arcs[node].items()
        ]
        backwards: list[Rest] = []
        for best in map(min, zip(*(reversed(way) for way in ways), strict=True)):
            if backwards:
                rank, product, words = backwards[-1]
                backwards.append(min(best, (rank + self._error, product, words)))
            else:
                backwards.append(best)
        return backwards[::-1]

    @staticmethod
    def _along(count: int, rests: list[Rest]) -> list[Rest]:
        return rests if count == 1 else [(rank, product * count, words) for rank, product, words in rests]

    def _with_word(self, word: Position, rests: list[Rest]) -> list[Rest]:
        """Put a word before the rests: deleted from the candidate, or opposite its next token."""
        ways = [[(rank + self._error, product, words)] for rank, product, words in rests]
        for way, token, (rank, product, words) in zip(ways, self.candidate, rests[1:], strict=False):
            way.append((rank + (token != word) * self._error, product, words))
        return [(rank + self._word, product, (word, *words)) for rank, product, words in map(min, ways)]

    def _weighed(self, left: Node, right: Node, count: int) -> int:
        return count if self.boundaries or (left != START and right != END) else 1

    # --- Beginnings ------------------------------------------------------------------------------------------------

    def _prolong(self, beginning: _Beginning, node: Node, count: int) -> _Beginning:
        product = beginning.product * self._weighed(beginning.node, node, count)
        if node == END:
            return self._begin(beginning.words, END, product, beginning.errors)
        errors = row_below(beginning.errors, self.candidate, node)
        return self._begin((*beginning.words, node), node, product, errors)

    def _begin(self, words: Summary, node: Node, product: int, errors: list[int]) -> _Beginning:
        rests = self._rests[node]
        rank, counts, rest = min(
            (rank + self._error * so_far, counts, rest)
            for so_far, (rank, counts, rest) in zip(errors, rests, strict=True)
        )
        best = (rank + self._word * len(words), counts * product, words + rest)
        return _Beginning(best, words, node, product, errors)


def find_closest(network: Network, candidate: Candidate, reading: Reading) -> Search:
    """Search by the reading's rule.

    The highest word accuracy is the lowest ratio of errors to length, which is found through sums (Dinkelbach 1967):
    where an error costs l and a word earns e, no path costs less than 0 exactly if none has a lower ratio than e / l.
    Each round takes the ratio of the closest path of the round before; two or three rounds do.
    """
    search = Search(network, candidate, boundaries=reading.boundaries)
    while reading.closest == "accuracy":
        best = search.best
        search = Search(
            network,
            candidate,
            boundaries=reading.boundaries,
            error_price=len(best.words),
            word_price=best.errors,
        )
        if search.cost(search.best) == 0:
            break
    return search
