"""Tables: every usual dialect is read, errors are told with their line, a hostile workbook harms only its process."""

import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import AppError
from stimuli.errors import TableUnreadable
from stimuli.imports import tables
from stimuli.imports.tables import Table, load_table, read_csv
from tests.stimuli.imports.xlsx import packed, sheet, workbook


def values(table: Table) -> list[dict[str, str]]:
    return [row.values for row in table.rows]


@pytest.mark.parametrize(
    "content",
    [
        b"Item,Sex\na,F\nb,M\n",
        b"\xef\xbb\xbfitem;sex\r\na;F\r\nb;M\r\n",
        "item\tsex\na\tF\nb\tM".encode("utf-16"),
        b'"item","sex"\n"a","F"\n\n"b","M"\n',
        b" item , sex ,\na,F,\nb,M,\n",
    ],
)
def test_the_same_table_is_read_from_every_dialect(content: bytes) -> None:
    table = read_csv(content, name="t.csv")
    assert table.columns == ["item", "sex"]
    assert values(table) == [{"item": "a", "sex": "F"}, {"item": "b", "sex": "M"}]


def test_a_column_without_a_name_is_left_out_and_an_empty_cell_is_absent() -> None:
    table = read_csv(b",wavfile,sex\n0,a.wav,F\n7,b.wav,\n", name="samples_all.csv")
    assert table.columns == ["wavfile", "sex"]
    assert values(table) == [{"wavfile": "a.wav", "sex": "F"}, {"wavfile": "b.wav"}]


def test_latin_1_is_understood() -> None:
    assert values(read_csv("item,place\na,Besançon\n".encode("latin-1"), name="t.csv"))[0]["place"] == "Besançon"


def test_rows_are_called_by_the_line_an_editor_shows() -> None:
    table = read_csv(b'item,note\n\na,"two\nlines"\nb,one\n', name="t.csv")
    assert [row.line for row in table.rows] == [3, 5]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"item,item\na,b\n", "two columns are called 'item'"),
        (b"item,sex\na,F,extra\n", "line 2 has 3 cells"),
        (b'item,sex\na,"F\n', "line 2"),
        (b"item\na\x00b\n", "zero byte"),
        (b"item\n" + b"x" * 20_001, "more than 20,000 characters"),
        (b"," * 500 + b"x\n", "more than 200 columns"),
        (b"\xff\xfeitems", "begins like UTF-16"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(content: bytes, problem: str) -> None:
    with pytest.raises(TableUnreadable) as error:
        read_csv(content, name="t.csv")
    assert problem in str(error.value)
    assert "t.csv" in str(error.value)


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_ROWS", 3)
    assert len(read_csv(b"item\na\nb\nc\n", name="t.csv").rows) == 3
    with pytest.raises(TableUnreadable, match="more than 3 rows"):
        read_csv(b"item\na\nb\nc\nd\n", name="t.csv")


@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_any_bytes_are_a_table_or_an_error(content: bytes) -> None:
    try:
        table = read_csv(content, name="t.csv")
    except AppError:
        return
    assert all(set(row.values) <= set(table.columns) for row in table.rows)


def test_a_workbook_reads_like_the_csv_of_it() -> None:
    content = workbook([["Item", "Session", "Length", ""], ["a", "S01", 4.0, ""], [], ["b", "S21", 4.5, ""]])
    table = load_table(io.BytesIO(content), name="meta.xlsx")
    assert table.columns == ["item", "session", "length"]
    assert values(table) == [
        {"item": "a", "session": "S01", "length": "4"},
        {"item": "b", "session": "S21", "length": "4.5"},
    ]
    assert [row.line for row in table.rows] == [2, 4]


WIDE = "".join(f'<row r="{n}"><c r="A{n}"><v>1</v></c><c r="XFD{n}"><v>2</v></c></row>' for n in range(1, 20_000))
ENTITIES = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>"
)
FAR = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>'


HOSTILE: dict[str, Callable[[], bytes]] = {
    "a stub": lambda: b"PK\x03\x04 and nothing more",
    "cut off": lambda: workbook([["item"]])[:-60],
    "16,384 columns": lambda: packed(sheet(WIDE)),
    "one far cell": lambda: packed(sheet(FAR)),
    "entities": lambda: packed(sheet('<row r="1"><c r="A1" t="inlineStr"><is><t>&i;</t></is></c></row>'), ENTITIES),
    "blanks": lambda: packed("<worksheet>" + " " * 100_000_000),
    "no XML": lambda: packed("<not a sheet"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_workbook_is_refused_by_name_and_the_next_is_read(kind: str) -> None:
    with pytest.raises(TableUnreadable) as error:
        load_table(io.BytesIO(HOSTILE[kind]()), name="evil.xlsx")
    assert "evil.xlsx" in str(error.value)
    assert load_table(io.BytesIO(workbook([["item"], ["a"]])), name="good.xlsx").columns == ["item"]
