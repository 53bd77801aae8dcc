"""Hard rules that every design must keep: what each seat hears, how often and in which session."""

from collections import Counter
from collections.abc import Callable, Sequence

from core.i18n import LazyMessage
from listening.design.base import ANCHORING, Design, SeatSequence
from listening.design.report.balance import heard
from listening.design.report.values import Finding, Verdict

Rule = Callable[[Design, SeatSequence], bool]

NAMED_SEATS = 3


def verify(design: Design) -> list[Finding]:
    """Judge a design against its request; every rule gives one finding, which names the first seats that break it."""
    bad, warn = Verdict.BAD, Verdict.WARN
    return [
        _finding("rule.seats", bad, LazyMessage("One sequence for every seat of every panel"), design, _seated),
        _finding(
            "rule.complete", bad, LazyMessage("Every item of the panel under every condition once"), design, _complete
        ),
        _finding("rule.anchoring", bad, LazyMessage("Every reference stimulus once, at the start"), design, _anchored),
        _finding("rule.sessions", bad, LazyMessage("Sessions in order, none empty, none too many"), design, _in_order),
        _finding("rule.scales", bad, LazyMessage("Only scale orders that were asked for"), design, _ordered),
        _finding("rule.order_changes", warn, LazyMessage("One scale order within a session"), design, _steady),
        _finding("rule.lengths", warn, LazyMessage("Sessions equally long, give or take one clip"), design, _even),
    ]


def _finding(key: str, worst: Verdict, title: LazyMessage, design: Design, rule: Rule) -> Finding:
    broken = [sequence for sequence in design.sequences if not rule(design, sequence)]
    missing = 0
    if rule is _seated:
        missing = len(_places(design) - {(sequence.panel, sequence.seat) for sequence in design.sequences})
    if not broken and not missing:
        return Finding(
            key, title, "0", Verdict.OK, LazyMessage("All {seats} seats keep it.", seats=len(design.sequences))
        )
    if missing:
        sentence = LazyMessage("{missing} seats that were asked for have no sequence.", missing=missing)
    else:
        sentence = LazyMessage("{count} seats do not: {seats}.", count=len(broken), seats=_named(broken))
    return Finding(key, title, str(len(broken) + missing), worst, sentence, {"broken": len(broken) + missing})


def _named(sequences: Sequence[SeatSequence]) -> LazyMessage:
    """Name the first few as panel/seat."""
    names = ", ".join(f"{sequence.panel}/{sequence.seat}" for sequence in sequences[:NAMED_SEATS])
    if len(sequences) <= NAMED_SEATS:
        return LazyMessage("{names} (panel/seat)", names=names)
    return LazyMessage("{names} (panel/seat) and {more} more", names=names, more=len(sequences) - NAMED_SEATS)


def _places(design: Design) -> set[tuple[int, int]]:
    panels, seats = design.request.panels, design.request.seats
    return {(panel, seat) for panel in range(1, panels + 1) for seat in range(1, seats + 1)}


def _seated(design: Design, sequence: SeatSequence) -> bool:
    """Sequences are looked up by their place (`Design.sequence`), so they must also stand in order."""
    if not (1 <= sequence.panel <= design.request.panels and 1 <= sequence.seat <= design.request.seats):
        return False
    place = (sequence.panel - 1) * design.request.seats + sequence.seat - 1
    return place < len(design.sequences) and design.sequences[place] is sequence


def _complete(design: Design, sequence: SeatSequence) -> bool:
    if not 1 <= sequence.panel <= design.request.panels:
        return False
    subset = design.request.subsets[sequence.panel - 1]
    asked = Counter((item, condition) for item in subset for condition in design.request.conditions)
    return Counter((showing.item, showing.condition) for showing in heard(sequence)) == asked


def _anchored(design: Design, sequence: SeatSequence) -> bool:
    first = [(showing.item, showing.condition) for showing in sequence.showings if showing.session == ANCHORING]
    return Counter(first) == Counter(tuple(reference) for reference in design.request.references)


def _in_order(design: Design, sequence: SeatSequence) -> bool:
    sessions = [showing.session for showing in sequence.showings]
    counted = {session for session in sessions if session != ANCHORING}
    return sessions == sorted(sessions) and counted == set(range(1, design.request.sessions + 1))


def _even(design: Design, sequence: SeatSequence) -> bool:
    lengths = Counter(showing.session for showing in heard(sequence)).values()
    return bool(lengths) and max(lengths) - min(lengths) <= 1


def _ordered(design: Design, sequence: SeatSequence) -> bool:
    return {showing.scales for showing in sequence.showings} <= {tuple(order) for order in design.request.scale_orders}


def _steady(design: Design, sequence: SeatSequence) -> bool:
    """Only the anchoring shows all orders, one after the other."""
    used = {(showing.session, showing.scales) for showing in heard(sequence)}
    return len(used) == len({session for session, _ in used})
