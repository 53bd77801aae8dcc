"""The command that analyses any table of marks on the plane, without a database."""

import io
import json
import statistics
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.protocols.tcsd_plane.placed import SETTINGS, placed

HEADING = "rater,recording,condition,tc,sd"
LINES = ["1,A,x,0.25,0.5", "2,A,x,0.75,0.25", "1,A,y,0.1,0.9", "2,A,y,0.3,0.8"]


def sheet(folder: Path, lines: list[str] | None = None, *, heading: str = HEADING) -> Path:
    path = folder / "marks.csv"
    path.write_text("\n".join([heading, *(LINES if lines is None else lines), ""]), encoding="utf-8")
    return path


def run(path: Path, *options: str) -> str:
    said = io.StringIO()
    call_command("analyse_plane", str(path), *options, stdout=said)
    return said.getvalue()


def analysed(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(path, "--json"))
    return found


def refused(path: Path) -> str:
    said = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("analyse_plane", str(path), "--json", stdout=said)
    assert said.getvalue() == ""
    return str(caught.value)


def test_names_that_an_export_guarded_are_read_as_they_were(tmp_path: Path) -> None:
    found = analysed(sheet(tmp_path, [line.replace(",x,", ",'=x,") for line in LINES]))
    assert set(found["conditions"]) == {"=x", "y"}


def published(folder: Path) -> Path:
    """The shape of the published sheet: other names for columns, labels for conditions, columns of no interest."""
    marks = placed(raters=4, recordings=4)
    lines = []
    for n, mark in enumerate(marks):
        made = SETTINGS.get(mark.condition)
        family, z = (made.family, made.z) if made else (mark.condition, "")
        lines.append(f"{mark.rater},{mark.recording},{n},{family},{z},{mark.condition},{mark.tc},{mark.sd},a=1+b.wav")
    return sheet(folder, lines, heading="expert,soundscape,item,method,z,condition_label,tc,sd,audio_file")


def test_json_holds_every_figure_under_its_condition_or_axis(tmp_path: Path) -> None:
    found = analysed(published(tmp_path))
    marks = placed(raters=4, recordings=4)
    own = [mark for mark in marks if mark.condition == "greedy 1"]
    row = found["conditions"]["greedy 1"]
    assert row["n"] == len(own) == 16
    expected = {
        "tc_mean": statistics.fmean(mark.tc for mark in own),
        "sd_mean": statistics.fmean(mark.sd for mark in own),
        "tc_sd": statistics.stdev(mark.tc for mark in own),
        "sd_sd": statistics.stdev(mark.sd for mark in own),
        "cov": statistics.covariance([mark.tc for mark in own], [mark.sd for mark in own]),
    }
    assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-9)
    assert found["correlation"] == pytest.approx(
        statistics.correlation([mark.tc for mark in marks], [mark.sd for mark in marks]), rel=1e-9
    )
    for axis in ("TC", "SD"):
        assert found["friedman"][axis]["df"] == 5
        assert 0 < found["friedman"][axis]["p"] < 0.05 < found["friedman"][axis]["chi2"]
        assert 0 < found["icc"][axis] < 1
        assert 0 < found["alpha"][axis] < 1
    assert found["alpha_level"] == "interval"
    assert found["conditions_over_raters"]["greedy 1"]["n"] == 4
    assert {row["family"] for row in found["trade_off"]} == {"greedy", "hand"}


@pytest.mark.parametrize(
    "heading",
    [
        "Rater;Recording;Condition;TC;SD",
        "annotator;dataset;condition_label;faithfulness;scenism",
        "annotator_id;soundscape;condition;tc;scenism",
    ],
)
def test_other_names_and_separators_are_taken(tmp_path: Path, heading: str) -> None:
    usual = run(sheet(tmp_path), "--json")
    lines = [line.replace(",", ";") for line in LINES]
    assert run(sheet(tmp_path, lines, heading=heading), "--json") == usual


def test_a_reader_is_told_what_the_figures_are(tmp_path: Path) -> None:
    said = run(published(tmp_path))
    assert "96 marks: 4 raters, 4 recordings, 6 conditions" in said
    assert "at least 5 raters, and there are 4" in said
    assert "Krippendorff alpha (interval)" in said
    assert "greedy: slope of TC on z -" in said


def test_two_marks_are_enough_to_say_something(tmp_path: Path) -> None:
    assert "TC: Friedman chi2 -, df 0" in run(sheet(tmp_path, ["1,A,x,0.25,0.5", "2,A,x,0.75,0.25"]))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1,B,x,abc,0.5", "'marks.csv', line 6: 'tc' is 'abc', and that is no number"),
        ("1,B,x,nan,0.5", "line 6: 'tc' is 'nan', and that is no number"),
        ("1,B,x,1e999,0.5", "line 6: 'tc' is '1e999', and that is no number"),
        ('1,B,x,"0,5",0.5', "line 6: 'tc' is '0,5', and that is no number: write it with a point, such as 0.27"),
        ("1,B,x,0.5,1.0001", "line 6: 'sd' is '1.0001', and a coordinate lies between 0 and 1"),
        ("1,B,x,-0.01,1", "line 6: 'tc' is '-0.01', and a coordinate lies between 0 and 1"),
        ("1,B,x,0.5,50", "divide percentages by 100"),
        ("1,B,x,0.5,", "line 6: 'sd' is empty. Fill it in, or take the line out."),
        (",B,x,0.5,0.5", "line 6: 'rater' is empty"),
        ("1,A,x,0.26,0.5", "lines 2 and 6: rater '1' has two marks for recording 'A' under condition 'x'. Keep one"),
        ("1,B,x,0.5,0.5,7", "line 6 has 6 cells, and there are 5 columns"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_the_remedy(tmp_path: Path, line: str, reason: str) -> None:
    assert reason in refused(sheet(tmp_path, [*LINES, line]))


def test_both_ends_of_an_axis_are_on_it(tmp_path: Path) -> None:
    assert analysed(sheet(tmp_path, ["1,A,x,0,1", "2,A,x,1.0,0.0"]))["conditions"]["x"]["tc_mean"] == 0.5


def test_a_missing_column_is_named_with_what_it_may_be_called(tmp_path: Path) -> None:
    said = refused(sheet(tmp_path, heading="rater,recording,label,tc,sd"))
    assert "'marks.csv' has no column 'condition'. Call a column condition or condition_label." in said
    assert "The columns there are: rater, recording, label, tc, sd." in said


def test_z_is_a_number_and_the_same_in_all_lines_of_a_condition(tmp_path: Path) -> None:
    heading = f"{HEADING},z,method"
    assert "line 2: 'z' is 'high', and that is no number" in refused(
        sheet(tmp_path, ["1,A,x,0,1,high,m"], heading=heading)
    )
    differs = ["1,A,x,0,1,0.5,m", "2,A,x,0,1,1,m"]
    assert "lines 2 and 3: condition 'x' has two different values of z or method" in refused(
        sheet(tmp_path, differs, heading=heading)
    )


def test_an_empty_file_a_heading_alone_and_no_file_are_refused(tmp_path: Path) -> None:
    assert "it has a heading and no rows" in refused(sheet(tmp_path, []))
    (tmp_path / "empty.csv").write_bytes(b"")
    assert "it is empty" in refused(tmp_path / "empty.csv")
    assert "none.csv' cannot be read: No such file" in refused(tmp_path / "none.csv")
    assert "cannot be read: Is a directory" in refused(tmp_path)
