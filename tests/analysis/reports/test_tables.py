"""Tables of results: one declaration, and the same rows on the page, in CSV, in LaTeX and in Markdown."""

import csv
import io
from typing import Any

import pytest
from django.template.defaultfilters import floatformat
from django.utils import translation
from openpyxl import load_workbook

from analysis.reports.tables import (
    Column,
    Table,
    count,
    figure,
    number_column,
    p_value,
    percent,
    range_column,
    signed,
    tables_in,
    text_column,
    write_csv,
    write_latex,
    write_markdown,
    write_xlsx,
)

ROWS: list[dict[str, Any]] = [
    {"condition": "a_1 | 50 %", "n_votes": 1200, "mos": 3.14159, "low": 3.0, "high": 3.5, "p": 0.0001},
    {"condition": None, "n_votes": 2, "mos": None, "low": None, "high": None, "p": 0.25},
]
COLUMNS = [
    text_column("Condition", "condition"),
    number_column("Answers", "n_votes", count),
    number_column("MOS", "mos"),
    range_column("95 % CI", "low", "high", signed),
    number_column("p", "p", p_value),
]
TABLE = Table("means", "Means & more", "Over 100 % of listeners.", COLUMNS, ROWS)


def test_rows_of_html_are_escaped_and_grey_where_few_answered() -> None:
    rows: list[dict[str, Any]] = [
        {"condition": "<b>&'\"", "n_votes": 12, "mos": 0.5},
        {"condition": "a name of fourteen", "n_votes": 4, "mos": None},
    ]
    html = Table("means", "", "", [*COLUMNS[:1], COLUMNS[2]], rows).html_rows
    assert html.split("\n") == [
        '<tr><td class="nowrap">&lt;b&gt;&amp;&#x27;&quot;</td><td class="num nowrap">0.50</td></tr>',
        '<tr class="is-muted"><td>a name of fourteen</td><td class="num nowrap">-</td></tr>',
    ]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("places", [0, 2, 3])
def test_figures_are_written_as_by_floatformat_with_a_true_minus(language: str, places: int) -> None:
    values = [0, 3, -3, 0.0, -0.0, 2.675, -2.665, 0.005, -0.004, 1e-9, 12345.678, -1e14, 1e15, 1e22, -1e300]
    with translation.override(language):
        for value in [*values, float("inf"), float("nan")]:
            assert figure(value, places) == str(floatformat(value, places)).replace("-", "−"), value


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in line.cells] for line in table.lines]


def test_the_page_writes_figures_as_a_reader_does() -> None:
    assert texts(TABLE) == [
        ["a_1 | 50 %", "1,200", "3.14", "+3.00 – +3.50", "< 0.001"],
        ["all together", "2", "-", "-", "0.250"],
    ]
    assert [cell.numeric for cell in TABLE.lines[0].cells] == [False, True, True, True, True]
    assert [line.muted for line in TABLE.lines] == [False, True]


def test_figures_follow_the_language_of_the_reader() -> None:
    with translation.override("fr"):
        assert texts(TABLE)[0][2:4] == ["3,14", "+3,00 – +3,50"]


def test_xlsx_has_the_values_and_runs_no_formula() -> None:
    rows = [{**ROWS[0], "condition": "=1+1"}, ROWS[1]]
    (content,) = write_xlsx(Table("means", "Means: all", "", COLUMNS, rows))
    sheet = load_workbook(io.BytesIO(content)).active
    first, second, third = sheet.iter_rows()
    assert [cell.value for cell in first] == ["condition", "n_votes", "mos", "low", "high", "p"]
    assert (second[0].value, second[0].data_type, second[2].value) == ("=1+1", "s", 3.14159)
    assert [cell.value for cell in third] == [None, 2, None, None, None, 0.25]


def test_csv_has_the_values_under_their_keys_to_the_last_digit() -> None:
    rows = list(csv.DictReader(io.StringIO("".join(write_csv(TABLE)))))
    assert list(rows[0]) == ["condition", "n_votes", "mos", "low", "high", "p"]
    assert (rows[0]["mos"], rows[0]["low"], rows[0]["p"], rows[1]["mos"]) == ("3.14159", "3.0", "0.0001", "")


def test_csv_names_a_value_once_even_if_two_columns_show_it() -> None:
    columns = [number_column("Share", "share", percent), number_column("Exactly", "share")]
    assert "".join(write_csv(Table("t", "T", "", columns, [{"share": 0.5}]))) == "share\n0.5\n"


def test_latex_escapes_what_it_would_take_for_markup() -> None:
    text = "".join(write_latex(TABLE))
    assert r"\caption{Means \& more. Over 100 \% of listeners.}" in text
    assert r"\begin{tabular}{lrrrr}" in text
    assert r"a\_1 | 50 \% & 1,200 & 3.14 & +3.00 -- +3.50 & $<$ 0.001 \\" in text
    minus = Table("t", "T?", "", [number_column("x", "x")], [{"x": -1.5}])
    assert "    $-$1.50 \\\\\n" in "".join(write_latex(minus))
    assert r"\caption{T?}" in "".join(write_latex(minus))


def test_markdown_keeps_a_bar_in_a_name_out_of_the_columns() -> None:
    lines = "".join(write_markdown(TABLE)).splitlines()
    assert lines[0] == "**Means & more**"
    assert lines[2] == "| Condition | Answers | MOS | 95 % CI | p |"
    assert lines[3] == "| --- | ---: | ---: | ---: | ---: |"
    assert lines[4] == r"| a\_1 \| 50 % | 1,200 | 3.14 | +3.00 – +3.50 | \< 0.001 |"
    assert lines[-1] == "Over 100 % of listeners."


def test_a_long_table_shows_one_page_and_downloads_whole() -> None:
    rows = [{"condition": f"c{n}", "mos": 1.0} for n in range(5)]
    columns = [text_column("Condition", "condition"), number_column("MOS", "mos")]
    table = Table("items", "By item", "", columns, rows, page=3, rows_a_page=2)
    assert (table.pages, texts(table)) == (3, [["c4", "1.00"]])
    assert "".join(write_csv(table)).count("\n") == 6
    assert "".join(write_markdown(table)).count("| c") == 5


def test_every_table_with_rows_is_found_among_what_a_template_is_given() -> None:
    empty = Table("empty", "Empty", "", COLUMNS, [])
    other = Table("other", "Other", "", [Column("x", ("x",), str)], [{"x": 1}])
    shown = {"means": TABLE, "more": [empty, {"table": other}], "plot": "<svg/>", "asked": object()}
    assert [table.id for table in tables_in(shown)] == ["means", "other"]
