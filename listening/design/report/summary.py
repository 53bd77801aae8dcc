"""The report on a design as a list of findings, its digest, and the design in one sentence for a paper."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from core.hashing import digest
from core.i18n import LazyMessage
from listening.design.base import Design, LayoutRequest, SeatSequence
from listening.design.orders.presets import Crossed, UdaseExact, session_lengths
from listening.design.report.balance import Factors, balance, heard
from listening.design.report.cost import Assumptions, ShowingLengths, cost
from listening.design.report.order import order, smallest_distance
from listening.design.report.rules import verify
from listening.design.report.values import Finding, Table, Verdict, span
from rating.variance import VarianceComponents

__all__ = [
    "Finding",
    "Table",
    "Verdict",
    "design_digest",
    "design_report",
    "extension_digest",
    "one_sentence",
    "verify",
]


def design_report(
    design: Design,
    *,
    showing_s: ShowingLengths | None = None,
    factors: Factors | None = None,
    components: Mapping[str, VarianceComponents] | None = None,
    rest_s: float = 300.0,
    checks_s: float = 0.0,
) -> list[Finding]:
    """Look at a design that keeps the hard rules (`verify`), and give every respect a number and a verdict.

    `showing_s` holds how long each (item, condition) takes with its answers on all scales, `factors` the levels of each
    item, `components` how the votes on each scale vary; `rest_s` is the time for a break, `checks_s` that for checks.
    """
    assumed = Assumptions(components=components or {}, rest_s=rest_s, checks_s=checks_s)
    return [*balance(design, factors), *order(design), *cost(design, showing_s, assumed)]


def design_digest(design: Design) -> str:
    """Digest of a design: SHA-256 over what every seat hears.

    Showings stand together as long as session and scale order stay: [session, scales, [item, condition, item, ...]].
    """
    return digest([_seat(seat) for seat in design.sequences])


def extension_digest(before: str, added: Sequence[SeatSequence]) -> str:
    """Digest of a design with an addition: it covers the digest before it, which stays what it was."""
    return digest({"extends": before, "added": [_seat(seat) for seat in added]})


def _seat(seat: SeatSequence) -> list[object]:
    return [seat.panel, seat.seat, _stretches(seat)]


def _stretches(seat: SeatSequence) -> list[list[object]]:
    stretches = groupby(seat.showings, key=lambda showing: (showing.session, showing.scales))
    return [
        [session, scales, [name for showing in showings for name in (showing.item, showing.condition)]]
        for (session, scales), showings in stretches
    ]


def one_sentence(design: Design, findings: Sequence[Finding]) -> LazyMessage:
    """Say what was done, and of what is balanced only what the findings call even."""
    request = design.request
    clips = [len(subset) * len(request.conditions) for subset in request.subsets]
    lengths = [length for showings in clips for length in session_lengths(showings, request.sessions)]
    even, uneven = _respects(design, findings)
    return LazyMessage(
        "{listeners} each rated {items} items under {conditions} conditions ({clips} clips) {scales} in {sessions} of "
        "{length} clips{anchoring}, {votes} votes per item and condition{each}; {order}{uneven}{starts}{again} "
        "(seed {seed}).",
        listeners=_listeners(design),
        items=_range(list(map(len, request.subsets))),
        conditions=len(request.conditions),
        clips=_range(clips),
        scales=_scales(design),
        sessions=_sessions(request),
        length=_range(lengths),
        anchoring=_anchoring(request),
        votes=request.seats,
        each=LazyMessage(" on each scale") if request.scale_orders[0] else "",
        order=_order(design, even),
        uneven=_uneven(uneven),
        starts=_starts(design, findings),
        again=_again(design),
        seed=str(request.seed),
    )


def _range(values: Sequence[int]) -> str:
    return span(min(values), max(values))


def _listeners(design: Design) -> LazyMessage:
    request = design.request
    if request.panels == 1:
        return LazyMessage("{listeners} listeners", listeners=len(design.sequences))
    return LazyMessage(
        "{listeners} listeners in {panels} panels of {seats}",
        listeners=len(design.sequences),
        panels=request.panels,
        seats=request.seats,
    )


def _sessions(request: LayoutRequest) -> LazyMessage:
    if request.sessions == 1:
        return LazyMessage("one session")
    return LazyMessage("{sessions} sessions", sessions=request.sessions)


def _scales(design: Design) -> LazyMessage:
    orders = design.request.scale_orders
    names = ", ".join("-".join(order) for order in orders)
    if not orders[0]:
        return LazyMessage("on one page a clip")
    if len(orders) == 1:
        return LazyMessage("on one scale at a time, in the order {names},", names=names)
    parts = [_sessions_by_order(seat) for seat in design.sequences]
    if all(len(counts) == 1 for counts in parts):
        return LazyMessage("on one scale at a time, each listener in one of the orders {names},", names=names)
    if all(len(set(counts)) == 1 and len(counts) == len(orders) for counts in parts):
        return LazyMessage(
            "on one scale at a time, in the orders {names} for equal parts of the sessions,", names=names
        )
    return LazyMessage("on one scale at a time, in the orders {names} for unequal parts of the sessions,", names=names)


def _sessions_by_order(seat: SeatSequence) -> list[int]:
    used = {(showing.session, showing.scales) for showing in heard(seat)}
    return list(Counter(order for _, order in used).values())


def _anchoring(request: LayoutRequest) -> LazyMessage | str:
    if not request.references:
        return ""
    if {condition for _, condition in request.references} <= set(request.conditions):
        return LazyMessage(", after {clips} practice clips", clips=len(request.references))
    return LazyMessage(", after {references} reference clips", references=len(request.references))


def _respects(design: Design, findings: Sequence[Finding]) -> tuple[list[LazyMessage], list[LazyMessage]]:
    """Sort what a crossed design balances by what was found: what is even, and what is not."""
    if design.preset != Crossed.slug or len(design.request.conditions) == 1:
        return [], []
    names = {
        "condition_by_session": LazyMessage("sessions"),
        "condition_by_position": LazyMessage("positions"),
        "carry_over": LazyMessage("neighbours"),
        "item_successors": LazyMessage("successive showings of an item"),
    }
    verdicts = {finding.key: finding.verdict for finding in findings}
    even = [name for key, name in names.items() if verdicts.get(key) == Verdict.OK]
    return even, [name for key, name in names.items() if verdicts.get(key, Verdict.OK) != Verdict.OK]


def _order(design: Design, even: Sequence[LazyMessage]) -> LazyMessage:
    if design.preset == UdaseExact.slug:
        return LazyMessage("clips came in random order")
    if design.preset != Crossed.slug:
        return LazyMessage("the order of clips was that of an existing plan")
    return _balanced(even)


def _balanced(names: Sequence[LazyMessage]) -> LazyMessage:
    match names:
        case []:
            return LazyMessage("every listener heard the clips in another order")
        case [one]:
            return LazyMessage("conditions were balanced over {one}", one=one)
        case [one, two]:
            return LazyMessage("conditions were balanced over {one} and {two}", one=one, two=two)
        case [one, two, three]:
            return LazyMessage("conditions were balanced over {one}, {two} and {three}", one=one, two=two, three=three)
        case _:
            one, two, three, four = names
            return LazyMessage(
                "conditions were balanced over {one}, {two}, {three} and {four}",
                one=one,
                two=two,
                three=three,
                four=four,
            )


def _uneven(names: Sequence[LazyMessage]) -> LazyMessage | str:
    match names:
        case []:
            return ""
        case [one]:
            return LazyMessage(", but not over {one}", one=one)
        case [one, two]:
            return LazyMessage(", but not over {one} and {two}", one=one, two=two)
        case [one, two, three]:
            return LazyMessage(", but not over {one}, {two} and {three}", one=one, two=two, three=three)
        case _:
            one, two, three, four = names
            return LazyMessage(
                ", but not over {one}, {two}, {three} and {four}", one=one, two=two, three=three, four=four
            )


def _starts(design: Design, findings: Sequence[Finding]) -> LazyMessage | str:
    """How the scale orders were balanced over the listeners."""
    starts = {(seat.panel, heard(seat)[0].scales) for seat in design.sequences if heard(seat)}
    if len(design.request.scale_orders) == 1 or not starts:
        return ""
    if len({order for _, order in starts}) == 1:
        return LazyMessage(", every listener began with the same scale order")
    if len(starts) == len({panel for panel, _ in starts}):
        return LazyMessage(", and which scale order came first depended on the panel")
    verdicts = [finding.verdict for finding in findings if finding.key in {"order_by_panel", "order_by_session"}]
    if design.preset == Crossed.slug and verdicts and all(verdict == Verdict.OK for verdict in verdicts):
        return LazyMessage(", scale orders were balanced over the listeners of each panel")
    return ""


def _again(design: Design) -> LazyMessage | str:
    nearest = [found for seat in design.sequences if (found := smallest_distance(heard(seat))) is not None]
    if not nearest or design.preset != Crossed.slug:
        return ""
    return LazyMessage(", and an item came again {distance} clips later at the earliest", distance=min(nearest))
