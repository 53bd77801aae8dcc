"""Presets, which lay out the sequences of all seats: crossed (the default) and the published one of CHiME-7 UDASE."""

import random
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from listening.design.base import ANCHORING, Design, LayoutRequest, Preset, ScaleOrder, SeatSequence, Showing
from listening.design.orders.assignment import Cell as NumberedCell
from listening.design.orders.sequence import build_sequence

# --- Steps that every preset shares -----------------------------------------------------------------------------------


Cell = tuple[str, str]  # item, condition


def check_request(request: LayoutRequest) -> None:
    """Reject what no preset can lay out."""
    for missing in _missing(request):
        raise AppError("design.incomplete", 422, _("A design cannot be laid out without {missing}."), missing=missing)
    for number, subset in enumerate(request.subsets, 1):
        _reject_repeats(subset, LazyMessage("the items of panel {panel}", panel=number))
    _reject_repeats(request.conditions, LazyMessage("the conditions"))
    _reject_repeats(request.references, LazyMessage("the reference stimuli"))
    _check_scale_orders(request.scale_orders)
    for number, subset in enumerate(request.subsets, 1):
        showings = len(subset) * len(request.conditions)
        if request.sessions > showings:
            raise AppError(
                "design.too_many_sessions",
                422,
                _(
                    "The {showings} clips of panel {panel} do not fill {sessions} sessions. Ask for {showings} "
                    "sessions at most."
                ),
                showings=showings,
                panel=number,
                sessions=request.sessions,
            )


def _missing(request: LayoutRequest) -> Iterator[LazyMessage]:
    if not request.subsets:
        yield LazyMessage("a subset of items for at least one panel")
    for number, subset in enumerate(request.subsets, 1):
        if not subset:
            yield LazyMessage("items for panel {panel}", panel=number)
    if not request.conditions:
        yield LazyMessage("at least one condition")
    if request.seats < 1:
        yield LazyMessage("at least one listener in each panel")
    if request.sessions < 1:
        yield LazyMessage("at least one session")
    if not request.scale_orders:
        yield LazyMessage("a scale order (an empty one where the scales are asked together)")


def _reject_repeats(names: Iterable[Hashable], where: LazyMessage) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise AppError(
                "design.repeated",
                422,
                _("'{name}' stands twice in {where}. Name everything once."),
                name="/".join(name) if isinstance(name, tuple) else name,
                where=where,
            )
        seen.add(name)


def _check_scale_orders(orders: Sequence[ScaleOrder]) -> None:
    named = ", ".join("-".join(order) or "()" for order in orders)
    _reject_repeats(map(tuple, orders), LazyMessage("the scale orders"))
    scales = sorted(orders[0])
    if any(sorted(order) != scales or len(set(order)) != len(order) for order in orders):
        raise AppError(
            "design.scale_orders",
            422,
            _("The scale orders {orders} do not hold the same scales, each once. Give orders of one set of scales."),
            orders=named,
        )


def generator(request: LayoutRequest, *purpose: object) -> random.Random:
    """Make the generator of one purpose. A text as seed gives the same numbers on every machine."""
    return random.Random("/".join(str(part) for part in (request.seed, *purpose)))


def session_lengths(showings: int, sessions: int) -> list[int]:
    """Share the showings out over the sessions; the remainder lengthens the first sessions by one each."""
    return [showings // sessions + (number < showings % sessions) for number in range(sessions)]


def scale_order(orders: Sequence[ScaleOrder], start: int, part: int, parts: int) -> ScaleOrder:
    """Choose the order for one of several parts in time: of two orders, one for the first half and one for the rest."""
    return tuple(orders[(start + part * len(orders) // parts) % len(orders)])


def anchoring(request: LayoutRequest, start: int, rng: random.Random) -> list[Showing]:
    """Lay out the reference stimuli in a shuffled order, the scale orders changing as they will in the sessions."""
    references = list(request.references)
    rng.shuffle(references)
    return [
        Showing(ANCHORING, item, condition, scale_order(request.scale_orders, start, number, len(references)))
        for number, (item, condition) in enumerate(references)
    ]


def in_sessions(request: LayoutRequest, cells: Sequence[Cell], start: int) -> list[Showing]:
    """Cut a sequence into sessions; the scale order changes only where a session ends."""
    showings: list[Showing] = []
    for session, length in enumerate(session_lengths(len(cells), request.sessions), 1):
        scales = scale_order(request.scale_orders, start, session - 1, request.sessions)
        first = len(showings)
        showings += [Showing(session, item, condition, scales) for item, condition in cells[first : first + length]]
    return showings


# --- The default: scale orders, conditions and positions crossed in every panel ---------------------------------------


T = TypeVar("T")

MOST_PATTERNS = 8  # sequences in numbers that are worked out; seats take turns and put names to the numbers


class Crossed(Preset):
    """Balanced inside every panel, for every number of items, conditions, seats and sessions.

    Seats come in groups of as many as there are conditions. A group shares one pattern of numbers; each of its seats
    turns the conditions by one more (a cyclic Latin square), so that at every position of the sequence each condition
    is heard by equally many of the panel's seats, give or take one. Each seat has an order of items of its own.
    An extension first goes on with the group that was begun, so the same holds for all seats together.
    """

    slug = "crossed"
    title = _("Crossed")
    summary = _(
        "Scale orders are balanced inside every panel, conditions over sessions, positions and neighbours, and an item "
        "comes again as late as can be; which items a panel hears is all that panels differ in."
    )

    def lay_out(self, request: LayoutRequest) -> Design:
        check_request(request)
        return Design(self.slug, request, tuple(_sequences(request)))


def _sequences(request: LayoutRequest) -> Iterator[SeatSequence]:
    patterns: dict[tuple[int, int], list[NumberedCell]] = {}
    groups, starts = _groups(request), _starts(request)
    for panel, subset in enumerate(request.subsets, 1):
        begun: Counter[Cell] = Counter()
        for first in range(0, request.seats, len(request.conditions)):
            pattern = (len(subset), groups[panel, first] % MOST_PATTERNS)
            if pattern not in patterns:
                patterns[pattern] = _pattern(request, *pattern)
            members = min(len(request.conditions), request.seats - first)
            for number, cells in enumerate(_named(request, panel, first, members, patterns[pattern], begun), first):
                rng = generator(request, Crossed.slug, "anchoring", panel, number + 1)
                start = starts[panel][number]
                showings = (*anchoring(request, start, rng), *in_sessions(request, cells, start))
                yield SeatSequence(panel, number + 1, showings)


def _groups(request: LayoutRequest) -> dict[tuple[int, int], int]:
    """The number of every group of seats, by its panel and first seat; groups of an extension are counted on."""
    numbers: dict[tuple[int, int], int] = {}
    for panels, seats in request.stages:
        for panel in range(1, panels + 1):
            for first in range(0, seats, len(request.conditions)):
                numbers.setdefault((panel, first), len(numbers))
    return numbers


def _pattern(request: LayoutRequest, items: int, number: int) -> list[NumberedCell]:
    conditions = len(request.conditions)
    lengths = session_lengths(items * conditions, request.sessions)
    return build_sequence(items, conditions, lengths, generator(request, Crossed.slug, "pattern", items, number))


def _named(
    request: LayoutRequest, panel: int, first: int, members: int, pattern: list[NumberedCell], begun: Counter[Cell]
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


def _starts(request: LayoutRequest) -> dict[int, list[int]]:
    """Choose the scale order that each seat begins with, by panel.

    Of any two neighbouring seats (for two orders) one begins with each, so that a panel that fills slowly is balanced
    at any time. Seats that are left over go on where the panel before left off, which balances the whole design.
    Each seat of an extension begins with the order that is rarest in its panel, and of those the rarest in all.
    """
    starts: dict[int, list[int]] = {}
    for stage, (panels, seats) in enumerate(request.stages):
        for panel in range(1, panels + 1):
            if panel not in starts:
                starts[panel] = _first_starts(request, panel, seats)
            rng = generator(request, Crossed.slug, "starts", panel, "extension", stage)
            while len(starts[panel]) < seats:
                here, everywhere = Counter(starts[panel]), Counter(chain.from_iterable(starts.values()))
                orders = _shuffled(range(len(request.scale_orders)), rng)
                starts[panel].append(min(orders, key=lambda order: (here[order], everywhere[order])))
    return starts


def _first_starts(request: LayoutRequest, panel: int, seats: int) -> list[int]:
    orders = len(request.scale_orders)
    rng = generator(request, Crossed.slug, "starts", panel)
    whole, left = divmod(seats, orders)
    starts = [start for _ in range(whole) for start in _shuffled(range(orders), rng)]
    return starts + [((panel - 1) * left + number) % orders for number in range(left)]


def _shuffled(values: Sequence[T], rng: random.Random) -> list[T]:
    return rng.sample(values, len(values))


# --- The published layout of the CHiME-7 UDASE listening test ---------------------------------------------------------


class UdaseExact(Preset):
    """For comparison with published results; only the fifth session that the original makes of a remainder is left out.

    The original gives panels 1 and 2 one scale order first and panels 3 and 4 the other, so that scale order cannot be
    told from material, and it shuffles without constraint.
    """

    slug = "udase-exact"
    title = _("UDASE exact")
    summary = _(
        "As published for CHiME-7 UDASE: every listener hears all clips in an order of pure chance; the scale order "
        "goes with the panel and so with the items, conditions come unevenly in a session, and items follow themselves."
    )

    def lay_out(self, request: LayoutRequest) -> Design:
        check_request(request)
        places = [(panel, seat) for panel in range(1, request.panels + 1) for seat in range(1, request.seats + 1)]
        return Design(self.slug, request, tuple(_sequence(request, panel, seat) for panel, seat in places))


def _sequence(request: LayoutRequest, panel: int, seat: int) -> SeatSequence:
    start = _panel_start(request, panel)
    rng = generator(request, UdaseExact.slug, panel, seat)
    references = anchoring(request, start, rng)
    cells = [(item, condition) for item in request.subsets[panel - 1] for condition in request.conditions]
    rng.shuffle(cells)
    return SeatSequence(panel, seat, (*references, *in_sessions(request, cells, start)))


def _panel_start(request: LayoutRequest, panel: int) -> int:
    """The scale order of a panel: the orders are balanced across the panels that were laid out together."""
    panels = [panels for panels, _ in request.stages]
    before = max((count for count in panels if count < panel), default=0)
    together = min(count for count in panels if count >= panel) - before
    return (panel - before - 1) * len(request.scale_orders) // together


# --- Presets by slug --------------------------------------------------------------------------------------------------


PRESETS: dict[str, Preset] = {made.slug: made for made in (Crossed(), UdaseExact())}
DEFAULT = Crossed.slug


def preset(slug: str) -> Preset:
    if slug not in PRESETS:
        raise AppError(
            "design.unknown_preset",
            422,
            _("There is no design preset '{slug}'. Known: {known}."),
            slug=slug,
            known=", ".join(PRESETS),
        )
    return PRESETS[slug]
