"""Captions, transcripts and lists of words as stimuli that are read: from tables, or one JSON object a line."""

import json
from dataclasses import dataclass
from typing import Any

from core.clauses import clause
from core.errors import sentence
from stimuli.errors.intake import LinesUnreadable
from stimuli.intake.factors import ITEM_COLUMNS
from stimuli.intake.layouts import role_of
from stimuli.intake.plans import ROLES, Cell, Plan
from stimuli.intake.reports import Report
from stimuli.intake.sources import name_of
from stimuli.intake.tables import MOST_BYTES, MOST_ROWS, Row, Table, first_of

KINDS = ("text", "caption", "transcript", "tokens")
CONDITION_COLUMNS = ("condition", "system", "source", "method")
OTHER_COLUMNS = frozenset({*ITEM_COLUMNS, *CONDITION_COLUMNS, "language", "role"})
LONGEST_LINE = 2**20


@dataclass(frozen=True)
class TextColumn:
    """A column of texts: what they are, and the condition that it stands for where no column says it."""

    name: str
    kind: str
    condition: str


def text_columns(table: Table) -> list[TextColumn]:
    """The columns that make a table one of texts; none, if its texts are only notes beside other factors."""
    found = [column for column in map(_text_column, table.columns) if column]
    names = {column.name for column in found}
    has_condition = bool(first_of(table.columns, CONDITION_COLUMNS))
    plain = all(column in OTHER_COLUMNS | names for column in table.columns)
    return found if found and (has_condition or plain) and first_of(table.columns, ITEM_COLUMNS) else []


def add_texts(table: Table, plan: Plan, report: Report) -> None:
    """Take every filled text of a table in as a cell of its own."""
    item_column = first_of(table.columns, ITEM_COLUMNS)
    condition_column = first_of(table.columns, CONDITION_COLUMNS)
    columns = text_columns(table)
    for row in table.rows:
        item = name_of(row.values.get(item_column, ""))
        for column in columns:
            if column.name in row.values:
                condition = row.values.get(condition_column, "") or column.condition
                _add(row, item, condition, column, table, plan, report)
    plan.attached.append(table.name)


def read_lines(content: bytes, *, name: str) -> Table:
    """Read a file of one JSON object a line as a table; a list of words stays one, written as JSON."""
    if len(content) > MOST_BYTES:
        raise LinesUnreadable(name=name, problem=clause("it is larger than {size} MB", size=MOST_BYTES >> 20))
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise LinesUnreadable(name=name, problem=clause("it is not UTF-8")) from None
    rows = [Row(number, _values(line, number, name)) for number, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        raise LinesUnreadable(name=name, problem=clause("it is empty"))
    if len(rows) > MOST_ROWS:
        raise LinesUnreadable(name=name, problem=clause("it has more than {most} lines", most=MOST_ROWS))
    return Table(name, list(dict.fromkeys(column for row in rows for column in row.values)), rows)


def _add(row: Row, item: str, condition: str, column: TextColumn, table: Table, plan: Plan, report: Report) -> None:
    try:
        text = _text(row.values[column.name], column.kind, row.values.get("language", ""))
    except (ValueError, RecursionError):
        report.error(
            sentence("Line {line} of '{table}' has no words under '{column}'. Give a JSON list, or words and spaces."),
            table.name,
            line=row.line,
            table=table.name,
            column=column.name,
        )
        return
    role = row.values.get("role", "") or role_of(condition)
    if not item or role not in ROLES:
        report.error(
            sentence("Line {line} of '{table}' names no item, or a role that does not exist. Roles are {roles}."),
            table.name,
            line=row.line,
            table=table.name,
            roles=", ".join(ROLES),
        )
        return
    plan.add(Cell(item, condition, table.name, text=text), role=role)


def _text(value: str, kind: str, language: str) -> dict[str, Any]:
    tokens = None
    if kind == "tokens":
        tokens = json.loads(value) if value.startswith("[") else value.split()
        if not tokens or not all(isinstance(token, str) and token for token in tokens):
            raise ValueError(value)
        value = " ".join(tokens)
    return {"kind": kind, "text": value, "tokens": tokens, "language": language}


def _text_column(column: str) -> TextColumn | None:
    kind, _, rest = column.partition("_")
    singular = {"captions": "caption", "transcripts": "transcript", "texts": "text"}.get(kind, kind)
    if singular not in KINDS:
        return None
    return TextColumn(column, singular, rest or singular)


def _values(line: str, number: int, name: str) -> dict[str, str]:
    try:
        found = json.loads(line) if len(line) <= LONGEST_LINE else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or any(isinstance(value, dict) for value in found.values()):
        problem = clause("line {line} is not one JSON object of texts and lists", line=str(number))
        raise LinesUnreadable(name=name, problem=problem)
    return {key.strip().casefold(): _written(value) for key, value in found.items() if value not in ("", None)}


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
