"""Balance of votes, conditions and scale orders, and what is confounded with what."""

from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import median

from core.i18n import LazyMessage
from listening.design.base import ANCHORING, Design, ScaleOrder, SeatSequence, Showing
from listening.design.report.values import Crosstab, Finding, Table, Verdict, fixed, span

Factors = Mapping[str, Mapping[str, str]]  # item: factor: level


def heard(sequence: SeatSequence) -> list[Showing]:
    """Return what counts: everything but the anchoring."""
    return [showing for showing in sequence.showings if showing.session != ANCHORING]


def order_name(order: ScaleOrder) -> str:
    return "-".join(order)


def balance(design: Design, factors: Factors | None) -> Iterator[Finding]:
    yield votes_per_cell(design)
    yield votes_per_condition(design)
    yield condition_by_session(design)
    yield condition_by_position(design)
    if len(design.request.scale_orders) > 1:
        yield condition_by_order(design)
    if design.request.panels > 1:
        yield condition_by_panel(design)
    if len(design.request.scale_orders) > 1:
        if design.request.panels > 1:
            yield order_by_panel(design)
        yield order_by_session(design)
    if design.request.panels > 1:
        yield from factors_by_panel(design, factors or {})


def votes_per_cell(design: Design) -> Finding:
    cells = Counter(
        (showing.item, showing.condition, scale)
        for sequence in design.sequences
        for showing in heard(sequence)
        for scale in showing.scales or ("",)
    )
    asked = {
        (item, condition, scale)
        for subset in design.request.subsets
        for item in subset
        for condition in design.request.conditions
        for scale in design.request.scale_orders[0] or ("",)
    }
    counts = [cells[cell] for cell in asked | set(cells)]
    low, middle, high = min(counts), median(counts), max(counts)
    if low == 0 or high - low > 1:
        verdict = Verdict.BAD
    else:
        verdict = Verdict.OK if low == high and low > 1 else Verdict.WARN
    return Finding(
        key="votes_per_cell",
        title=LazyMessage("Votes per item, condition and scale"),
        value=span(low, high),
        verdict=verdict,
        sentence=LazyMessage(
            "Every item under every condition gets {votes} votes on each scale (median {median}); "
            "with one vote only, listeners could not be compared.",
            votes=span(low, high),
            median=f"{middle:g}",
        ),
        numbers={"low": low, "median": middle, "high": high, "cells": len(counts), "votes": sum(counts)},
    )


def votes_per_condition(design: Design) -> Finding:
    crosstab = Crosstab(
        (showing.condition, scale)
        for sequence in design.sequences
        for showing in heard(sequence)
        for scale in showing.scales or ("",)
    )
    low, high = crosstab.range()
    return Finding(
        key="votes_per_condition",
        title=LazyMessage("Votes per condition and scale"),
        value=span(low, high),
        verdict=Verdict.OK if low == high else Verdict.WARN,
        sentence=LazyMessage("Each condition gets {votes} votes on each scale.", votes=span(low, high)),
        numbers={"low": low, "high": high},
        table=crosstab.table("condition"),
    )


def condition_by_session(design: Design) -> Finding:
    counts: dict[tuple[str, int], list[int]] = {}
    spread = 0
    for sequence in design.sequences:
        heard_in = Counter((showing.condition, showing.session) for showing in heard(sequence))
        for session in sorted({showing.session for showing in heard(sequence)}):
            here = {condition: heard_in[condition, session] for condition in design.request.conditions}
            spread = max(spread, max(here.values()) - min(here.values()))
            for condition, count in here.items():
                counts.setdefault((condition, session), []).append(count)
    low, high = min(map(min, counts.values())), max(map(max, counts.values()))
    mean = sum(map(sum, counts.values())) / sum(map(len, counts.values()))
    sessions = sorted({session for _, session in counts})
    return Finding(
        key="condition_by_session",
        title=LazyMessage("Times a listener hears a condition in a session"),
        value=span(low, high),
        verdict=Verdict.OK if spread <= 1 else Verdict.WARN if spread <= mean / 2 else Verdict.BAD,
        sentence=LazyMessage(
            "In a session a listener hears a condition {times} times; {mean} would be even. "
            "Within one session the conditions differ by {spread} at most.",
            times=span(low, high),
            mean=f"{mean:g}" if mean == round(mean, 1) else fixed(mean),
            spread=spread,
        ),
        numbers={"low": low, "high": high, "mean": mean, "spread": spread},
        table=Table(
            ("condition", *(str(session) for session in sessions)),
            tuple(
                (condition, *(span(min(values), max(values)) for s in sessions if (values := counts[condition, s])))
                for condition in design.request.conditions
            ),
        ),
    )


def condition_by_position(design: Design) -> Finding:
    def pairs() -> Iterator[tuple[str, str]]:
        for sequence in design.sequences:
            lengths = Counter(showing.session for showing in heard(sequence))
            place: Counter[int] = Counter()
            for showing in heard(sequence):
                yield showing.condition, f"Q{4 * place[showing.session] // lengths[showing.session] + 1}"
                place[showing.session] += 1

    crosstab = Crosstab(pairs())
    sentence = LazyMessage(
        "Over all listeners a condition is heard {times} times in each quarter of the sessions; "
        "association of condition and position (Cramer's V, 0 to 1): {v}.",
        times=span(*crosstab.range()),
        v=fixed(crosstab.cramers_v),
    )
    return _counts(
        "condition_by_position", LazyMessage("Conditions over the quarters of a session"), sentence, crosstab
    )


def condition_by_order(design: Design) -> Finding:
    crosstab = Crosstab(
        (showing.condition, order_name(showing.scales)) for sequence in design.sequences for showing in heard(sequence)
    )
    sentence = LazyMessage(
        "A condition is heard {times} times in each scale order; association of the two (Cramer's V, 0 to 1): {v}.",
        times=span(*crosstab.range()),
        v=fixed(crosstab.cramers_v),
    )
    return _counts("condition_by_order", LazyMessage("Conditions over the scale orders"), sentence, crosstab)


def condition_by_panel(design: Design) -> Finding:
    crosstab = Crosstab(
        (showing.condition, str(sequence.panel)) for sequence in design.sequences for showing in heard(sequence)
    )
    sentence = LazyMessage(
        "A condition is heard {times} times in each panel; association of the two (Cramer's V, 0 to 1): {v}. "
        "Panels hear different items, so a difference between panels may lie in the material.",
        times=span(*crosstab.range()),
        v=fixed(crosstab.cramers_v),
    )
    return _counts("condition_by_panel", LazyMessage("Conditions over the panels"), sentence, crosstab)


def order_by_panel(design: Design) -> Finding:
    crosstab = Crosstab(
        (str(sequence.panel), order_name(heard(sequence)[0].scales)) for sequence in design.sequences if heard(sequence)
    )
    sentence = LazyMessage(
        "How well the panel tells which scale order a listener begins with (Cramer's V, 0 to 1): {v}. At 1 the "
        "effect of the order cannot be told from that of the items.",
        v=fixed(crosstab.cramers_v),
    )
    return _association("order_by_panel", LazyMessage("First scale order over the panels"), sentence, crosstab, "panel")


def order_by_session(design: Design) -> Finding:
    """Listeners are counted, not clips: an odd listener is one too many here as well as in `order_by_panel`."""
    panels = [
        Crosstab(
            (str(session), order)
            for sequence in design.sequences
            if sequence.panel == panel
            for session, order in {(showing.session, order_name(showing.scales)) for showing in heard(sequence)}
        )
        for panel in range(1, design.request.panels + 1)
    ]
    worst = max(panels, key=lambda crosstab: crosstab.cramers_v)
    sentence = LazyMessage(
        "Within a panel, how well the session tells the scale order (Cramer's V, 0 to 1; the worst panel): {v}. "
        "At 1 the effect of the order cannot be told from practice and fatigue on the same items.",
        v=fixed(worst.cramers_v),
    )
    title = LazyMessage("Scale orders over the sessions of a panel")
    return _association("order_by_session", title, sentence, worst, "session")


def factors_by_panel(design: Design, factors: Factors) -> Iterator[Finding]:
    for factor in sorted({factor for levels in factors.values() for factor in levels}):
        crosstab = Crosstab(
            (factors.get(item, {}).get(factor, ""), str(panel))
            for panel, subset in enumerate(design.request.subsets, 1)
            for item in subset
        )
        sentence = LazyMessage(
            "How well the panel tells an item's {factor} (Cramer's V, 0 to 1): {v}.",
            factor=factor,
            v=fixed(crosstab.cramers_v),
        )
        title = LazyMessage("{factor} over the panels", factor=factor)
        yield _association(f"factor_by_panel.{factor}", title, sentence, crosstab, factor)


def _counts(key: str, title: LazyMessage, sentence: LazyMessage, crosstab: Crosstab) -> Finding:
    """Finding about how often conditions occur, whose value is the range of the counts."""
    low, high = crosstab.range()
    numbers = {"low": low, "high": high, "cramers_v": crosstab.cramers_v}
    return Finding(key, title, span(low, high), crosstab.verdict, sentence, numbers, crosstab.table("condition"))


def _association(key: str, title: LazyMessage, sentence: LazyMessage, crosstab: Crosstab, heading: str) -> Finding:
    """Finding about two things that should be independent, whose value is Cramer's V."""
    v = crosstab.cramers_v
    return Finding(key, title, fixed(v), crosstab.verdict, sentence, {"cramers_v": v}, crosstab.table(heading))
