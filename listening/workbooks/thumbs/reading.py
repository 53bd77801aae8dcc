"""A workbook that came back: every row that can be placed, every value, and every cell that is in doubt."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.clauses import Clause, clause
from listening.workbooks.base import Book, Cells, Finding, Returned
from listening.workbooks.thumbs import cells, layout
from listening.workbooks.thumbs.layout import ASSESSMENT, SCORE_TITLES, TITLES, Place
from listening.workbooks.thumbs.merging import COMMENT, SAID, Given, merged
from rating.protocols.base import Answer
from rating.protocols.thumbs import ENTERED

Row = tuple[int, list[Any]]
NO_SHEET = clause('the sheet "Assessment" or its line of headings is gone; use the file as it was sent')
STRANGE = clause("no caption of this seat has this number; is it the file of another seat?")
OTHER_TEXT = clause("this is not the caption of this row; sort rows as a whole, and leave texts alone")
ROW_GONE = clause("its row is gone; bring it back, empty where it is unanswered")


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
            self._find("error", self._address(layout.NUMBER, number), cells.written(values[layout.RECORD]), STRANGE)
        elif place.key in self.rows:
            problem = clause("this caption stands in row {row} already; keep one of the two", row=self.rows[place.key])
            self._find("error", self._address(layout.NUMBER, number), cells.written(values[layout.RECORD]), problem)
        else:
            self.rows[place.key] = number
            if cells.plain(values[layout.TEXT]) == cells.plain(place.text):
                self._read_answers(place, number, values)
            else:
                self._find("error", self._address(layout.TEXT, number), cells.written(values[layout.TEXT]), OTHER_TEXT)

    def _place(self, values: Mapping[str, Any]) -> Place | None:
        """The caption of a row: by its hidden key and, where that was lost, by record and number."""
        numbers = cells.written(values[layout.RECORD]), cells.written(values[layout.CAPTION])
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
                self._find(judged.kind, address, cells.written(value), judged.problem)
            if judged.kind == "error":
                given.in_doubt.add(about)
            elif given.values.get(about, judged.value) != judged.value:
                problem = clause(
                    "cell {cell} says otherwise of the same clip; answer once for each clip", cell=given.cells[about]
                )
                self._find("error", address, cells.written(value), problem)
            else:
                given.values[about] = judged.value
                given.cells[about] = address

    def _judged(self, place: Place, about: tuple[str, str], value: Any, *, is_formula: bool) -> cells.Judged:
        if about == SAID:
            return cells.yes_or_no(value, is_formula=is_formula)
        if about[1] == COMMENT:
            return cells.comment(value, is_formula=is_formula)
        return cells.score(value, layout.scale_of(place.page, about[1]), is_formula=is_formula)

    def _find(self, kind: Any, cell: str, found: str, problem: Clause) -> None:
        self.findings.append(Finding(kind, cell, found[:80], problem))

    def _address(self, title: str, row: int) -> str:
        return f"{chr(ord('A') + self.columns[title])}{row}"
