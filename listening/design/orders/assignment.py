"""Assignment of conditions to showings: each item once under each, each block each once, successors even."""

import random
from collections.abc import Mapping, Sequence
from itertools import accumulate, count


class Followed:
    """Counts of ordered pairs of conditions, and of the differences between their numbers.

    The cost is the growth of the sum of squares over both: when seats turn the conditions by one each, all pairs of one
    difference add up, so even differences make even pairs over the seats.
    Of three conditions or more none follows itself. Two are left to chance, or they could only alternate.
    """

    ALIKE = 1_000_000

    def __init__(self, conditions: int) -> None:
        self.conditions = conditions
        self.pairs = [0] * conditions**2
        self.differences = [0] * conditions

    def price(self, before: int, after: int) -> int:
        if self.conditions <= 2:
            return 0
        if before == after:
            return self.ALIKE
        return 2 * (self.pairs[before * self.conditions + after] + self.differences[after - before])

    def add(self, before: int, after: int) -> int:
        price = self.price(before, after)
        self._count(before, after, 1)
        return price

    def drop(self, before: int, after: int) -> int:
        self._count(before, after, -1)
        return self.price(before, after)

    def _count(self, before: int, after: int, change: int) -> None:
        self.pairs[before * self.conditions + after] += change
        self.differences[after - before] += change  # a negative index counts from the end: modulo the conditions

    @property
    def alike(self) -> bool:
        """Whether one of three or more conditions followed itself."""
        return self.conditions > 2 and self.differences[0] > 0

    @property
    def unevenness(self) -> int:
        return sum(count**2 for count in self.pairs) + sum(count**2 for count in self.differences)

    @property
    def is_even(self) -> bool:
        """Whether no two conditions could be followed more evenly, conditions that follow themselves left out."""
        unlike = [count for place, count in enumerate(self.pairs) if place % (self.conditions + 1)]
        return max(unlike) - min(unlike) <= 1 and max(self.differences[1:]) - min(self.differences[1:]) <= 1

    @property
    def leans_back(self) -> bool:
        """Whether conditions were followed more often by those of smaller numbers, counted round."""
        half = (self.conditions + 1) // 2
        return sum(self.differences[1:half]) < sum(self.differences[-half + 1 :]) if half > 1 else False

    @property
    def most_frequent_share(self) -> float:
        """Share of the followers that are the most frequent of those that followed the same condition."""
        rows = [self.pairs[first : first + self.conditions] for first in range(0, len(self.pairs), self.conditions)]
        total = sum(self.differences)
        return sum(map(max, rows)) / total if total else 1.0


FREE = -1  # no place

Cell = tuple[int, int]  # item, condition

TRIES, PATIENCE = 240, 60  # exchanges that are tried in all, and without any gain before another start is tried
LOOSE_STEPS, LOOSE_TRIES = 8, 100
OFTEN = 0.4  # share of the most frequent successors up to which an item's last condition does not tell the next


def assign_conditions(items: int, conditions: int, lengths: Sequence[int], rng: random.Random) -> list[Cell]:
    """Let the items come round in one order, and choose the condition of every showing.

    Showings are the edges of a bipartite graph between items and blocks of places, with at most `conditions` edges at
    a node, so it has a proper colouring with as many colours (Koenig): every item has each condition once, and so has
    every block of that many places from the start of a session. Of these colourings one is searched for in which each
    condition follows each other one equally often on the same item. Where none is even enough, which happens with few
    conditions, showings are exchanged inside sessions, and some blocks have a condition twice.

    What stays uneven leans to small differences between the numbers, so that turning the numbers round evens it out.
    """
    best, left = None, TRIES
    while best is None or (left > 0 and not best.is_even):
        made = Assignment(items, conditions, lengths)
        made.fill(rng if best else None)
        left -= made.search(left, rng)
        if best is None or made.followed.unevenness < best.followed.unevenness:
            best = made
    best.loosen(rng)
    way = -1 if best.followed.leans_back else 1
    return [(place % items, way * condition % conditions) for place, condition in enumerate(best.conditions)]


def least_share(items: int, conditions: int) -> float:
    """Give the least possible share of the most frequent successors, each condition being the last equally often."""
    followed = items * (conditions - 1)
    if not followed:
        return 1.0
    last, more = divmod(items, conditions)
    rows = [items - last - 1] * more + [items - last] * (conditions - more)
    return sum(-(-row // (conditions - 1)) for row in rows) / followed


def williams_row(conditions: int) -> list[int]:
    """Write the first row of a Williams square, 0 1 n-1 2 n-2 ...: its steps are all different.

    If the number is odd, each step occurs twice or never over the row and its reverse taken together.
    """
    return [(step + 1) // 2 if step % 2 else -(step // 2) % conditions for step in range(conditions)]


class Assignment:
    """Conditions of places, exchanged along chains so that no item and no block ever has one twice."""

    def __init__(self, items: int, conditions: int, lengths: Sequence[int]) -> None:
        self.items, self.count = items, conditions
        self.sessions = [range(end - length, end) for end, length in zip(accumulate(lengths), lengths, strict=True)]
        self.nodes: list[tuple[int, int]] = []  # the item and the block of every place
        blocks = count(items)
        for session in self.sessions:
            for start in session[::conditions]:
                block = next(blocks)
                self.nodes += [(place % items, block) for place in session[start - session[0] :][:conditions]]
        self.conditions = [-1] * len(self.nodes)
        self.place_of = [[FREE] * conditions for _ in range(next(blocks))]
        self.followed = Followed(conditions)

    def fill(self, rng: random.Random | None) -> None:
        """Begin with every item's row of a Williams square as far as blocks allow it, or by chance."""
        row = williams_row(self.count)
        for place in range(len(self.nodes)):
            turn, item = divmod(place, self.items)
            back = self.count % 2 and 2 * item >= self.items
            self._put(place, rng.randrange(self.count) if rng else row[-1 - turn if back else turn] + item)
        for place in range(len(self.nodes) - self.items):
            self._note(place)

    @property
    def is_even(self) -> bool:
        return self.count < 3 or self.followed.is_even

    def _put(self, place: int, wanted: int) -> None:
        """Take the wanted condition or the next one that is free; where there is none, free one along a chain."""
        item, block = (self.place_of[node] for node in self.nodes[place])
        free = next(
            (
                condition
                for step in range(self.count)
                if item[condition := (wanted + step) % self.count] == block[condition] == FREE
            ),
            None,
        )
        if free is None:
            free, other = item.index(FREE), block.index(FREE)
            self._exchange(self._chain(block[free], other), free, other)
        self.conditions[place] = free
        item[free] = block[free] = place

    def _chain(self, place: int, other: int) -> list[int]:
        """Follow the places of two conditions from item to block to item, in both directions or round a circle."""
        one = self.conditions[place]
        chain = [place]
        for side in (1, 0):
            here, at = place, side
            while True:
                wanted = other if self.conditions[here] == one else one
                following = self.place_of[self.nodes[here][at]][wanted]
                if following == place:
                    return chain
                if following == FREE:
                    break
                chain.append(following)
                here, at = following, 1 - at
        return chain

    def _exchange(self, chain: Sequence[int], one: int, other: int) -> None:
        for place in chain:
            for node in self.nodes[place]:
                self.place_of[node][self.conditions[place]] = FREE
        for place in chain:
            condition = self.conditions[place] = other if self.conditions[place] == one else one
            for node in self.nodes[place]:
                self.place_of[node][condition] = place

    def search(self, tries: int, rng: random.Random) -> int:
        """Keep every exchange that does not make successors less even; return how many were tried."""
        if self.is_even:
            return 0
        idle = 0
        for tried in range(1, tries + 1):
            place = rng.randrange(len(self.conditions))
            one = self.conditions[place]
            other = (one + rng.randrange(1, self.count)) % self.count
            chain = self._chain(place, other)
            cost = self._exchange_counted(chain, one, other)
            if cost > 0:
                self._exchange_counted(chain, one, other)
            idle = 0 if cost < 0 else idle + 1
            if idle == PATIENCE or (cost < 0 and self.is_even):
                return tried
        return tries

    def loosen(self, rng: random.Random) -> None:
        """Exchange as few showings as can be inside sessions where one condition follows another too often."""
        if self.items < 2 * self.count or self.count < 3:
            return
        session_of = {place: session for session in self.sessions for place in session}
        bound = max(OFTEN, least_share(self.items, self.count))
        for _ in range(LOOSE_STEPS):
            share = self.followed.most_frequent_share
            if share <= bound:
                return
            tried = [self._tried(session_of, rng) for _ in range(LOOSE_TRIES)]
            least, cost, chain, one, other = min(tried, key=lambda found: (found[0], found[1], len(found[2])))
            if (least, cost) >= (share, 0):
                return
            self._exchange_counted(chain, one, other)

    def _tried(self, session_of: Mapping[int, range], rng: random.Random) -> tuple[float, int, list[int], int, int]:
        """Try one exchange inside sessions and take it back; return what it would give and cost."""
        one = rng.randrange(self.count)
        other = (one + rng.randrange(1, self.count)) % self.count
        chain = self._loose_chain(one, other, session_of, rng)
        cost = self._exchange_counted(chain, one, other)
        share = self.followed.most_frequent_share
        self._exchange_counted(chain, one, other)
        return share, cost, chain, one, other

    def _loose_chain(self, one: int, other: int, session_of: Mapping[int, range], rng: random.Random) -> list[int]:
        """Go from an item's first condition to its second, and on with any item of that session, till it closes."""
        item = rng.randrange(self.items)
        chain: list[int] = []
        met = {item}
        while True:
            here, there = self.place_of[item][one], self.place_of[item][other]
            chain += [here, there]
            if session_of[there] == session_of[chain[0]]:
                return chain
            free = [
                place % self.items
                for place in session_of[there]
                if self.conditions[place] == one and place % self.items not in met
            ]
            if not free:
                return []
            item = rng.choice(free)
            met.add(item)

    def _exchange_counted(self, chain: Sequence[int], one: int, other: int) -> int:
        """Exchange and return by how much successors have become less even. Done twice, all is as it was."""
        last = len(self.conditions) - self.items
        touched = {before for place in chain for before in (place - self.items, place) if 0 <= before < last}
        saved = sum(self._forget(place) for place in touched)
        self._exchange(chain, one, other)
        return sum(self._note(place) for place in touched) - saved

    def _note(self, place: int) -> int:
        return self.followed.add(self.conditions[place], self.conditions[place + self.items])

    def _forget(self, place: int) -> int:
        return self.followed.drop(self.conditions[place], self.conditions[place + self.items])
