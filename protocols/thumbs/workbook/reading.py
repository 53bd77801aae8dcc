"""Reading of a returned workbook: every row that can be placed, every value, and every cell that is in doubt."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from core.i18n import LazyMessage
from listening.workbooks.base import Book, BookPage, Cells, Finding, Returned
from protocols.thumbs.protocol import ENTERED, LONGEST_COMMENT, PENALTIES
from protocols.thumbs.workbook import layout
from protocols.thumbs.workbook.layout import ASSESSMENT, SCORE_TITLES, TITLES, Place
from rating.protocol import Answer, InvalidAnswer, Mark, Scale

YES_OR_NO = {layout.YES: True, layout.NO: False}
RETURNS = re.compile(r"_x000D_")  # how spreadsheets write a carriage return


class Judged(NamedTuple):
    """What is taken out of a cell, and what must be said about it."""

    value: Any = None
    kind: Literal["error", "positive", ""] = ""
    problem: LazyMessage | None = None


def score(value: Any, scale: Scale, *, is_formula: bool) -> Judged:
    """A number of the scale. A positive penalty is taken for a negative one, and said: it counts only on request."""
    if (problem := _no_number(value, is_formula=is_formula)) is not None:
        return Judged(kind="error", problem=problem)
    number = round(float(value), 9)
    positive = scale.key in PENALTIES and number > 0
    try:
        taken = scale.accept(-number if positive else number) + 0.0  # never -0
    except InvalidAnswer:
        low, high, step = (written(each) for each in (scale.low, scale.high, scale.step))
        return Judged(
            kind="error",
            problem=LazyMessage("it takes {low} to {high} in steps of {step}", low=low, high=high, step=step),
        )
    if positive:
        meant = LazyMessage("a penalty is 0 or negative; {value} may be meant", value=written(taken))
        return Judged(taken, "positive", meant)
    return Judged(taken)


def _no_number(value: Any, *, is_formula: bool) -> LazyMessage | None:
    if is_formula:
        return LazyMessage("it holds a formula; type the number itself")
    if isinstance(value, str) and value.startswith("#"):
        return LazyMessage("it holds an error; type a number")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return LazyMessage("it holds a text; type a number, or leave it empty")
    return None


def yes_or_no(value: Any, *, is_formula: bool) -> Judged:
    said = value if isinstance(value, bool) else YES_OR_NO.get(str(value).strip().lower())
    if said is None or is_formula:
        return Judged(kind="error", problem=LazyMessage("it takes yes or no"))
    return Judged(float(said))


def comment(value: Any, *, is_formula: bool) -> Judged:
    text = RETURNS.sub("", written(value)).strip()
    if is_formula:
        return Judged(kind="error", problem=LazyMessage("it holds a formula; write the comment without = before it"))
    if len(text) > LONGEST_COMMENT:
        return Judged(kind="error", problem=LazyMessage("a comment has at most {n} letters", n=LONGEST_COMMENT))
    return Judged(text)


def written(value: Any) -> str:
    """A value as a person would write it: whole numbers without a point."""
    if isinstance(value, bool):
        return layout.YES if value else layout.NO
    return f"{value + 0.0:g}" if isinstance(value, float) else str(value).strip()


def plain(text: Any) -> str:
    """A text without what a spreadsheet may do to its white space."""
    return " ".join(RETURNS.sub(" ", str(text)).split())


About = tuple[str, str]  # a slot, and a scale or the comment
COMMENT = "comment"
SAID: About = ("clip", "SYNTHESISED")
EMPTY = LazyMessage("it is empty; the clip stays open until it is filled in")


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
            LazyMessage('another answer is there already: "{value}"', value=_shown(about, before[about])[:80]),
        )
        for about, value in given.values.items()
        if about in before and before[about] != value
    ]


def _shown(about: About, value: Any) -> str:
    return written(bool(value) if about == SAID else value)


Row = tuple[int, list[Any]]
NO_SHEET = LazyMessage('the sheet "Assessment" or its line of headings is gone; use the file as it was sent')
STRANGE = LazyMessage("no caption of this seat has this number; is it the file of another seat?")
OTHER_TEXT = LazyMessage("this is not the caption of this row; sort rows as a whole, and leave texts alone")
ROW_GONE = LazyMessage("its row is gone; bring it back, empty where it is unanswered")


@dataclass
class Reader:
    """Goes through the rows of one workbook; what it takes and what it finds grow together."""

    book: Book
    findings: list[Finding] = field(default_factory=list)
    formulas: frozenset[str] = frozenset()
    errors: Mapping[str, str] = field(default_factory=dict)  # by address, as the spreadsheet shows them
    columns: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = {place.key: place for place in layout.rated_places(self.book)}
        self.by_number = {(layout.record_id(each.page), str(each.number)): each for each in self.places.values()}
        self.given = {page.key: Given() for page in self.book.pages if page.number}
        self.rows: dict[str, int] = {}  # by the key of the caption

    def read(self, read: Cells) -> Returned:
        sheet = read.get(ASSESSMENT, {"rows": []})
        rows = self._below_headings(sheet["rows"])
        if not self.columns:
            self._find("error", "", "", NO_SHEET)
            return Returned({}, self.findings)
        self.formulas, self.errors = frozenset(sheet["formulas"]), sheet["errors"]
        for number, row in rows:
            values = {title: row[at] if at < len(row) else "" for title, at in self.columns.items()}
            if any(str(value).strip() for value in values.values()):
                self._read_row(number, values)
        for place in self.places.values():
            if place.key not in self.rows:
                self._find("error", "", f"{layout.record_id(place.page)}, {place.number}", ROW_GONE)
        answers: dict[str, Answer] = {}
        for page in self.book.pages:
            if page.number:
                answer, findings = merged(page, self.given[page.key])
                self.findings += findings
                answers |= {page.key: answer} if answer else {}
        return Returned(answers, self.findings)

    def _below_headings(self, rows: list[Row]) -> list[Row]:
        for at, (_, row) in enumerate(rows):
            titles = [str(cell).strip() for cell in row]
            if set(TITLES) - {layout.KEY, layout.LINK} <= set(titles):
                self.columns = {title: titles.index(title) for title in TITLES if title in titles}
                return rows[at + 1 :]
        return []

    def _read_row(self, number: int, values: Mapping[str, Any]) -> None:
        place = self._place(values)
        if place is None:
            self._find("error", self._address(layout.NUMBER, number), written(values[layout.RECORD]), STRANGE)
        elif place.key in self.rows:
            problem = LazyMessage(
                "this caption stands in row {row} already; keep one of the two", row=self.rows[place.key]
            )
            self._find("error", self._address(layout.NUMBER, number), written(values[layout.RECORD]), problem)
        else:
            self.rows[place.key] = number
            if plain(values[layout.TEXT]) == plain(place.text):
                self._read_answers(place, number, values)
            else:
                self._find("error", self._address(layout.TEXT, number), written(values[layout.TEXT]), OTHER_TEXT)

    def _place(self, values: Mapping[str, Any]) -> Place | None:
        """The caption of a row: by its hidden key and, where that was lost, by record and number."""
        numbers = written(values[layout.RECORD]), written(values[layout.CAPTION])
        return self.places.get(str(values.get(layout.KEY, "")).strip()) or self.by_number.get(numbers)

    def _read_answers(self, place: Place, number: int, values: Mapping[str, Any]) -> None:
        """Take every cell of a row that can be taken, and remember where each of them stands."""
        given = self.given[place.page.key]
        asked = {(place.slot, key): SCORE_TITLES[key] for key in ENTERED} | {(place.slot, COMMENT): layout.COMMENT}
        if place.page.plan.detail["synthesised"]:
            asked[SAID] = layout.SYNTHESISED
        for about, title in asked.items():
            address = self._address(title, number)
            value = self.errors.get(address, values[title])
            is_formula = address in self.formulas
            given.cells.setdefault(about, address)
            if str(value).strip() == "" and not is_formula:
                continue
            judged = self._judged(place, about, value, is_formula=is_formula)
            if judged.problem:
                self._find(judged.kind, address, written(value), judged.problem)
            if judged.kind == "error":
                given.in_doubt.add(about)
            elif given.values.get(about, judged.value) != judged.value:
                problem = LazyMessage(
                    "cell {cell} says otherwise of the same clip; answer once for each clip", cell=given.cells[about]
                )
                self._find("error", address, written(value), problem)
            else:
                given.values[about] = judged.value
                given.cells[about] = address

    def _judged(self, place: Place, about: tuple[str, str], value: Any, *, is_formula: bool) -> Judged:
        if about == SAID:
            return yes_or_no(value, is_formula=is_formula)
        if about[1] == COMMENT:
            return comment(value, is_formula=is_formula)
        return score(value, layout.scale_of(place.page, about[1]), is_formula=is_formula)

    def _find(self, kind: Any, cell: str, found: str, problem: LazyMessage) -> None:
        self.findings.append(Finding(kind, cell, found[:80], problem))

    def _address(self, title: str, row: int) -> str:
        return f"{chr(ord('A') + self.columns[title])}{row}"
