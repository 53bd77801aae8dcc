"""The workbook of THumBS: everything that goes in comes back, and every doubtful cell is told by its address."""

import io
import zipfile
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from listening.workbooks.base import Choices, Returned
from protocols.thumbs import workbook
from rating.protocol import Answer
from tests.protocols.thumbs.caption_book import FIRST_ROW, PROTOCOL, SCORES, book, fill, opened, returned, whole_answer
from tests.scale import ALL

LAST_ROW = FIRST_ROW + 3


def found(result: Returned) -> dict[str, str]:
    """The kind of each finding by its cell."""
    return {finding.cell: finding.kind for finding in result.findings}


def told(answer: Answer) -> tuple[set[Any], Any]:
    comments = {slot: text for slot, text in answer.detail["comments"].items() if text}
    return {mark for mark in answer.marks if mark.scale != "OVERALL"}, comments


def test_what_is_written_comes_back_value_for_value() -> None:
    before = whole_answer()
    full = book(answered=before)
    result = returned(opened(full), book())  # as if nothing were known of what the file was made with
    assert result.findings == []
    assert told(result.answers["trial1"]) == told(before)
    assert result.answers["trial1"].whole
    plan = full.pages[1].plan
    assert told(PROTOCOL.read(workbook.payload_of(result.answers["trial1"], plan), plan)) == told(before)


PENALTIES, RATED = (0, -0.1, -0.3, -0.7, -1.1, -1.9, -2), (1, 1.5, 5)
# Each value is typed beside another one; in every combination with --all.
BESIDE = [(penalty, RATED[place % len(RATED)]) for place, penalty in enumerate(PENALTIES)]


@pytest.mark.parametrize(("penalty", "score"), list(product(PENALTIES, RATED)) if ALL else BESIDE)
def test_every_value_of_the_scales_survives(penalty: float, score: float) -> None:
    file = opened(book())
    fill(file, FIRST_ROW, FLUENCY=penalty, RECALL=score)
    result = returned(file, book())
    marks = {(mark.slot, mark.scale): mark.value for mark in result.answers["trial1"].marks}
    assert (marks["c1", "FLUENCY"], marks["c1", "RECALL"]) == (penalty, score)
    assert not result.stands_open(Choices())


def test_a_file_that_nobody_touched_says_nothing() -> None:
    for made in (book(), book(answered=whole_answer())):
        result = returned(opened(made), made)
        assert (result.answers, result.findings) == ({}, [])


def test_rows_that_were_sorted_as_a_whole_are_told_apart_by_their_keys() -> None:
    file = opened(book())
    sheet = file["Assessment"]
    fill(file, FIRST_ROW, PRECISION=1.5)
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=FIRST_ROW, max_row=LAST_ROW)]
    for number, row in enumerate(reversed(rows), start=FIRST_ROW):
        for column, value in enumerate(row, start=1):
            cell = sheet.cell(number, column)
            cell.value = value
            cell.data_type = "s" if isinstance(value, str) else cell.data_type
    result = returned(file, book())
    assert not result.stands_open(Choices())
    assert {mark.slot for mark in result.answers["trial1"].marks} == {"c1"}
    assert "trial2" not in result.answers


def test_a_clip_that_was_begun_is_a_draft_and_its_empty_cells_are_listed() -> None:
    file = opened(book())
    fill(file, FIRST_ROW)
    result = returned(file, book())
    assert not result.answers["trial1"].whole
    assert found(result) == {"K4": "note"} | {f"{column}5": "note" for column in "FGHIJ"}
    assert not result.stands_open(Choices())


PLANTED = {
    "a positive penalty": ("H4", 0.3, "positive"),
    "a penalty beyond the scale": ("H4", -2.5, "error"),
    "a positive penalty beyond the scale": ("H4", 3, "error"),
    "a score beyond the scale": ("F4", 6, "error"),
    "a score between two steps": ("F4", 3.3, "error"),
    "a penalty between two steps": ("J4", -0.25, "error"),
    "a text": ("G4", "four", "error"),
    "a number that is text": ("G4", "4", "error"),
    "a formula": ("F4", "=2+2", "error"),
    "neither yes nor no": ("K4", "perhaps", "error"),
    "another answer about the same clip": ("K5", "no", "error"),
    "an error": ("I4", "#N/A", "error"),
    "another caption": ("E4", "Not what it was", "error"),
}


@pytest.mark.parametrize(("cell", "value", "kind"), PLANTED.values(), ids=PLANTED)
def test_a_planted_error_is_told_by_its_cell(cell: str, value: Any, kind: str) -> None:
    file = opened(book())
    fill(file, FIRST_ROW, said="yes")
    fill(file, FIRST_ROW + 1)
    file["Assessment"][cell] = value
    result = returned(file, book())
    told = {each.cell: each for each in result.findings if each.kind != "note"}
    assert {address: each.kind for address, each in told.items()} == {cell: kind}
    assert told[cell].sheet == "Assessment"
    assert result.stands_open(Choices()) == [told[cell]]
    assert bool(told[cell].found) or isinstance(value, str)


def test_many_planted_errors_are_all_told_at_once() -> None:
    file = opened(book())
    for row in range(FIRST_ROW, LAST_ROW + 1):
        fill(file, row)
    for cell, value in {"F4": 9, "H5": 0.5, "G6": "good", "J7": "=-1"}.items():
        file["Assessment"][cell] = value
    kinds = {cell: kind for cell, kind in found(returned(file, book())).items() if kind != "note"}
    assert kinds == {"F4": "error", "H5": "positive", "G6": "error", "J7": "error"}


def test_a_positive_penalty_counts_only_when_a_person_decides_so() -> None:
    file = opened(book())
    fill(file, FIRST_ROW, FLUENCY=0.3)
    result = returned(file, book())
    assert len(result.stands_open(Choices())) == 1
    assert result.stands_open(Choices(flip=True)) == []
    (finding,) = [each for each in result.findings if each.kind == "positive"]
    assert (finding.cell, finding.found, "-0.3" in finding.problem) == ("H4", "0.3", True)
    assert {mark.value for mark in result.answers["trial1"].marks if mark.scale == "FLUENCY"} == {-0.3}


def test_rows_that_are_gone_strange_or_there_twice_are_told() -> None:
    file = opened(book())
    sheet = file["Assessment"]
    copied = [cell.value for cell in sheet[FIRST_ROW]]
    sheet.delete_rows(LAST_ROW)
    sheet.append(copied)
    sheet.append([9, "ffffffff", None, 1, "What is this?", 4, 4, 0, 0, 0])
    problems = [(each.cell, str(each.problem)) for each in returned(file, book()).findings if each.kind == "error"]
    assert [cell for cell, _ in problems] == ["A7", "A8", ""]
    assert "row 4" in problems[0][1]
    assert "another seat" in problems[1][1]
    assert "its row is gone" in problems[2][1]


def test_a_row_without_its_key_is_found_by_record_and_caption() -> None:
    file = opened(book())
    fill(file, FIRST_ROW)
    file["Assessment"][f"M{FIRST_ROW}"] = None
    result = returned(file, book())
    assert not result.stands_open(Choices())
    assert result.answers


def test_answers_that_are_there_already_are_compared_cell_by_cell() -> None:
    made = book(answered=whole_answer())
    file = opened(made)
    file["Assessment"]["G5"], file["Assessment"]["K4"], file["Assessment"]["L4"] = 2.0, "no", "Another word."
    file["Assessment"]["F4"] = None  # an empty cell takes nothing back
    result = returned(file, made)
    assert found(result) == {"G5": "conflict", "K4": "conflict", "L4": "conflict"}
    (recall,) = [each for each in result.findings if each.cell == "G5"]
    assert (recall.found, '"3"' in recall.problem) == ("2", True)
    assert len(result.stands_open(Choices())) == 3
    assert result.stands_open(Choices(replace=True)) == []
    marks = {(mark.slot, mark.scale): mark.value for mark in result.answers["trial1"].marks}
    assert (marks["c2", "RECALL"], marks["c1", "PRECISION"], marks["clip", "SYNTHESISED"]) == (2.0, 4.5, 0.0)


def test_a_file_without_its_sheet_is_told_and_nothing_is_read() -> None:
    file = opened(book())
    file["Assessment"].title = "Sheet 1"
    (finding,) = returned(file, book()).findings
    assert (finding.kind, "use the file as it was sent" in finding.problem) == ("error", True)


def test_nothing_in_the_file_names_a_condition_or_an_item() -> None:
    with zipfile.ZipFile(io.BytesIO(workbook.write_book(book(answered=whole_answer())))) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    assert len(parts) > 5
    assert [name for name, content in parts.items() if b"secret" in content] == []


def test_only_answers_can_be_typed_and_cells_take_what_the_scales_have() -> None:
    file = opened(book())
    sheet = file["Assessment"]
    assert [sheet.title for sheet in file if sheet.sheet_state == "visible"] == ["Example", "Assessment"]
    assert (sheet.protection.sheet, sheet.freeze_panes) == (True, "A4")
    unlocked = {cell.column_letter for cell in sheet[FIRST_ROW] if not cell.protection.locked}
    assert unlocked == set("FGHIJKL")
    assert sheet["K5"].protection.locked
    checks = {str(check.sqref): check for check in sheet.data_validations.dataValidation}
    assert set(checks) == {f"{column}4:{column}7" for column in "FGHIJK"}
    keys = file["Keys"]
    listed = checks["H4:H7"].formula1.split("!")[1].replace("$", "")
    assert [row[0].value for row in keys[listed]][:4] == [0, -0.1, -0.2, -0.3]
    assert "Never positive" in checks["H4:H7"].error
    assert sheet.column_dimensions["M"].hidden


def test_links_lead_to_the_seat_and_a_text_stays_a_text() -> None:
    sheet = opened(book())["Assessment"]
    assert sheet["C4"].hyperlink.target == f"https://example.org/join/token/#record-{sheet['B4'].value}"
    assert (sheet["E5"].value, sheet["E5"].data_type) == ("=Rain on a roof", "s")
    assert [sheet[f"E{row}"].quotePrefix for row in (4, 5)] == [False, True]  # also when a person edits the cell
    assert opened(book(link=""))["Assessment"]["C4"].value is None


def test_a_comment_like_a_formula_comes_back_as_it_was() -> None:
    before = replace(whole_answer(), detail={"comments": {"c1": "=1+1", "c2": "'=1+1"}})
    result = returned(opened(book(answered=before)), book())
    assert result.findings == []
    assert told(result.answers["trial1"]) == told(before)


def test_the_example_comes_first_with_its_scores_and_reasons() -> None:
    texts = [str(cell.value) for row in opened(book())["Example"].iter_rows() for cell in row if cell.value]
    page = "\n".join(texts)
    assert "headphones" in page
    assert "It misses the tram." in page
    assert f"Precision {SCORES['PRECISION']:g}" in page
    assert "grammar checker" in page
