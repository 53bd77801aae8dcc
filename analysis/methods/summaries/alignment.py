"""The fewest errors between two sequences, which they are, and the word accuracy that follows."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeVar

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
