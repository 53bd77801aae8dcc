"""Laying out the crossed design for 32 and for 1,000 listeners, against a plain shuffle (udase-exact) of as many."""

import time
from collections.abc import Iterator
from statistics import median

from listening.design.base import Design, LayoutRequest
from listening.design.orders.presets import preset
from listening.design.report.order import item_successors
from listening.design.report.summary import design_digest, design_report, verify

ITEMS, CONDITIONS, SESSIONS, PANELS, REFERENCES, ROUNDS = 32, 5, 4, 4, 48, 5
EVENNESS = ((5, 32, 8), (3, 7, 6), (11, 13, 17), (20, 60, 24))  # conditions, items, listeners of a panel


def run() -> Iterator[str]:
    for listeners in (32, 1000):
        pairs = [(_took("udase-exact", listeners, seed), _took("crossed", listeners, seed)) for seed in range(ROUNDS)]
        shuffled_s, crossed_s = (median(column) for column in zip(*pairs, strict=True))
        ratios = [crossed / shuffled for shuffled, crossed in pairs]
        yield (
            f"{listeners} listeners x {ITEMS * CONDITIONS} clips: crossed {crossed_s:.2f} s, "
            f"plain shuffle {shuffled_s:.2f} s, ratio {median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
        )
    design = preset("crossed").lay_out(_request(32, 0))
    started = time.perf_counter()
    design_report(design)
    reported = time.perf_counter()
    design_digest(design)
    reported_s, digest_s = reported - started, time.perf_counter() - reported
    yield f"32 listeners: report {reported_s:.2f} s, digest {digest_s:.2f} s"
    for size in EVENNESS:
        yield _evenness(*size)


def _evenness(conditions: int, items: int, listeners: int) -> str:
    """How even successors on the same item are in one panel, the worst of ten seeds."""
    found = [
        item_successors(
            preset("crossed").lay_out(
                LayoutRequest(
                    subsets=[[str(item) for item in range(items)]],
                    conditions=[f"C{number}" for number in range(conditions)],
                    seats=listeners,
                    sessions=SESSIONS,
                    seed=str(seed),
                )
            )
        ).numbers
        for seed in range(10)
    ]
    return (
        f"{conditions} conditions x {items} items x {listeners} listeners: successors on the same item vary by "
        f"{max(numbers['variation'] for numbers in found):.3f}, the most frequent are "
        f"{max(numbers['share'] for numbers in found):.3f} of a listener's at most"
    )


def _took(slug: str, listeners: int, seed: int) -> float:
    request = _request(listeners, seed)
    started = time.perf_counter()
    design = preset(slug).lay_out(request)
    took_s = time.perf_counter() - started
    _check(design)
    return took_s


def _check(design: Design) -> None:
    broken = [finding.title for finding in verify(design) if finding.verdict != "ok"]
    if broken:
        raise RuntimeError(f"the design breaks its rules, so there is nothing to measure: {broken}")


def _request(listeners: int, seed: int) -> LayoutRequest:
    return LayoutRequest(
        subsets=[[f"{panel}-{item}" for item in range(ITEMS)] for panel in range(PANELS)],
        conditions=[f"C{number}" for number in range(CONDITIONS)],
        seats=listeners // PANELS,
        sessions=SESSIONS,
        references=[(f"i{number}", "ref") for number in range(REFERENCES)],
        scale_orders=(("SIG", "BAK", "OVRL"), ("BAK", "SIG", "OVRL")),
        seed=str(seed),
    )
