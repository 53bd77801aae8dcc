"""Tables of results: declared once with title, note, columns and rows; written as a page and in four formats."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from html import escape
from typing import Any, NamedTuple

from django.template.defaultfilters import floatformat
from django.utils.formats import get_format, number_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from analysis.exports import csv_lines

FEW_VOTES = 5  # a mean of fewer is greyed
LEAST_P = 0.001  # smaller ones are said to be below
MOST_EXACT = 1e15  # numbers below it have no more digits than Decimal keeps
LONGEST_UNBROKEN = 12  # characters of a text that stay on one line
Row = Mapping[str, Any]
Write = Callable[..., str]  # values of a row as a reader writes them


@dataclass(frozen=True)
class Column:
    """A column: its title, the values of a row that stand in it, and how they are written.

    The page, LaTeX and Markdown show what `write` makes of the values; CSV has the values under their keys.
    """

    title: str
    keys: tuple[str, ...]
    write: Write
    numeric: bool = True

    def text(self, row: Row) -> str:
        return self.write(*(row[key] for key in self.keys))


class Cell(NamedTuple):
    text: str
    numeric: bool


class Line(NamedTuple):
    cells: list[Cell]
    muted: bool

    @property
    def html(self) -> str:
        """The line as a row of an HTML table, its texts escaped."""
        cells = "".join(f"<td{_cell_class(cell)}>{escape(cell.text)}</td>" for cell in self.cells)
        return f'<tr class="is-muted">{cells}</tr>' if self.muted else f"<tr>{cells}</tr>"


def _cell_class(cell: Cell) -> str:
    if cell.numeric:
        return ' class="num nowrap"'
    return ' class="nowrap"' if len(cell.text) <= LONGEST_UNBROKEN else ""


@dataclass(frozen=True)
class Table:
    """A table under a heading, with the sentence that says what its figures are."""

    id: str
    title: str
    note: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    page: int = 1
    rows_a_page: int = 0  # of a long table; 0 shows all of them

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.rows) // self.rows_a_page)) if self.rows_a_page else 1

    @property
    def lines(self) -> list[Line]:
        """The rows of the page as a reader sees them."""
        start = (self.page - 1) * self.rows_a_page
        return [self.line(row) for row in self.rows[start : start + self.rows_a_page or None]]

    @property
    def html_rows(self) -> SafeString:
        """The same as rows of an HTML table; a template takes several times as long for thousands of cells."""
        return mark_safe("\n".join(line.html for line in self.lines))  # noqa: S308 - Line.html escapes every text

    def line(self, row: Row) -> Line:
        cells = [Cell(column.text(row), column.numeric) for column in self.columns]
        return Line(cells, muted=row.get("n_votes", FEW_VOTES) < FEW_VOTES)


def text_column(title: str, *keys: str, write: Write | None = None) -> Column:
    """A column of names; no name stands for all of them together."""
    return Column(title, keys, write or _name, numeric=False)


def number_column(title: str, key: str, write: Write | None = None) -> Column:
    """A column of figures, with two decimals unless another form is given."""
    return Column(title, (key,), write or figure)


def range_column(title: str, low: str, high: str, write: Write | None = None) -> Column:
    """A column of intervals or ranges, from one value of a row to another."""
    return Column(title, (low, high), partial(interval, write=write or figure))


def _name(value: Any) -> str:
    return _("all together") if value is None else str(value)


def figure(value: float | None, places: int = 2) -> str:
    """Two decimals, a true minus; what cannot be computed (the spread of one listener) is a dash, never a zero.

    The text is that of floatformat, which takes several times as long: a page has thousands of figures.
    """
    if value is None:
        return "-"
    if not abs(value) < MOST_EXACT:  # NaN as well
        return str(floatformat(value, places)).replace("-", "−")
    rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    text = f"{abs(rounded):f}".replace(".", get_format("DECIMAL_SEPARATOR"))
    return f"−{text}" if rounded < 0 else text


def decimals(places: int) -> Write:
    return partial(figure, places=places)


def signed(value: float | None) -> str:
    return f"+{figure(value)}" if value is not None and value >= 0 else figure(value)


def percent(value: float | None) -> str:
    return "-" if value is None else f"{floatformat(100 * value, 0)} %"


def count(value: int) -> str:
    return str(number_format(value, 0, use_l10n=True, force_grouping=True))


def p_value(value: float | None) -> str:
    return f"< {figure(LEAST_P, 3)}" if value is not None and value < LEAST_P else figure(value, 3)


def interval(low: float | None, high: float | None, write: Write = figure) -> str:
    return "-" if low is None else f"{write(low)} – {write(high)}"


def mean_columns(*before: Column, items: bool = True) -> list[Column]:
    """The columns of every table of means; what a row is about comes before."""
    return [
        *before,
        text_column(_("Condition"), "condition"),
        text_column(_("Scale"), "scale"),
        number_column(_("Listeners"), "n_listeners", count),
        number_column(_("Answers"), "n_votes", count),
        *([number_column(_("Items"), "n_items", count)] if items else []),
        number_column("MOS", "mos"),
        number_column("SD", "sd"),
        range_column(_("95 % CI"), "ci_low", "ci_high"),
    ]


def difference_columns(key: str, title: str, *before: Column) -> list[Column]:
    return [
        *before,
        text_column(_("Scale"), "scale"),
        number_column(_("Listeners"), "n_listeners", count),
        number_column(title, key, signed),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
    ]


def tables_in(shown: Any) -> Iterator[Table]:
    """Yield every table with rows among what a template is given."""
    if isinstance(shown, Table):
        if shown.rows:
            yield shown
    elif isinstance(shown, Mapping):
        for part in shown.values():
            yield from tables_in(part)
    elif isinstance(shown, list | tuple):
        for part in shown:
            yield from tables_in(part)


def write_csv(table: Table) -> Iterator[str]:
    """The values of the rows, to their last digit."""
    return csv_lines(table.rows, columns=list(dict.fromkeys(key for column in table.columns for key in column.keys)))


def write_markdown(table: Table) -> Iterator[str]:
    """A table of GitHub's Markdown, figures to the right."""
    yield f"**{_in_markdown(table.title)}**\n\n"
    yield _markdown_line(column.title for column in table.columns)
    yield "|" + "|".join(" ---: " if column.numeric else " --- " for column in table.columns) + "|\n"
    for row in table.rows:
        yield _markdown_line(column.text(row) for column in table.columns)
    if table.note:
        yield f"\n{_in_markdown(table.note)}\n"


def _markdown_line(texts: Iterable[str]) -> str:
    return "".join(f"| {_in_markdown(text)} " for text in texts) + "|\n"


def _in_markdown(text: str) -> str:
    return re.sub(r"([\\|*_`<>\[\]])", r"\\\1", " ".join(text.split()))


LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "−": "$-$",
    "–": "--",
    "×": r"$\times$",
    "÷": r"$\div$",
    "±": r"$\pm$",
    "²": "$^2$",
    "χ": r"$\chi$",
    "κ": r"$\kappa$",
    "°": r"$^\circ$",
    "<": "$<$",
    ">": "$>$",
    "\N{NO-BREAK SPACE}": "~",
    "ₙ": "$_n$",
    **{chr(0x2080 + digit): f"$_{digit}$" for digit in range(10)},
}


def write_latex(table: Table) -> Iterator[str]:
    """A table environment for the package booktabs."""
    yield "% \\usepackage{booktabs}\n\\begin{table}\n  \\centering\n"
    yield f"  \\caption{{{_in_latex(' '.join([_ended(table.title), table.note]).strip())}}}\n"
    alignment = "".join("r" if column.numeric else "l" for column in table.columns)
    yield f"  \\begin{{tabular}}{{{alignment}}}\n    \\toprule\n"
    yield _latex_line(column.title for column in table.columns)
    yield "    \\midrule\n"
    for row in table.rows:
        yield _latex_line(column.text(row) for column in table.columns)
    yield "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"


def _latex_line(texts: Iterable[str]) -> str:
    return f"    {' & '.join(map(_in_latex, texts))} \\\\\n"


def _in_latex(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in text)


def _ended(title: str) -> str:
    return title if title.endswith(("?", ".", "!")) else f"{title}."


def write_xlsx(table: Table) -> Iterator[bytes]:
    """A workbook of one sheet with the values of CSV; a text that looks like a formula stays a text."""
    from openpyxl import Workbook  # a web process needs it for this alone
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.writer.excel import save_workbook

    keys = list(dict.fromkeys(key for column in table.columns for key in column.keys))
    book = Workbook()
    sheet = book.active
    sheet.title = re.sub(r"[\\/*?:\[\]]", " ", table.title)[:31]
    sheet.append(keys)
    for place, row in enumerate(table.rows, start=2):
        for number, key in enumerate(keys, start=1):
            value, cell = row[key], sheet.cell(place, number)
            is_number = value is None or isinstance(value, int | float)
            cell.value = value if is_number else ILLEGAL_CHARACTERS_RE.sub("", str(value))
            if not is_number:
                cell.data_type = "s"
    file = io.BytesIO()
    save_workbook(book, file)
    yield file.getvalue()


class TableFormat(NamedTuple):
    """A form in which every table of a report can be downloaded, as a file named table-<id>.<ending>."""

    title: str
    write: Callable[[Table], Iterator[str | bytes]]
    content_type: str


TABLE_FORMATS = {
    "csv": TableFormat("CSV", write_csv, "text/csv; charset=utf-8"),
    "tex": TableFormat("LaTeX", write_latex, "application/x-tex; charset=utf-8"),
    "md": TableFormat("Markdown", write_markdown, "text/markdown; charset=utf-8"),
    "xlsx": TableFormat("XLSX", write_xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
}
