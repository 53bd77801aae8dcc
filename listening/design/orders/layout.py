"""What every preset shares: judging a request, cutting into sessions, changing the scale order, and anchoring."""

import random
from collections.abc import Hashable, Iterable, Iterator, Sequence

from core.clauses import Clause, clause
from listening.design.base import ANCHORING, DesignRequest, ScaleOrder, Showing
from listening.design.orders.errors import DesignIncomplete, NameRepeated, ScaleOrdersDiffer, TooManySessions

Cell = tuple[str, str]  # item, condition


def check_request(request: DesignRequest) -> None:
    """Refuse what no preset can lay out."""
    for missing in _missing(request):
        raise DesignIncomplete(missing=missing)
    for number, subset in enumerate(request.subsets, 1):
        _refuse_repeats(subset, clause("the items of panel {panel}", panel=number))
    _refuse_repeats(request.conditions, clause("the conditions"))
    _refuse_repeats(request.references, clause("the reference stimuli"))
    _check_scale_orders(request.scale_orders)
    for number, subset in enumerate(request.subsets, 1):
        showings = len(subset) * len(request.conditions)
        if request.sessions > showings:
            raise TooManySessions(showings=showings, panel=number, sessions=request.sessions)


def _missing(request: DesignRequest) -> Iterator[Clause]:
    if not request.subsets:
        yield clause("a subset of items for at least one panel")
    for number, subset in enumerate(request.subsets, 1):
        if not subset:
            yield clause("items for panel {panel}", panel=number)
    if not request.conditions:
        yield clause("at least one condition")
    if request.seats < 1:
        yield clause("at least one listener in each panel")
    if request.sessions < 1:
        yield clause("at least one session")
    if not request.scale_orders:
        yield clause("a scale order (an empty one where the scales are asked together)")


def _refuse_repeats(names: Iterable[Hashable], where: Clause) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise NameRepeated(name="/".join(name) if isinstance(name, tuple) else name, where=where)
        seen.add(name)


def _check_scale_orders(orders: Sequence[ScaleOrder]) -> None:
    named = ", ".join("-".join(order) or "()" for order in orders)
    _refuse_repeats(map(tuple, orders), clause("the scale orders"))
    scales = sorted(orders[0])
    if any(sorted(order) != scales or len(set(order)) != len(order) for order in orders):
        raise ScaleOrdersDiffer(orders=named)


def generator(request: DesignRequest, *purpose: object) -> random.Random:
    """Make the generator of one purpose. A text as seed gives the same numbers on every machine."""
    return random.Random("/".join(str(part) for part in (request.seed, *purpose)))


def session_lengths(showings: int, sessions: int) -> list[int]:
    """Share the showings out over the sessions; the remainder lengthens the first sessions by one each."""
    return [showings // sessions + (number < showings % sessions) for number in range(sessions)]


def scale_order(orders: Sequence[ScaleOrder], start: int, part: int, parts: int) -> ScaleOrder:
    """Choose the order for one of several parts in time: of two orders, one for the first half and one for the rest."""
    return tuple(orders[(start + part * len(orders) // parts) % len(orders)])


def anchoring(request: DesignRequest, start: int, rng: random.Random) -> list[Showing]:
    """Lay out the reference stimuli in a shuffled order, the scale orders changing as they will in the sessions."""
    references = list(request.references)
    rng.shuffle(references)
    return [
        Showing(ANCHORING, item, condition, scale_order(request.scale_orders, start, number, len(references)))
        for number, (item, condition) in enumerate(references)
    ]


def in_sessions(request: DesignRequest, cells: Sequence[Cell], start: int) -> list[Showing]:
    """Cut a sequence into sessions; the scale order changes only where a session ends."""
    showings: list[Showing] = []
    for session, length in enumerate(session_lengths(len(cells), request.sessions), 1):
        scales = scale_order(request.scale_orders, start, session - 1, request.sessions)
        first = len(showings)
        showings += [Showing(session, item, condition, scales) for item, condition in cells[first : first + length]]
    return showings
