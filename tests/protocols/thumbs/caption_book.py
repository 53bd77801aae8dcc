"""A small book of captions for tests, and the workbook of it opened as a person would."""

import io
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any
from uuid import UUID

from openpyxl import Workbook, load_workbook

from listening.workbooks.base import Book, BookPage, Returned
from protocols.thumbs import workbook
from protocols.thumbs.protocol import CaptionScores
from rating.protocol import Answer, Entry, Mark, Slot, TrialKind, TrialPlan
from stimuli.imports.xlsx import read_cells

PROTOCOL = CaptionScores()
TEXTS = ("A car passes, then birds.", "=Rain on a roof", "Bells; and a tram.", "Somebody walks.")
SCORES = {"PRECISION": 4.5, "RECALL": 3.0, "FLUENCY": -0.1, "CONCISENESS": 0.0, "IRRELEVANCE": -0.5}
FIRST_ROW = 4


def page(number: int, texts: tuple[str, ...], *, detail: Mapping[str, Any] | None = None, **more: Any) -> BookPage:
    """One clip with its captions; media ids that anybody can tell apart."""
    slots = [Slot("clip", Entry(f"s{number}", "secretitem", "secretsound"))]
    slots += [
        Slot(f"c{place}", Entry(f"s{number}{place}", "secretitem", f"secretsource{place}", text={"text": text}))
        for place, text in enumerate(texts, start=1)
    ]
    plan = TrialPlan(
        slots=tuple(slots),
        ask=(),
        kind=TrialKind.TEST if number else TrialKind.PRACTICE,
        detail={"step": 0.5, "synthesised": True, **(detail or {})},
    )
    media = {slot.key: str(UUID(int=(number + 1) << 96 | place)) for place, slot in enumerate(slots)}
    return BookPage(f"trial{number}", number, plan, media, more.get("newest"))


def book(*, answered: Answer | None = None, **changes: Any) -> Book:
    """An example and two clips with two captions each; `answered` is there already of the first."""
    worked = {"captions": {"c1": {**SCORES, "why": "It misses the tram."}}, "synthesised": False}
    fields: dict[str, Any] = {
        "title": "Captions",
        "seat": "1.2",
        "link": "https://example.org/join/token/",
        "labels": PROTOCOL.label_sets[0],
        "pages": [
            page(0, TEXTS[:1], detail={"example": worked}),
            page(1, TEXTS[:2], newest=answered),
            page(2, TEXTS[2:]),
        ],
        "made_at": datetime(2026, 1, 2, tzinfo=UTC),
    }
    return Book(**(fields | changes))


def whole_answer(**changes: float) -> Answer:
    marks = [Mark(slot, key, value) for slot in ("c1", "c2") for key, value in (SCORES | changes).items()]
    return Answer((*marks, Mark("clip", "SYNTHESISED", 1.0)), {"comments": {"c1": "The tram is missing."}})


def opened(made: Book) -> Workbook:
    # The same book is the same file, so the one that most tests begin with is written once.
    return load_workbook(io.BytesIO(_usual_file() if made == book() else workbook.write_book(made)))


@cache
def _usual_file() -> bytes:
    return workbook.write_book(book())


def returned(file: Workbook, made: Book) -> Returned:
    """Save the file as a spreadsheet program would and read it as the platform does."""
    kept = io.BytesIO()
    file.save(kept)
    return workbook.read_book(read_cells(kept, name="book.xlsx")["sheets"], made)


def fill(file: Workbook, row: int, *, comment: str | None = None, said: str | None = None, **changes: Any) -> None:
    """Type a caption's answers into its row."""
    sheet = file["Assessment"]
    for column, value in zip("FGHIJ", (SCORES | changes).values(), strict=True):
        sheet[f"{column}{row}"] = value
    if said:
        sheet[f"K{row}"] = said
    if comment:
        sheet[f"L{row}"] = comment
