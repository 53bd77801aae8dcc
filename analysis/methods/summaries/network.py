"""The merged word network: which words follow each other in people's summaries, and in how many."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import geometric_mean
from sys import maxsize
from typing import Any

from analysis.methods.summaries.utterances import Position, Summary

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
