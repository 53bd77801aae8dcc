"""The report on a design before it is used: how well it is balanced, what it confounds, what it costs and promises."""

from collections.abc import Mapping
from itertools import groupby

from core.hashing import digest
from listening.design.base import Design, SeatSequence
from listening.design.report.balance import Factors, balance
from listening.design.report.cost import PUBLISHED, Assumptions, ClipLengths, Components, cost
from listening.design.report.order import order
from listening.design.report.rules import verify
from listening.design.report.values import Finding, Table, Verdict
from listening.design.report.words import one_sentence

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
    """Name a design by what every seat hears, whoever laid it out: SHA-256 over the sequences.

    Showings stand together as long as session and scale order stay: [session, scales, [item, condition, item, ...]].
    """
    return digest([[seat.panel, seat.seat, _stretches(seat)] for seat in design.sequences])


def _stretches(seat: SeatSequence) -> list[list[object]]:
    stretches = groupby(seat.showings, key=lambda showing: (showing.session, showing.scales))
    return [
        [session, scales, [name for showing in showings for name in (showing.item, showing.condition)]]
        for (session, scales), showings in stretches
    ]
