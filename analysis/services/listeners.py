"""Warnings about listeners that go with every result: who has not answered everything, and how panels are filled."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from analysis.datasets import Progress, Sitting
from analysis.exports import subject_id
from rating.models import Experiment

Rows = list[dict[str, Any]]


def listener_warnings(experiment: Experiment, seated: Sequence[Sitting], people: Sequence[Progress]) -> Rows:
    """Return each warning as a code and its numbers; who shows it finds the words."""
    return [*_about_incomplete(seated, people), *_about_panels(experiment, seated, people)]


def with_warnings(table: Mapping[str, Any], warnings: Rows) -> dict[str, Any]:
    return {**table, "warnings": [*table.get("warnings", []), *warnings]}


def _about_incomplete(seated: Sequence[Sitting], people: Sequence[Progress]) -> Rows:
    """Somebody who gave one answer and left weighs as much as everybody else in a mean over listeners."""
    named = [
        {
            "listener": subject_id(sitting.participant, sitting.ballot),
            "panel": sitting.panel,
            "pages": each.pages,
            "of_pages": each.of_pages,
        }
        for each in people
        if not each.complete
        for sitting in [seated[each.listener - 1]]
    ]
    found = {"code": "incomplete_listeners", "listeners": len(named), "of": len(people), "people": named}
    return [found] if named else []


def _about_panels(experiment: Experiment, seated: Sequence[Sitting], people: Sequence[Progress]) -> Rows:
    """Panels of one group of people are meant to have the same number of listeners."""
    heard = Counter(seated[each.listener - 1].panel for each in people)
    found: Rows = []
    panels = experiment.panels.order_by("group", "number").values_list("group", "number")
    for group, rows in groupby(panels if people else (), key=lambda row: row[0]):
        filled = [{"panel": number, "n_listeners": heard[number]} for _, number in rows]
        if len({each["n_listeners"] for each in filled}) > 1:
            found.append({"code": "unequal_panels", "group": group, "panels": filled})
    return found
