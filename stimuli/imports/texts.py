"""Text stimuli from tables or JSON lines: captions, transcripts, utterances with summaries, chapters, and cues."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from stimuli.imports.factors import ITEM_COLUMNS
from stimuli.imports.layouts import role_of
from stimuli.imports.plans import ROLES, Cell, Plan
from stimuli.imports.reports import Report
from stimuli.imports.sources import name_of
from stimuli.imports.tables import MOST_BYTES, MOST_ROWS, Row, Table, first_of
from stimuli.imports.text_cells import FORMS, UnreadableCell, parse_text_cell

PLURALS = {"captions": "caption", "transcripts": "transcript", "texts": "text", "summaries": "summary"}
# Bare columns whose texts are what others are held against: the words of an utterance, the chapters of a recording.
REFERENCES = {"tokens": "transcript", "words": "transcript", "chapters": "chapters"}
CALLED = {"positions": "summary"}  # what a bare column is called as a condition, where not as itself
PROSE = ("text", "caption", "transcript")  # these may also be notes about a sound
CONDITION_COLUMNS = ("condition", "system", "source", "method")
OTHER_COLUMNS = frozenset({*ITEM_COLUMNS, *CONDITION_COLUMNS, "language", "role"})
LONGEST_LINE = 2**20


@dataclass(frozen=True)
class TextColumn:
    """A column of texts: their form, and the condition that it stands for where no column says it."""

    name: str
    form: str
    condition: str
    role: str  # of that condition


def text_columns(table: Table) -> list[TextColumn]:
    """The columns that make a table one of texts; none, if its texts are only notes beside other factors."""
    found = [column for column in map(_text_column, table.columns) if column]
    names = {column.name for column in found}
    clear = (
        any(column.form not in PROSE for column in found)
        or bool(first_of(table.columns, CONDITION_COLUMNS))
        or all(column in OTHER_COLUMNS | names for column in table.columns)
    )
    return found if clear and first_of(table.columns, ITEM_COLUMNS) else []


def add_texts(table: Table, plan: Plan, report: Report) -> None:
    """Take every filled text of a table in as a cell of its own; columns that are no texts become factors."""
    _TextTable(table, plan, report).take()
    plan.attached.append(table.name)


def _lines_unreadable(*, name: str, problem: str) -> AppError:
    return AppError(
        "table.lines_unreadable",
        422,
        _("'{name}' cannot be read: {problem}. Give one JSON object per line, in UTF-8."),
        name=name,
        problem=problem,
    )


def read_lines(content: bytes, *, name: str) -> Table:
    """Read a file of one JSON object a line as a table; a list of words stays one, written as JSON."""
    if len(content) > MOST_BYTES:
        raise _lines_unreadable(name=name, problem=LazyMessage("it is larger than {size} MB", size=MOST_BYTES >> 20))
    try:
        lines = content.decode("utf-8-sig").split("\n")  # a text may hold the other signs that end lines elsewhere
    except UnicodeDecodeError:
        raise _lines_unreadable(name=name, problem=LazyMessage("it is not UTF-8")) from None
    rows = [Row(number, _values(line, number, name)) for number, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        raise _lines_unreadable(name=name, problem=LazyMessage("it is empty"))
    if len(rows) > MOST_ROWS:
        raise _lines_unreadable(name=name, problem=LazyMessage("it has more than {most} lines", most=MOST_ROWS))
    return Table(name, list(dict.fromkeys(column for row in rows for column in row.values)), rows)


class _TextTable:
    """One table on its way into a plan."""

    def __init__(self, table: Table, plan: Plan, report: Report) -> None:
        self.table, self.plan, self.report = table, plan, report
        self.columns = text_columns(table)
        self.item_column = first_of(table.columns, ITEM_COLUMNS)
        self.condition_column = first_of(table.columns, CONDITION_COLUMNS)
        self.utterances = _utterances(plan)  # so far; positions are counted in them

    def take(self) -> None:
        # Positions come last: they may stand above the words that they are counted in.
        for last in (False, True):
            for row in self.table.rows:
                for column in self.columns:
                    if column.name in row.values and (column.form == "positions") == last:
                        self._add(row, column)

    def _add(self, row: Row, column: TextColumn) -> None:
        item = name_of(row.values.get(self.item_column, ""))
        condition = row.values.get(self.condition_column, "")
        role = row.values.get("role", "") or (role_of(condition) if condition else column.role)
        if not item or role not in ROLES:
            self.report.error(
                _("Line {line} of '{table}' names no item, or a role that does not exist. Roles are {roles}."),
                self.table.name,
                line=row.line,
                table=self.table.name,
                roles=", ".join(ROLES),
            )
            return
        try:
            text = parse_text_cell(row.values[column.name], column.form, self.utterances.get(item, ()))
        except UnreadableCell as trouble:
            self.report.error(
                _("Line {line} of '{table}' ({item}, {condition}) cannot be read under '{column}': {problem}."),
                self.table.name,
                line=row.line,
                table=self.table.name,
                item=item,
                condition=condition or column.condition,
                column=column.name,
                problem=trouble.problem,
            )
            return
        text["language"] = row.values.get("language", "")
        name = condition or column.condition
        if column.form == "cues":  # the condition itself is the summary's sound
            text["of"], name = name, f"cues of {name}"
        cell = Cell(item, name, self.table.name, text=text)
        self.plan.add(cell, role=role, factors=self._factors(row))
        if _is_utterance(text, role):
            self.utterances[item] = text["tokens"]

    def _factors(self, row: Row) -> Mapping[str, str]:
        """The other columns as factors of the item; none in a row about a condition, which they could describe."""
        if self.condition_column:
            return {}
        texts = {column.name for column in self.columns}
        return {name: value for name, value in row.values.items() if name not in OTHER_COLUMNS | texts}


def _utterances(plan: Plan) -> dict[str, Sequence[str]]:
    """The words of every item that has them already, from another table."""
    return {
        cell.item: cell.text["tokens"]
        for cell in plan.cells
        if cell.text and _is_utterance(cell.text, plan.conditions[cell.condition])
    }


def _is_utterance(text: Mapping[str, Any], role: str) -> bool:
    return text["kind"] == "tokens" and role == "reference"


def _text_column(column: str) -> TextColumn | None:
    first, _, rest = column.partition("_")
    form = PLURALS.get(first, first)
    if form not in FORMS:
        return None
    if not rest and form in REFERENCES:
        return TextColumn(column, form, REFERENCES[form], "reference")
    condition = rest or CALLED.get(form, form)
    return TextColumn(column, form, condition, role_of(condition))


def _values(line: str, number: int, name: str) -> dict[str, str]:
    try:
        found = json.loads(line) if len(line) <= LONGEST_LINE else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or any(isinstance(value, dict) for value in found.values()):
        problem = LazyMessage("line {line} is not one JSON object of texts and lists", line=str(number))
        raise _lines_unreadable(name=name, problem=problem)
    return {key.strip().casefold(): _written(value) for key, value in found.items() if value not in ("", None)}


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
