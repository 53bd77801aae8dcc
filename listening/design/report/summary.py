"""The report on a design as a list of findings, its digest, and the design in one sentence for a paper."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from core.clauses import Clause, clause
from core.hashing import digest
from listening.design.base import Design, LayoutRequest, SeatSequence
from listening.design.orders.presets import Crossed, UdaseExact, session_lengths
from listening.design.report.balance import Factors, balance, heard
from listening.design.report.cost import PUBLISHED, Assumptions, ClipLengths, Components, cost
from listening.design.report.order import order, smallest_distance
from listening.design.report.rules import verify
from listening.design.report.values import Finding, Table, Verdict, span

__all__ = ["Finding", "Table", "Verdict", "design_digest", "design_report", "one_sentence", "verify"]


def design_report(
    design: Design,
    *,
    clip_s: ClipLengths | None = None,
    factors: Factors | None = None,
    components: Mapping[str, Components] = PUBLISHED,
    answer_s: float = 5.0,
    rest_s: float = 300.0,
) -> list[Finding]:
    """Look at a design that keeps the hard rules (`verify`), and give every respect a number and a verdict.

    `clip_s` holds how long each (item, condition) lasts, `factors` the levels of each item, `components` how the votes
    on each scale vary; `answer_s` and `rest_s` are the time for an answer and for a break.
    """
    assumed = Assumptions(components=components, answer_s=answer_s, rest_s=rest_s)
    return [*balance(design, factors), *order(design), *cost(design, clip_s, assumed)]


def design_digest(design: Design) -> str:
    """Digest of a design: SHA-256 over what every seat hears.

    Showings stand together as long as session and scale order stay: [session, scales, [item, condition, item, ...]].
    """
    return digest([[seat.panel, seat.seat, _stretches(seat)] for seat in design.sequences])


def _stretches(seat: SeatSequence) -> list[list[object]]:
    stretches = groupby(seat.showings, key=lambda showing: (showing.session, showing.scales))
    return [
        [session, scales, [name for showing in showings for name in (showing.item, showing.condition)]]
        for (session, scales), showings in stretches
    ]


def one_sentence(design: Design, findings: Sequence[Finding]) -> Clause:
    """Say what was done, and of what is balanced only what the findings call even."""
    request = design.request
    clips = [len(subset) * len(request.conditions) for subset in request.subsets]
    lengths = [length for showings in clips for length in session_lengths(showings, request.sessions)]
    even, uneven = _respects(design, findings)
    return clause(
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
        each=clause(" on each scale") if request.scale_orders[0] else "",
        order=_order(design, even),
        uneven=_uneven(uneven),
        starts=_starts(design, findings),
        again=_again(design),
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


def _sessions(request: LayoutRequest) -> Clause:
    if request.sessions == 1:
        return clause("one session")
    return clause("{sessions} sessions", sessions=request.sessions)


def _scales(design: Design) -> Clause:
    orders = design.request.scale_orders
    names = ", ".join("-".join(order) for order in orders)
    if not orders[0]:
        return clause("on one page a clip")
    if len(orders) == 1:
        return clause("on one scale at a time, in the order {names},", names=names)
    parts = [_sessions_by_order(seat) for seat in design.sequences]
    if all(len(counts) == 1 for counts in parts):
        return clause("on one scale at a time, each listener in one of the orders {names},", names=names)
    if all(len(set(counts)) == 1 and len(counts) == len(orders) for counts in parts):
        return clause("on one scale at a time, in the orders {names} for equal parts of the sessions,", names=names)
    return clause("on one scale at a time, in the orders {names} for unequal parts of the sessions,", names=names)


def _sessions_by_order(seat: SeatSequence) -> list[int]:
    used = {(showing.session, showing.scales) for showing in heard(seat)}
    return list(Counter(order for _, order in used).values())


def _anchoring(request: LayoutRequest) -> Clause | str:
    if not request.references:
        return ""
    return clause(", after {references} reference clips", references=len(request.references))


def _respects(design: Design, findings: Sequence[Finding]) -> tuple[list[Clause], list[Clause]]:
    """Sort what a crossed design balances by what was found: what is even, and what is not."""
    if design.preset != Crossed.slug or len(design.request.conditions) == 1:
        return [], []
    names = {
        "condition_by_session": clause("sessions"),
        "condition_by_position": clause("positions"),
        "carry_over": clause("neighbours"),
        "item_successors": clause("successive showings of an item"),
    }
    verdicts = {finding.key: finding.verdict for finding in findings}
    even = [name for key, name in names.items() if verdicts.get(key) == Verdict.OK]
    return even, [name for key, name in names.items() if verdicts.get(key, Verdict.OK) != Verdict.OK]


def _order(design: Design, even: Sequence[Clause]) -> Clause:
    if design.preset == UdaseExact.slug:
        return clause("clips came in random order")
    if design.preset != Crossed.slug:
        return clause("the order of clips was that of an existing plan")
    return _balanced(even)


def _balanced(names: Sequence[Clause]) -> Clause:
    match names:
        case []:
            return clause("every listener heard the clips in another order")
        case [one]:
            return clause("conditions were balanced over {one}", one=one)
        case [one, two]:
            return clause("conditions were balanced over {one} and {two}", one=one, two=two)
        case [one, two, three]:
            return clause("conditions were balanced over {one}, {two} and {three}", one=one, two=two, three=three)
        case _:
            one, two, three, four = names
            return clause(
                "conditions were balanced over {one}, {two}, {three} and {four}",
                one=one,
                two=two,
                three=three,
                four=four,
            )


def _uneven(names: Sequence[Clause]) -> Clause | str:
    match names:
        case []:
            return ""
        case [one]:
            return clause(", but not over {one}", one=one)
        case [one, two]:
            return clause(", but not over {one} and {two}", one=one, two=two)
        case [one, two, three]:
            return clause(", but not over {one}, {two} and {three}", one=one, two=two, three=three)
        case _:
            one, two, three, four = names
            return clause(", but not over {one}, {two}, {three} and {four}", one=one, two=two, three=three, four=four)


def _starts(design: Design, findings: Sequence[Finding]) -> Clause | str:
    """How the scale orders were balanced over the listeners."""
    starts = {(seat.panel, heard(seat)[0].scales) for seat in design.sequences if heard(seat)}
    if len(design.request.scale_orders) == 1 or not starts:
        return ""
    if len({order for _, order in starts}) == 1:
        return clause(", every listener began with the same scale order")
    if len(starts) == len({panel for panel, _ in starts}):
        return clause(", and which scale order came first depended on the panel")
    verdicts = [finding.verdict for finding in findings if finding.key in {"order_by_panel", "order_by_session"}]
    if design.preset == Crossed.slug and verdicts and all(verdict == Verdict.OK for verdict in verdicts):
        return clause(", scale orders were balanced over the listeners of each panel")
    return ""


def _again(design: Design) -> Clause | str:
    nearest = [found for seat in design.sequences if (found := smallest_distance(heard(seat))) is not None]
    if not nearest or design.preset != Crossed.slug:
        return ""
    return clause(", and an item came again {distance} clips later at the earliest", distance=min(nearest))
