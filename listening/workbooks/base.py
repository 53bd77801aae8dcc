"""Values of a workbook: what it is made of and what is read out of it; no Django, no database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from core.i18n import LazyMessage, pack_messages
from rating.protocol import Answer, Json, LabelSet, TrialPlan

Cells = Mapping[str, Any]  # as stimuli/imports/xlsx.py reads them, by the name of the sheet


@dataclass(frozen=True)
class BookPage:
    """One page of a seat. Its media ids are the only names that a workbook knows."""

    key: str
    number: int  # 1, 2, ... in the order of the seat; 0 where nothing is to be rated
    plan: TrialPlan
    media: Mapping[str, str]  # by slot
    newest: Answer | None  # what is there already


@dataclass(frozen=True)
class Book:
    """All that a workbook of one seat is made of."""

    title: str
    seat: str
    link: str  # of the seat's invitation; empty where its listener has a link of their own
    labels: LabelSet
    pages: Sequence[BookPage]
    made_at: datetime


@dataclass(frozen=True)
class Finding:
    """A doubtful cell: where it is, what stands there, and what would be right."""

    kind: Literal["error", "positive", "conflict", "note"]
    cell: str  # such as F12; empty where a row is missing
    found: str
    problem: LazyMessage
    sheet: str = "Assessment"

    def to_json(self) -> dict[str, Any]:
        told = {"kind": self.kind, "sheet": self.sheet, "cell": self.cell, "found": self.found}
        return told | pack_messages({"problem": self.problem})


@dataclass(frozen=True)
class Choices:
    """What the organiser decides about doubtful cells; nothing is decided silently."""

    flip: bool = False  # a positive penalty is meant as a negative one
    replace: bool = False  # where another answer is there already, the workbook counts


@dataclass(frozen=True)
class Returned:
    """What a workbook says: a whole or partial answer for each page that it changes, and every doubtful cell."""

    answers: Mapping[str, Answer]  # by the page's key
    findings: Sequence[Finding]

    def stands_open(self, choices: Choices) -> list[Finding]:
        """The findings that keep everything from being entered."""
        settled = {"note", *(["positive"] if choices.flip else []), *(["conflict"] if choices.replace else [])}
        return [finding for finding in self.findings if finding.kind not in settled]


class Workbook(Protocol):
    """What a protocol's module `workbook` offers."""

    def write_book(self, book: Book) -> bytes: ...

    def read_book(self, cells: Cells, book: Book) -> Returned: ...

    def payload_of(self, answer: Answer, trial: TrialPlan) -> Json: ...
