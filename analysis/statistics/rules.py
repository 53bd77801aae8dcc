"""Rules by which listeners may be excluded: the threshold of each, and whom it finds among figures.

A rule names listeners; it excludes nobody. This module loads no numpy, because web processes use it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Rule:
    """The usual threshold, and on which side of it a figure is conspicuous."""

    threshold: float
    above: bool
    lowest: float = 0.0  # that a threshold can be
    highest: float = 1.0
    never_all: bool = False  # where everybody would be excluded, nobody is

    def allows(self, threshold: float) -> bool:
        return self.lowest <= threshold <= self.highest

    def finds(self, figure: float, threshold: float) -> bool:
        return figure > threshold if self.above else figure < threshold


# Those of analysis/statistics/screening.py, and three of our own: a quarter of the scale between two votes on the same
# clip, a quarter of the trap and gold clips failed, and half a second, below which nobody reads a scale, chooses and
# presses.
RULES = {
    "bt500": Rule(0.05, above=True, never_all=True),
    "bt500-literal": Rule(0.05, above=True, never_all=True),
    "p913": Rule(0.75, above=False),
    "p808": Rule(0.4, above=False),
    "variance": Rule(0.1, above=False, highest=100.0),
    "repeats": Rule(0.25, above=True),
    "attention": Rule(0.25, above=True),
    "bs1534": Rule(0.15, above=True),
    "sooner": Rule(0.05, above=True),
    "quick": Rule(500.0, above=False, highest=60_000.0),
}


class Findings(NamedTuple):
    """A rule's figure for each listener on one scale, or on all of them together where none is named.

    Listeners who are spared are not proposed, whatever their figure: the rule's other conditions are not met.
    """

    rule: str
    scale: str
    figures: Mapping[Any, float]
    spared: frozenset[Any] = frozenset()

    def proposed(self, threshold: float | None = None) -> dict[Any, float]:
        """The listeners that the rule would exclude, with their figures."""
        rule = RULES[self.rule]
        limit = rule.threshold if threshold is None else threshold
        judged = {who: figure for who, figure in self.figures.items() if who not in self.spared}
        found = {who: figure for who, figure in judged.items() if rule.finds(figure, limit)}
        return {} if rule.never_all and len(found) == len(self.figures) else found


class Found(NamedTuple):
    """A listener whom a rule finds, with the figure that is furthest beyond the threshold, and its scale."""

    listener: str
    figure: float
    scale: str


def found_by(rows: Iterable[Mapping[str, Any]], rule: str, threshold: float) -> list[Found]:
    """Whom one rule finds on any scale, among the rows `screening` of a result."""
    worst: dict[str, Found] = {}
    for row in rows:
        if row["rule"] != rule:
            continue
        findings = Findings(rule, row["scale"] or "", row["figures"], frozenset(row["spared"]))
        for who, figure in findings.proposed(threshold).items():
            if who not in worst or RULES[rule].finds(figure, worst[who].figure):
                worst[who] = Found(who, figure, findings.scale)
    return [worst[who] for who in sorted(worst)]
