"""The default layout: scale orders, conditions and positions crossed in every panel, repeats of an item far apart."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from core.clauses import clause
from listening.design.base import Design, DesignRequest, Preset, SeatSequence
from listening.design.orders.assignment import Cell as NumberedCell
from listening.design.orders.layout import Cell, anchoring, check_request, generator, in_sessions, session_lengths
from listening.design.orders.weave import weave

T = TypeVar("T")

MOST_PATTERNS = 8  # sequences in numbers that are worked out; seats take turns and put names to the numbers


class Crossed(Preset):
    """Balanced inside every panel, for every number of items, conditions, seats and sessions.

    Seats come in groups of as many as there are conditions. A group shares one pattern of numbers; each of its seats
    turns the conditions by one more (a cyclic Latin square), so that at every position of the sequence each condition
    is heard by equally many of the panel's seats, give or take one. Each seat has an order of items of its own.
    """

    slug = "crossed"
    title = clause("Crossed")
    summary = clause(
        "Scale orders are balanced inside every panel, conditions over sessions, positions and neighbours, and an item "
        "comes again as late as can be; which items a panel hears is all that panels differ in."
    )

    def lay_out(self, request: DesignRequest) -> Design:
        check_request(request)
        return Design(self.slug, request, tuple(_sequences(request)))


def _sequences(request: DesignRequest) -> Iterator[SeatSequence]:
    patterns: dict[tuple[int, int], list[NumberedCell]] = {}
    group = 0
    for panel, subset in enumerate(request.subsets, 1):
        starts = _starts(request, panel)
        begun: Counter[Cell] = Counter()
        for first in range(0, request.seats, len(request.conditions)):
            pattern = (len(subset), group % MOST_PATTERNS)
            if pattern not in patterns:
                patterns[pattern] = _pattern(request, *pattern)
            members = min(len(request.conditions), request.seats - first)
            for number, cells in enumerate(_named(request, panel, first, members, patterns[pattern], begun), first):
                rng = generator(request, Crossed.slug, "anchoring", panel, number + 1)
                showings = (*anchoring(request, starts[number], rng), *in_sessions(request, cells, starts[number]))
                yield SeatSequence(panel, number + 1, showings)
            group += 1


def _pattern(request: DesignRequest, items: int, number: int) -> list[NumberedCell]:
    conditions = len(request.conditions)
    lengths = session_lengths(items * conditions, request.sessions)
    return weave(items, conditions, lengths, generator(request, Crossed.slug, "pattern", items, number))


def _named(
    request: DesignRequest, panel: int, first: int, members: int, pattern: list[NumberedCell], begun: Counter[Cell]
) -> Iterator[list[Cell]]:
    """Put names to a pattern for each seat of a group: the conditions turned by one more, the items in another order.

    Every other group of a panel counts the conditions backwards, so that a difference between numbers that comes too
    often in one group comes from the other end in the next. `begun` counts the cells that were an item's first.
    """
    conditions = _shuffled(request.conditions, generator(request, Crossed.slug, "conditions", panel))
    rng = generator(request, Crossed.slug, "names", panel, first)
    count = len(conditions)
    way = -1 if first // count % 2 else 1
    for turn in _shuffled(range(count), rng)[:members]:
        turned = [conditions[(turn + way * number) % count] for number in range(count)]
        starts = {item: turned[condition] for item, condition in reversed(pattern)}
        items = _items_by_number(request.subsets[panel - 1], starts, begun, rng)
        yield [(items[item], turned[condition]) for item, condition in pattern]


def _items_by_number(
    subset: Sequence[str], starts: Mapping[int, str], begun: Counter[Cell], rng: random.Random
) -> dict[int, str]:
    """Give each number an item, in random order, so that items begin with the condition they began with least often."""
    numbers: dict[str, list[int]] = {}
    for number in _shuffled(list(starts), rng):
        numbers.setdefault(starts[number], []).append(number)
    named = {}
    for item in _shuffled(subset, rng):
        condition = min(numbers, key=lambda condition: begun[item, condition])
        named[numbers[condition].pop()] = item
        begun[item, condition] += 1
        if not numbers[condition]:
            del numbers[condition]
    return named


def _starts(request: DesignRequest, panel: int) -> list[int]:
    """Choose the scale order that each seat begins with.

    Of any two neighbouring seats (for two orders) one begins with each, so that a panel that fills slowly is balanced
    at any time. Seats that are left over go on where the panel before left off, which balances the whole design.
    """
    orders = len(request.scale_orders)
    rng = generator(request, Crossed.slug, "starts", panel)
    whole, left = divmod(request.seats, orders)
    starts = [start for _ in range(whole) for start in _shuffled(range(orders), rng)]
    return starts + [((panel - 1) * left + number) % orders for number in range(left)]


def _shuffled(values: Sequence[T], rng: random.Random) -> list[T]:
    return rng.sample(values, len(values))
