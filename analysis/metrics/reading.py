"""Reading of a table of objective metrics: which file or condition has which value, or the lines that do not fit."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.errors import AppError
from core.i18n import LazyMessage, join_problems
from core.i18n import gettext_noop as _
from core.spreadsheets import NUMBER, restore
from stimuli.errors import TableUnreadable
from stimuli.imports.tables import Row, Table, first_of, load_table

# What a column may be called, best first. File and condition together are called as the platform's own exports do.
FILE = ("file", "file_name", "filename", "path", "file_url")
ITEM = ("item", "sample")
CONDITION = ("condition", "condition_name")
METRIC, VALUE = "metric", "value"
NO_VALUE = ("", "na", "nan", "null", "none", "-")
MOST_BYTES = 4 * 2**20
MOST_METRICS = 20
LONGEST_NAME = 80  # of a metric
LARGEST = 1e15
MOST_LISTED = 100


@dataclass(frozen=True)
class MetricRow:
    """The values of one file or condition, under the name that the table has for it."""

    name: str
    values: Mapping[str, float]  # by metric; those that are missing are left out
    line: int  # the first one that names it


@dataclass(frozen=True)
class Metrics:
    """A table of metrics, `by` file or by condition."""

    name: str
    by: str
    metrics: tuple[str, ...]
    rows: tuple[MetricRow, ...]


@dataclass(frozen=True)
class _Cell:
    """One value, and where it stands."""

    name: str
    metric: str
    text: str
    line: int
    column: str  # its heading


def read_metrics(content: bytes, *, name: str) -> Metrics:
    """Read a whole table, with one value in a row or one column for each metric, or reject it with all wrong lines."""
    if len(content) > MOST_BYTES:
        raise TableUnreadable(name=name, problem=LazyMessage("it is larger than {size} MB", size=MOST_BYTES >> 20))
    table = load_table(io.BytesIO(content), name=name)
    file, item, condition = (first_of(table.columns, names) for names in (FILE, ITEM, CONDITION))
    if not file and not condition:
        raise _column_missing(table, "file")
    if not table.rows:
        raise TableUnreadable(name=name, problem=LazyMessage("it has a heading and no rows"))
    is_long = METRIC in table.columns
    if is_long and VALUE not in table.columns:
        raise _column_missing(table, VALUE)
    naming = (file,) if file else (condition, item) if item else (condition,)
    wide = [column for column in table.columns if column not in (file, item, condition)]
    if not is_long and not wide:
        raise _column_missing(table, METRIC)
    problems: list[LazyMessage] = []
    rows = _gathered(_cells(table, naming, () if is_long else wide, problems), problems, empty_is_wrong=is_long)
    reject_lines(name, problems)
    metrics = tuple(dict.fromkeys(metric for row in rows for metric in row.values))
    _check_metrics(name, metrics)
    return Metrics(name, "file" if file or item else "condition", metrics, tuple(rows))


def reject_lines(name: str, problems: Sequence[LazyMessage]) -> None:
    """Raise an error that names the lines, if there are any."""
    if problems:
        raise AppError(
            "metrics.rows_rejected",
            422,
            _("'{file}' was not taken: {problems}."),
            file=name,
            problems=join_problems(problems),
            count=len(problems),
            rows=[str(problem) for problem in problems[:MOST_LISTED]],
        )


def _column_missing(table: Table, column: str) -> AppError:
    hints = {
        "file": LazyMessage("name a file in each row, or a condition in a column 'condition'"),
        VALUE: LazyMessage("it has the value of the metric that the column 'metric' names"),
        METRIC: LazyMessage("name a metric in each row with its 'value', or give each metric a column of its own"),
    }
    return AppError(
        "metrics.column_missing",
        422,
        _("'{file}', line 1: there is no column '{column}': {hint}. The columns there are: {known}."),
        file=table.name,
        column=column,
        hint=hints[column],
        known=", ".join(table.columns) or "-",
    )


def _cells(table: Table, naming: Sequence[str], wide: Sequence[str], problems: list[LazyMessage]) -> Iterator[_Cell]:
    """Every value as it is written: of the column `value`, or of each of the `wide` columns."""
    for row in table.rows:
        parts = [restore(row.values.get(column, "")) for column in naming]
        needed = dict(zip(naming, parts, strict=True)) | ({} if wide else {METRIC: row.values.get(METRIC, "")})
        empty = [column for column, text in needed.items() if not text]
        if empty:
            problems.append(_empty(row.line, empty[0]))
            continue
        for metric, column in _metrics_of(row, wide, table.headings):
            yield _Cell("/".join(parts), metric, restore(row.values.get(column, "")), row.line, table.headings[column])


def _metrics_of(row: Row, wide: Iterable[str], headings: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(headings[column], column) for column in wide] or [(restore(row.values[METRIC]), VALUE)]


def _gathered(cells: Iterable[_Cell], problems: list[LazyMessage], *, empty_is_wrong: bool) -> list[MetricRow]:
    """Values by name; those that are doubled or no numbers are problems."""
    values: dict[str, dict[str, float]] = {}
    lines: dict[tuple[str, str], int] = {}
    for cell in cells:
        earlier = lines.setdefault((cell.name, cell.metric), cell.line)
        if earlier != cell.line:
            problems.append(_doubled(cell, earlier))
        elif cell.text.casefold() in NO_VALUE:
            if empty_is_wrong:
                problems.append(_empty(cell.line, cell.column))
        elif not NUMBER.fullmatch(cell.text) or not abs(float(cell.text)) <= LARGEST:
            problems.append(_no_number(cell))
        else:
            values.setdefault(cell.name, {})[cell.metric] = float(cell.text)
    first = {name: line for (name, _metric), line in reversed(lines.items())}
    return [MetricRow(name, found, first[name]) for name, found in values.items()]


def _empty(line: int, column: str) -> LazyMessage:
    return LazyMessage(
        "line {line}: '{column}' is empty; fill it in, or take the line out", line=str(line), column=column
    )


def _doubled(cell: _Cell, earlier: int) -> LazyMessage:
    return LazyMessage(
        "line {line}: '{name}' has a value of '{metric}' in line {earlier} already; keep one of them",
        line=str(cell.line),
        earlier=str(earlier),
        name=cell.name[:LONGEST_NAME],
        metric=cell.metric[:LONGEST_NAME],
    )


def _no_number(cell: _Cell) -> LazyMessage:
    return LazyMessage(
        "line {line}: '{value}' under '{column}' is no number; write it with a point, such as 3.5, or take the "
        "column out",
        line=str(cell.line),
        value=cell.text[:40],
        column=cell.column[:LONGEST_NAME],
    )


def _check_metrics(name: str, metrics: Sequence[str]) -> None:
    if not metrics:
        raise TableUnreadable(name=name, problem=LazyMessage("it has no value of any metric"))
    if len(metrics) > MOST_METRICS or max(map(len, metrics)) > LONGEST_NAME:
        raise AppError(
            "metrics.too_many",
            422,
            _("'{file}' has {count} metrics. At most {most} are compared, with names of at most {longest} characters."),
            file=name,
            count=len(metrics),
            most=MOST_METRICS,
            longest=LONGEST_NAME,
        )
