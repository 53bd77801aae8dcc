"""Workbooks: the first sheet of an XLSX file as a table; nothing but the sandbox imports this."""

import datetime as dt
from typing import Any, BinaryIO

from python_calamine import CalamineError, CalamineWorkbook

from core.clauses import clause
from stimuli.errors import TableUnreadable
from stimuli.intake.tables import complaint, tabulated


def read_sheet(file: BinaryIO, *, name: str) -> dict[str, Any]:
    """Read the first sheet; empty rows count, so that a line has the number that a spreadsheet shows."""
    try:
        sheet = CalamineWorkbook.from_filelike(file).get_sheet_by_index(0)
        above = sheet.start[0] if sheet.start else 0
        lines = ((above + number, [_as_text(cell) for cell in row]) for number, row in enumerate(sheet.iter_rows(), 1))
        return tabulated(lines, name=name).to_json()
    except (CalamineError, IndexError) as trouble:
        problem = clause('it is no XLSX that can be read ("{complaint}")', complaint=complaint(trouble))
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
