"""A manifest says of any files which stimuli they are."""

from pathlib import Path

import pytest

from stimuli.imports.manifests import is_manifest, read_manifest
from stimuli.imports.plans import Cell, Plan
from stimuli.imports.reports import Report
from stimuli.imports.sources import Kind, SourceFile
from stimuli.imports.tables import read_csv
from tests.errors import raises_error

SOURCES = [
    SourceFile("x/one.wav", Path("one"), 1, Kind.SOUND),
    SourceFile("x/two.wav", Path("two"), 1, Kind.SOUND),
    SourceFile("x/all.aup3", Path("all"), 1, Kind.PROJECT),
]


def read(text: str, name: str = "x/manifest.csv") -> tuple[Plan, Report]:
    report = Report()
    return read_manifest(read_csv(text.encode(), name=name), SOURCES, report), report


def test_rows_name_files_from_the_manifests_own_folder() -> None:
    plan, report = read("path,item,condition,role,sex\none.wav,i1,codec,,F\n./two.wav,i1,clean,reference,F\n")
    assert plan.cells == [Cell("i1", "codec", "x/one.wav"), Cell("i1", "clean", "x/two.wav")]
    assert plan.conditions == {"codec": "test", "clean": "reference"}
    assert plan.items == {"i1": {"sex": "F"}}
    assert [ignored.path for ignored in plan.ignored] == ["x/all.aup3"]
    assert not report.findings


def test_parts_of_files_are_given_in_samples_and_clips_by_number() -> None:
    text = "path,condition,item,start_samples,stop_samples,clip\none.wav,a,i,0,48000,\nx/all.aup3,b,i,,,2\n"
    plan, _ = read(text)
    assert plan.cells == [Cell("i", "a", "x/one.wav", start=0, stop=48000), Cell("i", "b", "x/all.aup3", clip=2)]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("gone.wav,i,a,,,,", "which is not there"),
        ("one.wav,i,a,king,,,", "'king' is no role"),
        ("one.wav,i,a,,5,,", "belong together"),
        ("one.wav,i,a,,9,5,", "the start comes first"),
        ("one.wav,i,a,,x,y,", "whole numbers"),
        ("one.wav,i,a,,,,1", "Audacity projects and nothing else"),
        ("all.aup3,i,a,,,,", "Audacity projects and nothing else"),
        ("all.aup3,i,a,,,,0", "counted from 1"),
    ],
)
def test_a_row_that_cannot_be_followed_is_told_with_its_line(row: str, problem: str) -> None:
    _, report = read(f"path,item,condition,role,start_samples,stop_samples,clip\n{row}\n")
    assert problem in str(report.errors[0])
    assert "Line 2" in str(report.errors[0])


def test_a_condition_has_one_role_and_an_item_one_value_of_a_factor() -> None:
    _, report = read("path,item,condition,role,sex\none.wav,i,a,test,F\ntwo.wav,j,a,anchor,F\n")
    assert "was 'test' in a line before it and is 'anchor' here" in str(report.errors[0])
    _, report = read("path,item,condition,sex\none.wav,i,a,F\ntwo.wav,i,b,M\n")
    assert "gives 'sex' of item 'i' another value" in str(report.errors[0])


def test_a_manifest_is_known_by_its_name_or_its_columns() -> None:
    assert is_manifest(read_csv(b"path,item\n", name="a/Manifest.csv"))
    assert is_manifest(read_csv(b"path,item,condition\n", name="list.csv"))
    assert not is_manifest(read_csv(b"path,sex\n", name="list.csv"))
    with raises_error("import.layout_unfit"):
        read("path,sex\none.wav,F\n")
