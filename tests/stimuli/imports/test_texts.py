"""Captions, transcripts and lists of words come in as stimuli to be read."""

import json

import pytest

from stimuli.imports.plans import Plan
from stimuli.imports.reports import Report
from stimuli.imports.tables import Table, read_csv
from stimuli.imports.texts import add_texts, read_lines, text_columns
from tests.errors import raises_error


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


UTTERANCE = ["cherry", "blossoms", "in", "spring"]


def lines(*records: dict[str, object]) -> Table:
    return read_lines("\n".join(json.dumps(record) for record in records).encode(), name="u.jsonl")


def test_words_are_taken_as_they_were_divided() -> None:
    plan, report = taken(
        lines({"item": "u1", "tokens": ["桜", "が", "咲く"]}, {"item": "u2", "tokens": ["New York", "!"]})
    )
    assert [cell.text and cell.text["tokens"] for cell in plan.cells] == [["桜", "が", "咲く"], ["New York", "!"]]
    assert plan.conditions == {"transcript": "reference"}
    assert not report.findings


def test_only_a_column_called_words_is_divided_at_spaces() -> None:
    plan, report = taken(lines({"item": "u1", "words": "a dog"}, {"item": "u2", "words": ["a", "cat"]}))
    assert [cell.text and (cell.text["kind"], cell.text["tokens"]) for cell in plan.cells] == [
        ("tokens", ["a", "dog"]),
        ("tokens", ["a", "cat"]),
    ]
    assert not report.findings
    _, report = taken(lines({"item": "u1", "tokens": "a dog"}))
    assert "only a column called 'words' is divided at spaces" in str(report.errors[0])


def test_words_under_a_condition_are_that_conditions() -> None:
    plan, _ = taken(read_csv(b'item,condition,tokens\nu1,ref,"[""a""]"\nu1,x,"[""b""]"\n', name="t.csv"))
    assert plan.conditions == {"ref": "reference", "x": "test"}


def test_an_utterance_comes_with_what_systems_and_recognisers_made_of_it() -> None:
    plan, report = taken(
        lines(
            {
                "utterance": "u1",
                "tokens": UTTERANCE,
                "asr": ["cherry", "blossom", "spring"],
                "positions_a": [1, 2, "?plum", 4],
                "summary_b": ["cherry", "spring"],
                "speaker": "F",
            }
        )
    )
    assert not report.findings
    texts = {cell.condition: cell.text for cell in plan.cells}
    assert texts["asr"]
    assert texts["asr"]["kind"] == "asr"
    assert texts["a"] == {
        "kind": "summary",
        "text": "cherry blossoms plum spring",
        "tokens": ["cherry", "blossoms", "plum", "spring"],
        "positions": [1, 2, "?plum", 4],
        "language": "",
    }
    assert texts["b"]
    assert "positions" not in texts["b"]
    assert plan.conditions == {"transcript": "reference", "asr": "test", "b": "test", "a": "test"}
    assert plan.items == {"u1": {"speaker": "F"}}


def test_positions_are_counted_in_words_from_any_line_or_from_a_table_before() -> None:
    table = lines({"item": "u1", "system": "a", "positions": [4]}, {"item": "u1", "tokens": UTTERANCE})
    plan, report = taken(table)
    assert [cell.text and cell.text["text"] for cell in plan.cells if cell.condition == "a"] == ["spring"]
    add_texts(lines({"item": "u1", "system": "b", "positions": [1, 4]}), plan, report)
    assert plan.cells[-1].text
    assert plan.cells[-1].text["text"] == "cherry spring"
    assert not report.findings


@pytest.mark.parametrize(
    ("positions", "problem"),
    [
        ([2, 1], "position 1 comes after 2"),
        ([1, 1], "position 1 comes after 1"),
        ([1, 5], "5 is not a position; positions are whole numbers from 1 to 4"),
        ([0], "0 is not a position"),
        ([True], "true is not a position"),
        ([1.5], "1.5 is not a position"),
        (["plum"], "begins with a question mark"),
        (["?"], "begins with a question mark"),
        ([], "at least one position"),
        ("1 2", "at least one position"),
    ],
)
def test_positions_that_are_none_are_rejected_with_line_and_remedy(positions: object, problem: str) -> None:
    plan, report = taken(lines({"item": "u1", "tokens": UTTERANCE}, {"item": "u1", "positions_a": positions}))
    assert len(plan.cells) == 1
    assert "Line 2 of 'u.jsonl'" in str(report.errors[0])
    assert problem in str(report.errors[0])


def test_positions_without_an_utterance_are_rejected() -> None:
    _, report = taken(lines({"item": "u1", "positions_a": [1]}))
    assert "add a column 'tokens'" in str(report.errors[0])


def test_chapters_are_times_with_or_without_titles() -> None:
    plan, report = taken(lines({"item": "r1", "chapters": [[0, "Start"], [95.5, ""]], "chapters_x": [30, 60]}))
    assert not report.findings
    assert plan.conditions == {"chapters": "reference", "x": "test"}
    assert [cell.text and (cell.text["kind"], cell.text["chapters"]) for cell in plan.cells] == [
        ("chapters", [[0.0, "Start"], [95.5, ""]]),
        ("chapters", [[30.0, ""], [60.0, ""]]),
    ]


@pytest.mark.parametrize(
    "chapters", ["[]", "soon", '[[-1, "a"]]', "[NaN]", "[[1, 2]]", "[[1]]", "[60, 30]", "[true]", "[1e400]", "[" * 9000]
)
def test_chapters_that_are_none_are_rejected_with_their_line(chapters: str) -> None:
    _, report = taken(lines({"item": "r1", "chapters": chapters}))
    assert "Line 1 of 'u.jsonl' (r1, chapters) cannot be read under 'chapters'" in str(report.errors[0])


def test_a_sign_that_ends_lines_elsewhere_may_stand_in_a_text() -> None:
    table = read_lines('{"item": "a", "text": "one\u2028two"}'.encode(), name="t.jsonl")
    assert [row.values["text"] for row in table.rows] == ["one\u2028two"]


def test_a_transcript_beside_other_factors_stays_a_factor() -> None:
    assert not text_columns(read_csv(b"item,sex,transcript\na,F,hello\n", name="t.csv"))
    assert text_columns(read_csv(b"item,transcript\na,hello\n", name="t.csv"))


@pytest.mark.parametrize("tokens", ["[1, 2]", "[]", "[" * 5000, '["a", ""]'])
def test_what_is_no_list_of_words_is_rejected_with_its_line(tokens: str) -> None:
    line = json.dumps({"item": "u1", "tokens": tokens})
    _, report = taken(read_lines(line.encode(), name="words.jsonl"))
    assert "Line 1 of 'words.jsonl'" in str(report.errors[0])


def test_a_row_without_an_item_or_with_an_unknown_role_is_rejected() -> None:
    _, report = taken(read_csv(b"item,condition,text,role\n,a,x,\ni,a,x,boss\n", name="t.csv"))
    assert ["Line 2" in str(report.errors[0]), "Line 3" in str(report.errors[1])] == [True, True]


@pytest.mark.parametrize(
    "content",
    [b"", b"not json\n", b"[1]\n", b'{"a": {"b": 1}}\n', b"\xff\xfe", b'{"item": ' + b"[" * 100_000],
    ids=["empty", "prose", "a list", "nested", "not UTF-8", "deep"],
)
def test_lines_that_are_no_objects_are_rejected_by_name(content: bytes) -> None:
    with raises_error("table.lines_unreadable", match=r"t\.jsonl"):
        read_lines(content, name="t.jsonl")


def sheet(cues: str) -> Table:
    return read_csv(f'item,condition,cues\nA,greedy z=0.5,"{cues}"\n'.encode(), name="cues.csv")


@pytest.mark.parametrize("cues", ["0:00 07:12:30; 0:05.5 120:00:00.25;", "0:00 07:12:30\n\n00:00:05.5 120:00:00.25"])
def test_a_cue_sheet_belongs_to_a_summary_and_is_a_text_beside_it(cues: str) -> None:
    plan, report = taken(sheet(cues))
    [cell] = plan.cells
    assert (cell.item, cell.condition) == ("A", "cues of greedy z=0.5")
    assert cell.text is not None
    assert cell.text["kind"] == "cues"
    assert cell.text["of"] == "greedy z=0.5"
    assert cell.text["cues"] == [[0, 25950], [5.5, 432000.25]]
    assert not report.findings


@pytest.mark.parametrize(("cues", "problem"), [
    ("0:00 07:12:30; 0:05 07:12", 'passage 2 is "0:05 07:12"; it must be a time in the summary and a time in the full'),
    ("0:00", "such as 0:05 07:12:30"),
    ("0:75 07:12:30", "passage 1 is"),
    (";", 'passage 1 is ";"'),
    ("0:05 07:12:30 07:12:35", "passage 1 is"),
    ("0:00 07:12:30 / 0:05 08:00:00", "after a semicolon"),
    ("0:00 07:12:30; 0:00 08:00:00", "passage 2 begins at 0:00, which is not after the passage before it"),
    ("0:05 07:12:30; 0:04 08:00:00", "in the order of the summary"),
])  # fmt: skip
def test_a_cue_sheet_that_cannot_be_read_is_refused_by_item_condition_and_passage(cues: str, problem: str) -> None:
    plan, report = taken(sheet(cues))
    assert not plan.cells
    assert "Line 2 of 'cues.csv' (A, greedy z=0.5) cannot be read under 'cues'" in str(report.errors[0])
    assert problem in str(report.errors[0])
