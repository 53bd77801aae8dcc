"""What a workbook says of a page, laid over what is there already: an answer, and where the two disagree."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.clauses import clause
from listening.workbooks.base import BookPage, Finding
from listening.workbooks.thumbs import cells, layout
from rating.protocols.base import Answer, Mark
from rating.protocols.thumbs import ENTERED

About = tuple[str, str]  # a slot, and a scale or the comment
COMMENT = "comment"
SAID: About = ("clip", "SYNTHESISED")
EMPTY = clause("it is empty; the clip stays open until it is filled in")


@dataclass
class Given:
    """What the workbook says of one page, and in which cells."""

    values: dict[About, Any] = field(default_factory=dict)
    cells: dict[About, str] = field(default_factory=dict)
    in_doubt: set[About] = field(default_factory=set)  # found to be wrong already


def merged(page: BookPage, given: Given) -> tuple[Answer | None, list[Finding]]:
    """The page's answer with the workbook's cells in their places; none where these change nothing."""
    before = _before(page)
    values = before | given.values
    missing = [about for about in _asked(page) if about not in values]
    findings = _conflicts(before, given)
    if given.values:  # an empty cell of a clip that was begun is told; a clip that nobody began is only open
        findings += [
            Finding("note", given.cells[about], "", EMPTY)
            for about in missing
            if about in given.cells and about not in given.in_doubt
        ]
    closes = not missing and not (page.newest and page.newest.whole)
    if values == before and not (closes and given.values):
        return None, findings
    return _answer(values, whole=not missing), findings


def _answer(values: Mapping[About, Any], *, whole: bool) -> Answer:
    return Answer(
        marks=tuple(Mark(slot, about, value) for (slot, about), value in values.items() if about != COMMENT),
        detail={"comments": {slot: value for (slot, about), value in values.items() if about == COMMENT}},
        whole=whole,
    )


def _before(page: BookPage) -> dict[About, Any]:
    """What is there already; the total follows from the rest."""
    if page.newest is None:
        return {}
    marks = {(mark.slot, mark.scale): mark.value for mark in page.newest.marks if mark.scale != "OVERALL"}
    comments = page.newest.detail.get("comments", {})
    return marks | {(slot, COMMENT): text for slot, text in comments.items() if text}


def _asked(page: BookPage) -> list[About]:
    asked = [(place.slot, key) for place in layout.places(page) for key in ENTERED]
    return [*asked, SAID] if page.plan.detail["synthesised"] else asked


def _conflicts(before: Mapping[About, Any], given: Given) -> list[Finding]:
    return [
        Finding(
            "conflict",
            given.cells[about],
            _shown(about, value)[:80],
            clause('another answer is there already: "{value}"', value=_shown(about, before[about])[:80]),
        )
        for about, value in given.values.items()
        if about in before and before[about] != value
    ]


def _shown(about: About, value: Any) -> str:
    return cells.written(bool(value) if about == SAID else value)
