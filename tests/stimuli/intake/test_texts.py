"""Captions, transcripts and lists of words come in as stimuli to be read."""

import json

import pytest

from stimuli.errors.intake import LinesUnreadable
from stimuli.intake.plans import Plan
from stimuli.intake.reports import Report
from stimuli.intake.tables import Table, read_csv
from stimuli.intake.texts import add_texts, read_lines, text_columns


def taken(table: Table) -> tuple[Plan, Report]:
    plan, report = Plan("flat"), Report()
    add_texts(table, plan, report)
    return plan, report


def test_captions_with_their_source_become_conditions() -> None:
    table = read_csv(b"item,system,caption,language\nclip1,human,A dog barks.,en\nclip1,model,Dog.,en\n", name="c.csv")
    plan, report = taken(table)
    assert [(cell.item, cell.condition) for cell in plan.cells] == [("clip1", "human"), ("clip1", "model")]
    assert plan.cells[0].text == {"kind": "caption", "text": "A dog barks.", "tokens": None, "language": "en"}
    assert not report.findings


def test_columns_beside_each_other_are_conditions_too() -> None:
    plan, _ = taken(read_csv(b"file,caption_a,caption_b\nx.wav,one,two\ny.wav,three,\n", name="c.csv"))
    assert [(cell.item, cell.condition) for cell in plan.cells] == [("x", "a"), ("x", "b"), ("y", "a")]


def test_words_come_as_a_list_or_with_spaces() -> None:
    lines = '{"item": "u1", "condition": "ref", "tokens": ["the", "cat"]}\n\n{"item": "u2", "tokens": "a dog"}\n'
    plan, report = taken(read_lines(lines.encode(), name="words.jsonl"))
    assert [cell.text and cell.text["tokens"] for cell in plan.cells] == [["the", "cat"], ["a", "dog"]]
    assert [cell.text and cell.text["text"] for cell in plan.cells] == ["the cat", "a dog"]
    assert plan.conditions == {"ref": "reference", "tokens": "test"}
    assert not report.findings


def test_a_transcript_beside_other_factors_stays_a_factor() -> None:
    assert not text_columns(read_csv(b"item,sex,transcript\na,F,hello\n", name="t.csv"))
    assert text_columns(read_csv(b"item,transcript\na,hello\n", name="t.csv"))


@pytest.mark.parametrize("tokens", ["[1, 2]", "[]", "[" * 5000, '["a", ""]'])
def test_what_is_no_list_of_words_is_refused_with_its_line(tokens: str) -> None:
    line = json.dumps({"item": "u1", "tokens": tokens})
    _, report = taken(read_lines(line.encode(), name="words.jsonl"))
    assert "Line 1 of 'words.jsonl'" in str(report.errors[0])


def test_a_row_without_an_item_or_with_an_unknown_role_is_refused() -> None:
    _, report = taken(read_csv(b"item,condition,text,role\n,a,x,\ni,a,x,boss\n", name="t.csv"))
    assert ["Line 2" in str(report.errors[0]), "Line 3" in str(report.errors[1])] == [True, True]


@pytest.mark.parametrize(
    "content",
    [b"", b"not json\n", b"[1]\n", b'{"a": {"b": 1}}\n', b"\xff\xfe", b'{"item": ' + b"[" * 100_000],
    ids=["empty", "prose", "a list", "nested", "not UTF-8", "deep"],
)
def test_lines_that_are_no_objects_are_refused_by_name(content: bytes) -> None:
    with pytest.raises(LinesUnreadable, match=r"t\.jsonl"):
        read_lines(content, name="t.jsonl")
