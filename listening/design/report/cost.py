"""Cost of a design in minutes per listener, and the expected precision of its means."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist, fmean

from core.i18n import LazyMessage
from listening.design.base import ANCHORING, Design, SeatSequence
from listening.design.report.balance import heard
from listening.design.report.values import Finding, Number, Table, Verdict, fixed
from listening.durations import SeatDuration, seat_duration
from rating.variance import OVERALL_QUALITY, VarianceComponents

ShowingLengths = Mapping[tuple[str, str], float]

LONG_SESSION_MIN, LONGEST_SESSION_MIN = 30.0, 45.0  # P.835 sessions last about 20 min; P.808 stops at 45
LONG_VISIT_MIN = 150.0
PRECISE, VAGUE = 0.25, 0.5  # half-widths on a scale of 1 to 5
EXACT_DF = 60


@dataclass(frozen=True)
class Assumptions:
    """What is assumed of listeners: how their votes vary on each scale, and what checks and breaks take."""

    components: Mapping[str, VarianceComponents] = field(default_factory=dict)  # of scales without, the usual ones
    rest_s: float = 300.0
    checks_s: float = 0.0


def cost(design: Design, showing_s: ShowingLengths | None, assumed: Assumptions) -> Iterator[Finding]:
    yield minutes(design, showing_s, assumed)
    yield practice(design, showing_s or {})
    yield half_width_votes(design, assumed)
    yield half_width_listeners(design, assumed)
    if len(design.request.conditions) > 1:
        yield half_width_difference(design, assumed)


def minutes(design: Design, showing_s: ShowingLengths | None, assumed: Assumptions) -> Finding:
    """The longest seat, from consent to the last answer, as the landing page states it (listening/durations.py)."""
    title = LazyMessage("Minutes per listener")
    cells = {(showing.item, showing.condition) for sequence in design.sequences for showing in sequence.showings}
    known = {cell: length for cell, length in (showing_s or {}).items() if cell in cells}
    unknown = len(cells) - len(known)
    if not known:
        sentence = LazyMessage("How long the clips last is not known, so the time that a listener needs is not either.")
        return Finding("minutes", title, "-", Verdict.WARN, sentence, {"unknown_clips": unknown})
    usual_s = fmean(known.values())
    seats = [
        seat_duration(_sessions_s(sequence, known, usual_s), rest_s=assumed.rest_s, checks_s=assumed.checks_s)
        for sequence in design.sequences
    ]
    seat = max(seats, key=lambda each: each.total_s)
    total, pages, practice = seat.total_s / 60, seat.pages_s / 60, seat.practice_s / 60
    longest = max(length for each in seats for length in each.sessions_s.values()) / 60
    return Finding(
        key="minutes",
        title=title,
        value=str(round(total)),
        verdict=_bearable(longest, total, unknown),
        sentence=LazyMessage(
            "A listener needs about {total} minutes: {pages} for clips and answers, of which practice takes "
            "{practice}, and the rest for instructions, checks and breaks of {rest} minutes. The longest session "
            "takes {longest} minutes. {unknown} clips of unknown length count as the mean.",
            total=str(round(total)),
            pages=str(round(pages)),
            practice=str(round(practice)),
            rest=f"{assumed.rest_s / 60:g}",
            longest=str(round(longest)),
            unknown=unknown,
        ),
        numbers={"total": total, "pages": pages, "practice": practice, "longest": longest, "unknown_clips": unknown},
        table=_by_session(seats),
    )


def _bearable(longest_min: float, total_min: float, unknown: int) -> Verdict:
    if longest_min > LONGEST_SESSION_MIN:
        return Verdict.BAD
    short = longest_min <= LONG_SESSION_MIN and total_min <= LONG_VISIT_MIN
    return Verdict.OK if short and not unknown else Verdict.WARN


def practice(design: Design, showing_s: ShowingLengths) -> Finding:
    """How many clips come before the first that counts, and how long they take."""
    clips = len(design.request.references)
    usual_s = fmean(showing_s.values()) if showing_s else 0.0
    seats = [_sessions_s(sequence, showing_s, usual_s) for sequence in design.sequences]
    longest = max(lengths.get(ANCHORING, 0.0) for lengths in seats) / 60
    if clips:
        sentence = LazyMessage(
            "{clips} practice clips come first and take about {minutes} minutes. They are not counted.",
            clips=clips,
            minutes=fixed(longest, 1),
        )
    else:
        sentence = LazyMessage("There are no practice clips: the first clip that is rated counts.")
    return Finding(
        key="practice",
        title=LazyMessage("Practice clips"),
        value=str(clips),
        verdict=Verdict.OK if clips and longest <= LONG_SESSION_MIN else Verdict.WARN,
        sentence=sentence,
        numbers={"clips": clips, "minutes": longest},
    )


def _sessions_s(sequence: SeatSequence, showing_s: ShowingLengths, usual_s: float) -> dict[int, float]:
    lengths: dict[int, float] = {}
    for showing in sequence.showings:
        each_s = showing_s.get((showing.item, showing.condition), usual_s)
        lengths[showing.session] = lengths.get(showing.session, 0.0) + each_s
    return lengths


def _by_session(seats: Sequence[SeatDuration]) -> Table:
    sessions = sorted({session for seat in seats for session in seat.sessions_s})
    longest = tuple((str(s), round(max(seat.sessions_s.get(s, 0.0) for seat in seats) / 60, 1)) for s in sessions)
    return Table(("session", "minutes"), longest)


def half_width_votes(design: Design, assumed: Assumptions) -> Finding:
    """As P.808 prints it: all votes of a condition pooled."""
    votes = Counter(showing.condition for sequence in design.sequences for showing in heard(sequence))
    fewest = min(votes.values())
    widths = {
        scale: _half_width(math.sqrt(parts.total), fewest) for scale, parts in _components(design, assumed).items()
    }
    return _interval(
        "half_width_votes",
        LazyMessage("Expected interval (95 %) of a condition, over votes"),
        LazyMessage(
            "With {votes} votes per condition and scale the mean is known within {widths}, as far as votes are "
            "independent; those of one listener are not, so this is too narrow.",
            votes=fewest,
            widths=_listed(widths),
        ),
        widths,
        {"votes": fewest},
        _spread(design, assumed, widths),
    )


def half_width_listeners(design: Design, assumed: Assumptions) -> Finding:
    """Over listener means, as results are given: Var = (L + LC + the rest / clips) / listeners."""
    listeners, clips = len(design.sequences), _clips(design)
    widths = {
        scale: _half_width(math.sqrt(between + (parts.total - between) / clips), listeners)
        for scale, parts in _components(design, assumed).items()
        if (between := parts.listener + parts.listener_condition)
    }
    return _interval(
        "half_width_listeners",
        LazyMessage("Expected interval (95 %) of a condition, over listeners"),
        LazyMessage(
            "With {listeners} listeners and {clips} clips of a condition each, if votes vary as in a published P.835 "
            "test, the mean of a condition is known within {widths}.",
            listeners=listeners,
            clips=clips,
            widths=_listed(widths),
        ),
        widths,
        {"listeners": listeners, "clips": clips},
        _spread(design, assumed, widths),
    )


def half_width_difference(design: Design, assumed: Assumptions) -> Finding:
    """Over the listeners' differences: what a listener or an item has in common under both conditions cancels."""
    listeners, clips = len(design.sequences), _clips(design)
    widths = {
        scale: _half_width(
            math.sqrt(2 * (parts.listener_condition + (parts.item_condition + parts.residual) / clips)), listeners
        )
        for scale, parts in _components(design, assumed).items()
    }
    return _interval(
        "half_width_difference",
        LazyMessage("Expected interval (95 %) of a difference, over listeners"),
        LazyMessage(
            "With {listeners} listeners and {clips} clips of a condition each, if votes vary as in a published P.835 "
            "test, the difference of two conditions is known within {widths}; a smaller one is hardly found.",
            listeners=listeners,
            clips=clips,
            widths=_listed(widths),
        ),
        widths,
        {"listeners": listeners, "clips": clips},
        _spread(design, assumed, widths),
    )


def _interval(
    key: str,
    title: LazyMessage,
    sentence: LazyMessage,
    widths: Mapping[str, float],
    numbers: Mapping[str, Number],
    table: Table,
) -> Finding:
    """Judge the widest of the scales."""
    widest = max(widths.values())
    known = {f"half_width.{scale}": width for scale, width in widths.items() if scale and math.isfinite(width)}
    return Finding(
        key=key,
        title=title,
        value=f"+/-{_shown(widest)}" if math.isfinite(widest) else "-",
        verdict=_precision(widest),
        sentence=sentence,
        numbers={**numbers, **known, **({"half_width": widest} if math.isfinite(widest) else {})},
        table=table if any(widths) else None,
    )


def _components(design: Design, assumed: Assumptions) -> dict[str, VarianceComponents]:
    """The variances of each scale: in the order in which they are asked, or of all that are asked together."""
    scales = design.request.scale_orders[0] or tuple(assumed.components) or ("",)
    return {scale: assumed.components.get(scale, OVERALL_QUALITY) for scale in scales}


def _clips(design: Design) -> int:
    return min(Counter(s.condition for s in heard(sequence)).most_common()[-1][1] for sequence in design.sequences)


def _listed(widths: Mapping[str, float]) -> str:
    return ", ".join(f"{_shown(width)} ({scale})" if scale else _shown(width) for scale, width in widths.items())


def _shown(width: float) -> str:
    return fixed(width) if math.isfinite(width) else "-"


def _spread(design: Design, assumed: Assumptions, widths: Mapping[str, float]) -> Table:
    rows = tuple(
        (scale, fixed(math.sqrt(parts.total)), f"{100 * parts.listener_share:.0f} %", _shown(widths[scale]))
        for scale, parts in _components(design, assumed).items()
    )
    return Table(("scale", "SD", "listeners", "+/-"), rows)


def _half_width(sd: float, count: int) -> float:
    return t_975(count - 1) * sd / math.sqrt(count) if count > 1 else math.inf


def _precision(width: float) -> Verdict:
    return Verdict.OK if width <= PRECISE else Verdict.WARN if width <= VAGUE else Verdict.BAD


def t_975(df: int) -> float:
    """Find the 97.5 % point of Student's t without scipy, which a web process does not load.

    Up to 60 degrees of freedom by halving intervals of the finite series (Abramowitz and Stegun 26.7.3-4); beyond, by
    the expansion around the normal distribution (26.7.5), whose error is then below 1e-7.
    """
    if df > EXACT_DF:
        z = NormalDist().inv_cdf(0.975)
        third = 3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z
        return z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2) + third / (384 * df**3)
    low, high = 1.9, 12.8
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, df) < 0.95 else (low, middle)
    return (low + high) / 2


def _within(t: float, df: int) -> float:
    """Give the probability that Student's t lies between -t and t."""
    angle = math.atan2(t, math.sqrt(df))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = df % 2
    term = cosine if odd else 1.0
    total = term if df > 1 else 0.0
    for step in range(2 + odd, df - 1, 2):
        term *= cosine**2 * (step - 1) / step
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
