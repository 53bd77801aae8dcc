"""Table reader: CSV of any usual dialect, and XLSX, which is read in the sandbox."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, BinaryIO, Self

from audio.sandbox.client import Limits
from core.i18n import LazyMessage
from stimuli.errors import TableUnreadable
from stimuli.sandbox import SandboxFailure, run_sandboxed

MOST_BYTES = 64 * 2**20
MOST_ROWS = 200_000
MOST_COLUMNS = 200
LONGEST_CELL = 20_000  # a transcript fits
DELIMITERS = ",;\t|"
# An XLSX of 600 KB can hold gigabytes of blanks; see docs/guides/importing.md for what is taken.
SHEET_LIMITS = Limits(cpu_s=20, memory_bytes=256 * 2**20, wall_s=40, result_bytes=MOST_BYTES)
BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True)
class Row:
    line: int  # in the file, counted from 1, as an editor or a spreadsheet shows it
    values: dict[str, str]  # by column; what is empty is left out


@dataclass(frozen=True)
class Table:
    """Columns and rows, all of them text; missing is absent, never 0."""

    name: str
    columns: list[str]
    rows: list[Row] = field(default_factory=list)
    headings: dict[str, str] = field(default_factory=dict)  # by column: as the file writes it

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Self:
        return cls(facts["name"], facts["columns"], [Row(**row) for row in facts["rows"]], facts["headings"])


def load_table(file: BinaryIO, *, name: str) -> Table:
    """Read a table by its name's suffix: CSV here, XLSX in the sandbox."""
    if not name.lower().endswith(".xlsx"):
        return read_csv(file.read(MOST_BYTES + 1), name=name)
    try:
        read = run_sandboxed("stimuli.imports.xlsx:read_sheet", file, name=name, limits=SHEET_LIMITS)
    except SandboxFailure:
        problem = LazyMessage("it is damaged, or holds far more cells than it should")
        raise TableUnreadable(name=name, problem=problem) from None
    return Table.from_json(read.facts)


def read_csv(content: bytes, *, name: str) -> Table:
    """Read comma-, semicolon- or tab-separated text in UTF-8, UTF-16 or Latin-1."""
    if len(content) > MOST_BYTES:
        raise TableUnreadable(name=name, problem=LazyMessage("it is larger than {size} MB", size=MOST_BYTES >> 20))
    text = _decoded(content, name)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    return tabulated(_lines(reader, name), name=name)


def tabulated(lines: Iterator[tuple[int, Sequence[str]]], *, name: str) -> Table:
    """Make a table of lines, the first of which names the columns."""
    filled = ((line, cells) for line, cells in lines if any(cell.strip() for cell in cells))
    first = next(filled, None)
    if first is None:
        raise TableUnreadable(name=name, problem=LazyMessage("it is empty"))
    columns = _columns(first[1], name)
    rows: list[Row] = []
    for line, cells in filled:
        if len(rows) == MOST_ROWS:
            raise TableUnreadable(name=name, problem=LazyMessage("it has more than {most} rows", most=MOST_ROWS))
        rows.append(_row(line, cells, columns, name))
    kept = [column for column in columns if column]
    headings = {column: cell.strip() for column, cell in zip(columns, first[1], strict=False) if column}
    return Table(name, kept, rows, headings)


def _columns(cells: Sequence[str], name: str) -> list[str]:
    """Column names in small letters with underscores; empty for a column without a name, such as a row's number."""
    while cells and not cells[-1].strip():
        cells = cells[:-1]
    if len(cells) > MOST_COLUMNS:
        raise TableUnreadable(name=name, problem=LazyMessage("it has more than {most} columns", most=MOST_COLUMNS))
    for cell in cells:
        if "\x00" in cell:
            column = cell.replace("\x00", "").strip()[:100]
            problem = LazyMessage("line {line} has a zero byte under '{column}'", line="1", column=column)
            raise TableUnreadable(name=name, problem=problem)
    columns = [re.sub(r"[\s-]+", "_", cell.strip().casefold())[:100] for cell in cells]
    twice = [column for column, count in Counter(columns).items() if column and count > 1]
    if twice:
        raise TableUnreadable(name=name, problem=LazyMessage("two columns are called '{column}'", column=twice[0]))
    return columns


def _row(line: int, cells: Sequence[str], columns: Sequence[str], name: str) -> Row:
    if any(cell.strip() for cell in cells[len(columns) :]):
        problem = LazyMessage(
            "line {line} has {count} cells, and there are {columns} columns",
            line=str(line),
            count=len(cells),
            columns=len(columns),
        )
        raise TableUnreadable(name=name, problem=problem)
    values = {column: cell.strip() for column, cell in zip(columns, cells, strict=False) if column and cell.strip()}
    for column, value in values.items():
        if len(value) > LONGEST_CELL:
            problem = LazyMessage(
                "line {line} has more than {most} characters under '{column}'",
                line=str(line),
                most=LONGEST_CELL,
                column=column,
            )
            raise TableUnreadable(name=name, problem=problem)
        if "\x00" in value:
            problem = LazyMessage("line {line} has a zero byte under '{column}'", line=str(line), column=column)
            raise TableUnreadable(name=name, problem=problem)
    return Row(line, values)


def _lines(reader: Any, name: str) -> Iterator[tuple[int, Sequence[str]]]:
    try:
        before = 0
        for cells in reader:
            yield before + 1, cells  # a cell may hold line breaks; a row is called by its first line
            before = reader.line_num
    except csv.Error as trouble:
        problem = LazyMessage(
            'line {line} is no CSV ("{complaint}")', line=str(reader.line_num), complaint=complaint(trouble)
        )
        raise TableUnreadable(name=name, problem=problem) from None


def _decoded(content: bytes, name: str) -> str:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            try:
                return content.decode(encoding)
            except UnicodeDecodeError:
                problem = LazyMessage(
                    "it begins like {encoding} and is not", encoding=encoding.upper().removesuffix("-SIG")
                )
                raise TableUnreadable(name=name, problem=problem) from None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _delimiter(text: str) -> str:
    """The separator that the first line has most of, outside quotation marks."""
    head = re.sub(r'"[^"]*"', "", next((line for line in text.splitlines() if line.strip()), ""))
    return max(DELIMITERS, key=lambda sign: (head.count(sign), -DELIMITERS.index(sign)))


def complaint(trouble: Exception) -> str:
    """What a library complains of, as it can be quoted in a sentence."""
    return (str(trouble) or type(trouble).__name__).strip().rstrip(".")[:200]


def first_of(columns: Iterable[str], wanted: Iterable[str]) -> str:
    """The first wanted column that is there, or nothing."""
    there = set(columns)
    return next((column for column in wanted if column in there), "")
