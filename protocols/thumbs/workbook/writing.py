"""Writer of one seat's workbook: what may be answered is open and checked, everything else is locked."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, Cell
from openpyxl.styles import Alignment, Font, PatternFill, Protection
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import save_workbook

from core.spreadsheets import is_risky
from listening.workbooks.base import Book, BookPage
from protocols.thumbs.protocol import ENTERED, PENALTIES, SCORES
from protocols.thumbs.workbook import layout
from protocols.thumbs.workbook.layout import ASSESSMENT, EXAMPLE, HEADER_ROW, KEYS, TITLES, Place

WIDTHS = dict.fromkeys(TITLES, 12.0) | {layout.NUMBER: 6, layout.TEXT: 60, layout.COMMENT: 40, layout.SYNTHESISED: 14}
BOLD, LINKED = Font(bold=True), Font(color="0563C1", underline="single")
SHADED, ANSWER = PatternFill("solid", fgColor="E7ECEA"), PatternFill("solid", fgColor="FFFBEA")
TOP = Alignment(vertical="top", wrap_text=True)
OPEN = Protection(locked=False)
HEADPHONES = (
    "Please wear headphones, in a quiet place. Play the clip of the example first and set a level that is comfortable; "
    "leave it as it is afterwards."
)
RETURN = (
    "Fill in the yellow cells of the sheet Assessment, save the file, and send it back to the person who sent it. An "
    "empty cell is unanswered; no penalty is 0. Penalties are 0 or negative, down to -2."
)


def written(book: Book) -> bytes:
    file = Workbook()
    file.properties.creator = file.properties.lastModifiedBy = "Earmark"
    file.properties.title = book.title
    file.properties.created = file.properties.modified = book.made_at.replace(tzinfo=None)
    example, assessment, keys = file.active, file.create_sheet(ASSESSMENT), file.create_sheet(KEYS)
    example.title = EXAMPLE
    _write_example(example, book)
    lists = _write_keys(keys, book)
    _write_assessment(assessment, book, lists)
    for sheet in (example, assessment, keys):
        sheet.protection.sheet = True  # against a slip; without a password
        sheet.protection.formatColumns = sheet.protection.formatRows = False
    keys.sheet_state = "hidden"
    kept = io.BytesIO()
    save_workbook(file, kept)
    return kept.getvalue()


# --- Example ----------------------------------------------------------------------------------------------------------


def _write_example(sheet: Worksheet, book: Book) -> None:
    """What assessors read first: headphones, the rubric, and a clip with worked scores and reasons."""
    sheet.column_dimensions["A"].width, sheet.column_dimensions["B"].width = 18, 90
    for text in (book.title, HEADPHONES, RETURN):
        _put(sheet, _next_row(sheet), 1, text)
    sheet["A1"].font = BOLD
    for key in ENTERED:
        words, row = book.labels.scales[key], _next_row(sheet)
        anchors = "; ".join(f"{value:g}: {label}" for value, label in words.anchors)
        _put(sheet, row, 1, layout.SCORE_TITLES[key]).font = BOLD
        _put(sheet, row, 2, " ".join(part for part in (words.question, words.attend, f"({anchors})") if part))
    for page in book.pages:
        if "example" in page.plan.detail:
            _write_worked(sheet, book, page)


def _write_worked(sheet: Worksheet, book: Book, page: BookPage) -> None:
    shown, row = page.plan.detail["example"], _next_row(sheet) + 1
    _put(sheet, row, 1, f"Example, record {layout.record_id(page)}").font = BOLD
    _link(_put(sheet, row, 2, "Listen"), book, page)
    for place in layout.places(page):
        worked = shown["captions"].get(place.slot, {})
        given = ", ".join(f"{layout.SCORE_TITLES[key]} {worked[key]:g}" for key in ENTERED if key in worked)
        for title, text in ((f"Caption {place.number}", place.text), ("", given), (layout.WHY, worked.get("why", ""))):
            if text:
                row = _next_row(sheet)
                _put(sheet, row, 1, title)
                _put(sheet, row, 2, text)
    if shown.get("synthesised") is not None:
        row = _next_row(sheet)
        _put(sheet, row, 1, layout.SYNTHESISED)
        _put(sheet, row, 2, layout.YES if shown["synthesised"] else layout.NO)


# --- Assessment -------------------------------------------------------------------------------------------------------


def _write_assessment(sheet: Worksheet, book: Book, lists: Mapping[str, str]) -> None:
    _put(sheet, 1, 1, f"{book.title}, {book.seat}").font = BOLD
    _put(sheet, 2, 1, RETURN)
    for row in (1, 2):
        sheet.cell(row, 1).alignment = Alignment(vertical="top")  # one line that runs on over its neighbours
    for column, title in enumerate(TITLES, start=1):
        heading = _put(sheet, HEADER_ROW, column, title)
        heading.font, heading.fill = BOLD, SHADED
        sheet.column_dimensions[get_column_letter(column)].width = WIDTHS[title]
    sheet.column_dimensions[get_column_letter(TITLES.index(layout.KEY) + 1)].hidden = True
    sheet.freeze_panes = f"A{HEADER_ROW + 1}"
    rows = list(enumerate(layout.rated_places(book), start=HEADER_ROW + 1))
    for row, place in rows:
        _write_caption(sheet, row, place, book)
    if rows:
        _check_cells(sheet, lists, rows[-1][0])


def _write_caption(sheet: Worksheet, row: int, place: Place, book: Book) -> None:
    page = place.page
    marks = {(mark.slot, mark.scale): mark.value for mark in page.newest.marks} if page.newest else {}
    comments = page.newest.detail.get("comments", {}) if page.newest else {}
    values: dict[str, Any] = {
        layout.NUMBER: page.number,
        layout.RECORD: layout.record_id(page),
        layout.CAPTION: place.number,
        layout.TEXT: place.text,
        **{layout.SCORE_TITLES[key]: marks.get((place.slot, key)) for key in ENTERED},
        layout.COMMENT: comments.get(place.slot) or None,
        layout.KEY: place.key,
    }
    asked = {*layout.SCORE_TITLES.values(), layout.COMMENT}
    if place.is_first and page.plan.detail["synthesised"]:
        said = marks.get(("clip", "SYNTHESISED"))
        values[layout.SYNTHESISED] = None if said is None else layout.YES if said else layout.NO
        asked.add(layout.SYNTHESISED)
    for column, title in enumerate(TITLES, start=1):
        cell = _put(sheet, row, column, values.get(title))
        if title in asked:
            cell.protection, cell.fill = OPEN, ANSWER
    if place.is_first:
        _link(_put(sheet, row, TITLES.index(layout.LINK) + 1, "Listen"), book, page)


def _check_cells(sheet: Worksheet, lists: Mapping[str, str], last_row: int) -> None:
    """Let cells take what the scales have and nothing else; a list on a sheet means the same in every language."""
    for title, (allowed, problem) in _checks(lists).items():
        check = DataValidation(type="list", formula1=allowed, allow_blank=True, showErrorMessage=True)
        check.errorTitle, check.error = title, problem
        check.promptTitle, check.prompt, check.showInputMessage = title, problem, True
        column = get_column_letter(TITLES.index(title) + 1)
        check.add(f"{column}{HEADER_ROW + 1}:{column}{last_row}")
        sheet.add_data_validation(check)


def _checks(lists: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    of_scores = "From 1 (worst) to 5 (best), as the list has it."
    of_penalties = "A penalty: 0 for none, or a negative number down to -2 in steps of 0.1. Never positive."
    return {
        **{layout.SCORE_TITLES[key]: (lists[key], of_scores) for key in SCORES},
        **{layout.SCORE_TITLES[key]: (lists[key], of_penalties) for key in PENALTIES},
        layout.SYNTHESISED: (f'"{layout.YES},{layout.NO}"', "yes or no, once for each clip."),
    }


# --- Keys -------------------------------------------------------------------------------------------------------------


def _write_keys(sheet: Worksheet, book: Book) -> dict[str, str]:
    """The hidden sheet: which row is which, and the numbers that cells may take. Says where these stand."""
    for column, title in enumerate(("Earmark workbook", layout.VERSION), start=1):
        _put(sheet, 1, column, title)
    rated = list(layout.rated_places(book))
    for row, place in enumerate(rated, start=2):
        for column, value in enumerate((place.key, place.page.number, place.number), start=1):
            _put(sheet, row, column, value)
    lists = {}
    for column, key in enumerate(ENTERED if rated else (), start=5):
        values = layout.scale_of(rated[0].page, key).values()
        for row, value in enumerate(_best_first(values), start=2):
            _put(sheet, row, column, value)
        letter = get_column_letter(column)
        lists[key] = f"{KEYS}!${letter}$2:${letter}${len(values) + 1}"
    return lists


def _best_first(values: Sequence[float]) -> list[float]:
    return sorted((value + 0.0 for value in values), reverse=True)


def _put(sheet: Worksheet, row: int, column: int, value: Any) -> Cell:
    """Write a cell; a text stays a text, whatever it begins with."""
    cell: Cell = sheet.cell(row, column)
    cell.value = ILLEGAL_CHARACTERS_RE.sub("", value) if isinstance(value, str) else value
    if isinstance(value, str):
        cell.data_type = "s"
        cell.quotePrefix = is_risky(value)  # it stays one when a person edits the cell
    cell.alignment = TOP
    return cell


def _link(cell: Cell, book: Book, page: BookPage) -> None:
    if book.link:
        cell.hyperlink = f"{book.link}#record-{layout.record_id(page)}"
        cell.font = LINKED
    else:
        cell.value = None


def _next_row(sheet: Worksheet) -> int:
    return int(sheet.max_row) + 1 if sheet.max_row > 1 or sheet["A1"].value is not None else 1
