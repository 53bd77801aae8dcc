"""The tables of the results page: which columns, in which words, with figures as the reader writes them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.template.defaultfilters import floatformat
from django.utils.formats import number_format
from django.utils.translation import gettext as _

FEW_VOTES = 5  # a mean of fewer is greyed
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    text: str
    numeric: bool = True


@dataclass(frozen=True)
class Line:
    cells: list[Cell]
    muted: bool = False


@dataclass(frozen=True)
class PageTable:
    """A table under a heading, with the sentence that says what its figures are."""

    id: str
    title: str
    note: str
    columns: list[Cell]
    lines: list[Line]
    pages: dict[str, int] = field(default_factory=dict)  # of a long table: page, pages, total


Column = tuple[str, bool, Callable[[Row], str]]  # title, whether it holds figures, and what stands in it


def laid_out(
    id: str, title: str, note: str, columns: Sequence[Column], rows: Iterable[Row], *, pages: Any = None
) -> PageTable:
    return PageTable(
        id=id,
        title=title,
        note=note,
        columns=[Cell(name, numeric) for name, numeric, _text in columns],
        lines=[
            Line(
                [Cell(text(row), numeric) for _name, numeric, text in columns],
                row.get("n_votes", FEW_VOTES) < FEW_VOTES,
            )
            for row in rows
        ],
        pages=pages or {},
    )


def figure(value: float | None, places: int = 2) -> str:
    """Two decimals, a true minus; what cannot be computed (the spread of one listener) is a dash, never a zero."""
    return "-" if value is None else str(floatformat(value, places)).replace("-", "−")


def signed(value: float | None) -> str:
    return f"+{figure(value)}" if value is not None and value >= 0 else figure(value)


def percent(value: float) -> str:
    return f"{floatformat(100 * value, 0)} %"


def interval(row: Row, show: Callable[[float | None], str] = figure) -> str:
    return "-" if row["ci_low"] is None else f"{show(row['ci_low'])} – {show(row['ci_high'])}"


def text_of(name: str) -> Callable[[Row], str]:
    return lambda row: str(row[name]) if row[name] is not None else _("all together")


def count_of(name: str) -> Callable[[Row], str]:
    return lambda row: str(number_format(row[name], 0, use_l10n=True, force_grouping=True))


def word(title: str, name: str) -> Column:
    return title, False, text_of(name)


def mean_columns(*before: Column, items: bool = True) -> list[Column]:
    """The columns of every table of means; what a row is about comes before."""
    return [
        *before,
        word(_("Condition"), "condition"),
        word(_("Scale"), "scale"),
        (_("Listeners"), True, count_of("n_listeners")),
        (_("Answers"), True, count_of("n_votes")),
        *([(_("Items"), True, count_of("n_items"))] if items else []),
        ("MOS", True, lambda row: figure(row["mos"])),
        ("SD", True, lambda row: figure(row["sd"])),
        (_("95 % CI"), True, interval),
    ]


def difference_columns(name: str, title: str, *before: Column) -> list[Column]:
    return [
        *before,
        word(_("Scale"), "scale"),
        (_("Listeners"), True, count_of("n_listeners")),
        (title, True, lambda row: signed(row[name])),
        (_("95 % CI"), True, lambda row: interval(row, signed)),
    ]
