"""Metadata tables find their items however these are written, and nothing that does not fit goes unmentioned."""

from stimuli.imports.factors import attach_factors
from stimuli.imports.plans import Cell, Plan
from stimuli.imports.reports import Report
from stimuli.imports.tables import read_csv


def attached(text: str, *items: str) -> tuple[Plan, Report]:
    plan, report = Plan("conditions"), Report()
    for item in items:
        plan.add(Cell(item, "C0", f"C0/{item}.wav"))
    assert attach_factors(read_csv(text.encode(), name="meta.csv"), plan, report)
    return plan, report


def test_the_p835_studys_table_gives_its_factors_to_the_samples() -> None:
    text = (
        ",wavfile,duration,sex,session,location,transcription\n"
        "0,S01_P01_0_output.wav,4.73,FM,S01,dining,(P04) Okay people.\n"
        "7,S21_P02_1_output.wav,4.84,F,S21,living,\n"
    )
    plan, report = attached(text, "S01_P01_0_output", "S21_P02_1_output")
    assert plan.items["S01_P01_0_output"]["session"] == "S01"
    assert plan.items["S21_P02_1_output"] == {"duration": "4.84", "sex": "F", "session": "S21", "location": "living"}
    assert not report.findings
    assert plan.attached == ["meta.csv"]


def test_items_are_found_by_path_by_name_and_in_other_capitals() -> None:
    plan, report = attached("sample,x\ndata/C0/a.wav,1\nB.WAV,2\nc,3\n", "a", "b", "c")
    assert [plan.items[item]["x"] for item in "abc"] == ["1", "2", "3"]
    assert not report.findings


def test_rows_and_items_that_miss_each_other_are_told() -> None:
    plan, report = attached("item,x\na,1\nghost,2\n", "a", "b")
    told = [str(finding) for finding in report.findings]
    assert "'ghost' (line 3)" in told[0]
    assert told[1].endswith("none of its factors: b.")
    assert plan.items == {"a": {"x": "1"}, "b": {}}


def test_rows_that_disagree_are_an_error_with_both_lines() -> None:
    _, report = attached("item,sex,note\na,F,same\na,M,same\n", "a")
    assert [str(error) for error in report.errors] == [
        "Lines 2 and 3 of 'meta.csv' disagree about item 'a': 'sex' is 'F' and 'M'. Correct one of them."
    ]


def test_several_rows_that_agree_are_one() -> None:
    plan, report = attached("file,sex\nC0/a.wav,F\nC1/a.wav,F\n", "a")
    assert plan.items["a"] == {"sex": "F"}
    assert not report.findings


def test_a_table_without_items_is_not_taken() -> None:
    assert not attach_factors(read_csv(b"colour,size\nred,1\n", name="t.csv"), Plan("flat"), Report())
