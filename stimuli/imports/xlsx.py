"""XLSX workbooks: the first sheet as a table, or all cells. Imported only by the sandboxed decoder process."""

import codecs
import datetime as dt
import re
import zipfile
from typing import Any, BinaryIO
from xml.etree import ElementTree as ET

from python_calamine import CalamineError, CalamineWorkbook

from core.i18n import LazyMessage
from stimuli.errors import TableUnreadable
from stimuli.imports.tables import complaint, tabulated


def read_sheet(file: BinaryIO, *, name: str) -> dict[str, Any]:
    """Read the first sheet; empty rows count, so that a line has the number that a spreadsheet shows."""
    try:
        sheet = CalamineWorkbook.from_filelike(file).get_sheet_by_index(0)
        above = sheet.start[0] if sheet.start else 0
        lines = ((above + number, [_as_text(cell) for cell in row]) for number, row in enumerate(sheet.iter_rows(), 1))
        return tabulated(lines, name=name).to_json()
    except (CalamineError, IndexError) as trouble:
        problem = LazyMessage('it is no XLSX that can be read ("{complaint}")', complaint=complaint(trouble))
        raise TableUnreadable(name=name, problem=problem) from None


def _as_text(cell: Any) -> str:
    """A cell as a person would write it: whole numbers without a point, dates as ISO 8601 has them."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)


# --- All cells of a workbook ------------------------------------------------------------------------------------------


MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
LINKS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
SHEET_OF = "xl/"


def warm_up() -> None:
    """Load what an archive and its parts need; a sandboxed child cannot load anything any more."""
    codecs.lookup("cp437")  # of the names in an archive
    ET.fromstring("<warm/>")  # noqa: S314 - it is our own


def read_cells(file: BinaryIO, *, name: str) -> dict[str, Any]:
    """Read all sheets: rows by the number that a spreadsheet shows, values as JSON has them, odd cells by address."""
    try:
        file.seek(0)
        book = CalamineWorkbook.from_filelike(file)
        rows = {sheet: _rows(book, sheet) for sheet in book.sheet_names}
        file.seek(0)
        odd = _odd_cells(file)
    except (CalamineError, zipfile.BadZipFile, ET.ParseError, KeyError, ValueError) as trouble:
        problem = LazyMessage('it is no XLSX that can be read ("{complaint}")', complaint=complaint(trouble))
        raise TableUnreadable(name=name, problem=problem) from None
    return {"sheets": {sheet: {"rows": found, **odd[sheet]} for sheet, found in rows.items()}}


def _rows(book: CalamineWorkbook, name: str) -> list[tuple[int, list[Any]]]:
    sheet = book.get_sheet_by_name(name)
    if sheet.start is None:
        return []
    above, left = sheet.start
    rows = enumerate(sheet.to_python(skip_empty_area=True), start=above + 1)
    return [(number, [""] * left + [_as_json(cell) for cell in row]) for number, row in rows]


def _as_json(cell: Any) -> Any:
    """Numbers stay numbers and truth stays truth; a date, which a spreadsheet makes of 1.5 by itself, becomes text."""
    if isinstance(cell, dt.date | dt.time):
        return cell.isoformat()
    return cell if isinstance(cell, bool | int | float | str) else str(cell)


def _odd_cells(file: BinaryIO) -> dict[str, dict[str, Any]]:
    """Where formulas and errors stand, sheet by sheet: the reader of values tells what a formula came to, and of an
    error nothing."""
    with zipfile.ZipFile(file) as packed:
        targets = {
            link.attrib["Id"]: re.sub(r"^/?(xl/)?", SHEET_OF, link.attrib["Target"])
            for link in _parsed(packed, "xl/_rels/workbook.xml.rels")
        }
        sheets = _parsed(packed, "xl/workbook.xml").iter(f"{MAIN}sheet")
        return {sheet.attrib["name"]: _odd_of(_parsed(packed, targets[sheet.attrib[f"{LINKS}id"]])) for sheet in sheets}


def _odd_of(sheet: ET.Element) -> dict[str, Any]:
    cells = {cell.attrib["r"]: cell for cell in sheet.iter(f"{MAIN}c")}
    return {
        "formulas": [at for at, cell in cells.items() if cell.find(f"{MAIN}f") is not None],
        "errors": {at: cell.findtext(f"{MAIN}v") or "#" for at, cell in cells.items() if cell.get("t") == "e"},
    }


def _parsed(packed: zipfile.ZipFile, part: str) -> ET.Element:
    # An entity that expands without end ends a sandboxed child, and nothing else.
    return ET.fromstring(packed.read(part))  # noqa: S314
