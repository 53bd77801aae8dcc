"""Tables of a pool (CSV or XLSX): items and factors, and the rows of a subset as the table has them."""

import csv
import io
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.i18n import LazyMessage
from listening.design.base import Sample, factor_unknown, item_twice, value_missing
from stimuli.errors import TableUnreadable
from stimuli.imports.reports import some
from stimuli.imports.tables import BYTE_ORDER_MARKS, DELIMITERS, Row, Table, load_table, read_csv

UNNAMED = "row_number"  # what an unnamed first column is called, as data frames write their index


@dataclass(frozen=True)
class PoolTable:
    """A table, and the text it was read from where that is text."""

    table: Table
    text: str | None

    def samples(self, *, factors: Sequence[str], id_column: str | None) -> list[Sample]:
        """Read items and their factors; what is wrong is named by the lines it is in."""
        columns = {factor: self._column(factor) for factor in factors}
        name = self._column(id_column) if id_column is not None else self.table.columns[0]
        for label, column in ((id_column or name, name), *columns.items()):
            empty = [str(row.line) for row in self.table.rows if column not in row.values]
            if empty:
                raise value_missing(column=label, places=LazyMessage("the rows in lines {lines}", lines=some(empty)))
        self._judge_names(name)
        return [
            Sample(row.values[name], {factor: row.values[column] for factor, column in columns.items()})
            for row in self.table.rows
        ]

    def excerpt(self, names: Collection[str], *, id_column: str | None) -> str:
        """Copy the heading and the rows of these items, letter by letter where the table is text."""
        name = self._column(id_column) if id_column is not None else self.table.columns[0]
        if self.text is None:
            return self._written([row for row in self.table.rows if row.values[name] in names])
        lines = io.StringIO(self.text, newline="").readlines()
        starts = [row.line - 1 for row in self.table.rows]
        ends = [*starts[1:], len(lines)]
        wanted = ["".join(lines[: starts[0]]).strip("\r\n")]
        for row, start, end in zip(self.table.rows, starts, ends, strict=True):
            if row.values[name] in names:
                wanted.append("".join(lines[start:end]).rstrip("\r\n"))
        return "\n".join(wanted) + "\n"

    def _column(self, label: str) -> str:
        """Find a column by its name, however it is written."""
        column = re.sub(r"[\s-]+", "_", label.strip().casefold())
        if column not in self.table.columns:
            raise factor_unknown(factor=label, known=", ".join(self.table.columns))
        return column

    def _judge_names(self, column: str) -> None:
        seen: dict[str, int] = {}
        for row in self.table.rows:
            item = row.values[column]
            if item in seen:
                places = LazyMessage("lines {first} and {second}", first=str(seen[item]), second=str(row.line))
                raise item_twice(item=item, places=places)
            seen[item] = row.line

    def _written(self, rows: Sequence[Row]) -> str:
        file = io.StringIO(newline="")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.table.columns)
        writer.writerows([row.values.get(column, "") for column in self.table.columns] for row in rows)
        return file.getvalue()


def read_pool(path: Path) -> PoolTable:
    """Read a table of items: XLSX, or CSV in UTF-8 or with a byte order mark; no guesses about other encodings."""
    if path.suffix.lower() == ".xlsx":
        with path.open("rb") as file:
            return _filled(PoolTable(load_table(file, name=path.name), None))
    text = _decoded(path.read_bytes(), path.name)
    named = f"{UNNAMED}{text}" if text[:1] in DELIMITERS else re.sub(rf'\A""(?=[{DELIMITERS}])', UNNAMED, text)
    return _filled(PoolTable(read_csv(named.encode(), name=path.name), text))


def _filled(pool: PoolTable) -> PoolTable:
    if not pool.table.rows:
        raise TableUnreadable(name=pool.table.name, problem=LazyMessage("it has a heading and no rows"))
    return pool


def _decoded(content: bytes, name: str) -> str:
    encodings = (encoding for mark, encoding in BYTE_ORDER_MARKS.items() if content.startswith(mark))
    encoding = next(encodings, "utf-8")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as trouble:
        line = str(content.count(b"\n", 0, trouble.start) + 1)
        said = encoding.upper().removesuffix("-SIG")
        raise TableUnreadable(
            name=name, problem=LazyMessage("line {line} is not {encoding}", line=line, encoding=said)
        ) from None
