"""One listener's sequence in numbers: every item under every condition, items far apart, conditions evenly spread."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from listening.design.orders.assignment import Cell, Followed, assign_conditions

TRIES_A_CELL, MOST_TRIES = 16, 500  # long sequences leave little to improve; more tries were seen to gain nothing
ATTEMPTS = 10  # at most, and more than one only where a condition still follows itself


@dataclass(frozen=True)
class Spacing:
    """How freely cells may move, and how near to each other two showings of an item may come in exchange."""

    window: int
    distance: int

    @classmethod
    def of(cls, items: int, conditions: int) -> "Spacing":
        """Let cells move inside windows of one showing a condition, but of half the items at most.

        Nothing can be further apart than the number of items, and only a fixed order heard again and again reaches
        that. A cell that moves inside its window costs window - 1 of it.
        """
        if items == 1:
            return cls(window=conditions, distance=1)
        if items == 2:  # the items alternate, and nothing can move
            return cls(window=1, distance=2)
        window = max(1, min(conditions, max(2, items // 2), items - 1))
        return cls(window=window, distance=items - (window - 1))


def build_sequence(items: int, conditions: int, lengths: Sequence[int], rng: random.Random) -> list[Cell]:
    """Lay out every item under every condition once, in sessions of the lengths given, longer ones first.

    1. The items come round in one order. Their conditions are assigned so that every item has each once, every block
       of that many cells from the start of a session has each once, and each follows each other one equally often on
       the same item.
    2. Inside windows the next cell is the one whose condition has followed the one before least often so far.
    3. Exchanges inside blocks of one showing a condition even out what is left.

    The last two only reorder cells inside a block of a session and never bring an item nearer than the spacing allows,
    so whatever holds for the start holds for the result.
    """
    for _ in range(ATTEMPTS):
        builder = _Builder(
            assign_conditions(items, conditions, lengths, rng), conditions, Spacing.of(items, conditions)
        )
        borders = list(pairwise(accumulate(lengths, initial=0)))
        for first, end in borders:
            builder.reorder_session(first, end, rng)
        builder.exchange(borders, rng)
        if not builder.followed.alike:
            break
    return builder.cells


class _Builder:
    """A sequence that is being reordered, with how often each condition has followed each other one."""

    def __init__(self, cells: list[Cell], conditions: int, spacing: Spacing) -> None:
        self.cells = cells
        self.block = conditions
        self.spacing = spacing
        self.followed = Followed(conditions)
        self.last: dict[int, int] = {}
        self.places: dict[int, set[int]] = {}

    def reorder_session(self, first: int, end: int, rng: random.Random) -> None:
        before = None
        for start, stop in self._windows(first, end):
            waiting = self.cells[start:stop]
            rng.shuffle(waiting)
            for place in range(start, start + len(waiting)):
                chosen = self._next(waiting, place, before)
                waiting.remove(chosen)
                item, condition = self.cells[place] = chosen
                if before is not None:
                    self.followed.add(before, condition)
                before = condition
                self.last[item] = place
                self.places.setdefault(item, set()).add(place)

    def _windows(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """Cut a session into blocks, and blocks into windows."""
        for block in range(first, end, self.block):
            stop = min(block + self.block, end)
            for start in range(block, stop, self.spacing.window):
                yield start, min(start + self.spacing.window, stop)

    def _next(self, waiting: list[Cell], place: int, before: int | None) -> Cell:
        """At least the cell that stood here, or before, at the start is far enough from its item's last."""
        rested = [
            cell for cell in waiting if cell[0] not in self.last or place - self.last[cell[0]] >= self.spacing.distance
        ]
        return rested[0] if before is None else min(rested, key=lambda cell: self.followed.price(before, cell[1]))

    def exchange(self, borders: Sequence[tuple[int, int]], rng: random.Random) -> None:
        blocks = [
            (first, end, range(start, min(start + self.block, end)))
            for first, end in borders
            for start in range(first, end, self.block)
            if min(start + self.block, end) - start > 1
        ]
        for _ in range(min(TRIES_A_CELL * len(self.cells), MOST_TRIES) if blocks else 0):
            first, end, block = rng.choice(blocks)
            one, other = rng.sample(block, 2)
            if self._may_move(one, other) and self._may_move(other, one):
                self._exchange_if_better(
                    one, other, [p for p in {one - 1, one, other - 1, other} if first <= p < end - 1]
                )

    def _may_move(self, source: int, target: int) -> bool:
        item = self.cells[source][0]
        if item == self.cells[target][0]:
            return True
        return all(abs(target - place) >= self.spacing.distance for place in self.places[item] if place != source)

    def _exchange_if_better(self, one: int, other: int, neighbours: list[int]) -> None:
        saved = sum(self._forget(place) for place in neighbours)
        self._swap(one, other)
        if sum(self._note(place) for place in neighbours) > saved:
            for place in neighbours:
                self._forget(place)
            self._swap(one, other)
            for place in neighbours:
                self._note(place)

    def _swap(self, one: int, other: int) -> None:
        cells = self.cells
        if cells[one][0] != cells[other][0]:
            for source, target in ((one, other), (other, one)):
                self.places[cells[source][0]].remove(source)
                self.places[cells[source][0]].add(target)
        cells[one], cells[other] = cells[other], cells[one]

    def _note(self, place: int) -> int:
        return self.followed.add(self.cells[place][1], self.cells[place + 1][1])

    def _forget(self, place: int) -> int:
        return self.followed.drop(self.cells[place][1], self.cells[place + 1][1])
