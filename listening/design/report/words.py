"""A whole design in one sentence, ready for a paper."""

from collections.abc import Sequence

from core.clauses import Clause, clause
from listening.design.base import Design, DesignRequest
from listening.design.orders.crossed import Crossed
from listening.design.orders.layout import session_lengths
from listening.design.orders.udase_exact import UdaseExact
from listening.design.report.balance import heard
from listening.design.report.order import smallest_distance
from listening.design.report.values import span


def one_sentence(design: Design) -> Clause:
    request = design.request
    clips = [len(subset) * len(request.conditions) for subset in request.subsets]
    lengths = [length for showings in clips for length in session_lengths(showings, request.sessions)]
    return clause(
        "{listeners} each rated {items} items under {conditions} conditions ({clips} clips) {scales} in {sessions} of "
        "{length} clips{anchoring}, {votes} votes per item and condition{each}; {order} (seed {seed}).",
        listeners=_listeners(design),
        items=_range(list(map(len, request.subsets))),
        conditions=len(request.conditions),
        clips=_range(clips),
        scales=_scales(request),
        sessions=_sessions(request),
        length=_range(lengths),
        anchoring=_anchoring(request),
        votes=request.seats,
        each=clause(" on each scale") if request.scale_orders[0] else "",
        order=_order(design),
        seed=str(request.seed),
    )


def _range(values: Sequence[int]) -> str:
    return span(min(values), max(values))


def _listeners(design: Design) -> Clause:
    request = design.request
    if request.panels == 1:
        return clause("{listeners} listeners", listeners=len(design.sequences))
    return clause(
        "{listeners} listeners in {panels} panels of {seats}",
        listeners=len(design.sequences),
        panels=request.panels,
        seats=request.seats,
    )


def _sessions(request: DesignRequest) -> Clause:
    if request.sessions == 1:
        return clause("one session")
    return clause("{sessions} sessions", sessions=request.sessions)


def _scales(request: DesignRequest) -> Clause:
    names = ", ".join("-".join(order) for order in request.scale_orders)
    if not request.scale_orders[0]:
        return clause("on one page a clip")
    if len(request.scale_orders) == 1:
        return clause("on one scale at a time, in the order {names},", names=names)
    return clause("on one scale at a time, in the orders {names} for equal parts of the sessions,", names=names)


def _anchoring(request: DesignRequest) -> Clause | str:
    if not request.references:
        return ""
    return clause(", after {references} reference clips", references=len(request.references))


def _order(design: Design) -> Clause:
    together = not design.request.scale_orders[0]
    if design.preset == UdaseExact.slug and together:
        return clause("clips came in random order")
    if design.preset == UdaseExact.slug:
        return clause("clips came in random order, and which scale order came first depended on the panel")
    if design.preset != Crossed.slug:
        return clause("the order of clips was that of an existing plan")
    nearest = [found for seat in design.sequences if (found := smallest_distance(heard(seat))) is not None]
    if not nearest:
        return clause("conditions were balanced over sessions, positions and neighbours")
    if together:
        return clause(
            "conditions were balanced over sessions, positions and neighbours, and an item came again {distance} clips "
            "later at the earliest",
            distance=min(nearest),
        )
    return clause(
        "conditions were balanced over sessions, positions and neighbours, scale orders over the listeners of each "
        "panel, and an item came again {distance} clips later at the earliest",
        distance=min(nearest),
    )
