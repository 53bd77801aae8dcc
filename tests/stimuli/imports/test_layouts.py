"""Layouts: the folders of the studies are recognised, what is ambiguous is rejected, and every odd file is told."""

from pathlib import Path

import pytest

from audio.formats import Format
from stimuli.imports.layouts import check_cells, layout_of, plan_from_folders, role_of
from stimuli.imports.plans import Bundle, Plan
from stimuli.imports.reports import Report
from stimuli.imports.sources import Kind, SourceFile, files_in, judge
from tests.errors import raises_error

KINDS = {".aup3": Kind.PROJECT, ".csv": Kind.TABLE, ".txt": Kind.OTHER}


def found(*paths: str) -> list[SourceFile]:
    """Files as they would be after a look at their first bytes."""
    return [SourceFile(path, Path(path), 1, KINDS.get(Path(path).suffix, Kind.SOUND), Format.WAV) for path in paths]


def planned(*paths: str, layout: str = "auto") -> tuple[Plan, Report]:
    report = Report()
    sources = found(*paths)
    chosen = layout_of(sources, has_manifest=False) if layout == "auto" else layout
    plan = plan_from_folders(sources, chosen, report)
    check_cells(plan, report)
    return plan, report


def cells(plan: Plan) -> set[tuple[str, str, str]]:
    return {(cell.item, cell.condition, cell.path) for cell in plan.cells}


UDASE = [f"data/C{c}/S0{s}_P01.wav" for c in range(5) for s in range(3)] + [
    "data/ref/i01_f1.wav",
    "data/ref/i02_m2.wav",
]


def test_the_folders_of_the_p835_study_are_conditions_and_their_wrapper_is_not() -> None:
    plan, report = planned(*UDASE, "data/readme.txt")
    assert plan.layout == "conditions"
    assert plan.conditions == {f"C{c}": "test" for c in range(5)} | {"ref": "reference"}
    assert len(plan.items) == 5
    assert ("S01_P01", "C3", "data/C3/S01_P01.wav") in cells(plan)
    assert ("i02_m2", "ref", "data/ref/i02_m2.wav") in cells(plan)
    assert not report.errors


def test_conditions_are_found_by_equal_file_names_whatever_they_are_called() -> None:
    plan, _ = planned("noisy/a.wav", "noisy/b.wav", "my system/a.flac", "my system/b.wav", "anchor35/a.wav")
    assert plan.conditions == {"noisy": "test", "my system": "test", "anchor35": "anchor"}
    assert set(plan.items) == {"a", "b"}


def test_a_lone_folder_called_like_a_condition_is_one() -> None:
    plan, _ = planned("upload/C0/a.wav", "upload/C0/b.wav")
    assert (plan.layout, list(plan.conditions)) == ("conditions", ["C0"])


def test_deeper_folders_belong_to_the_item() -> None:
    plan, _ = planned("C0/day1/a.wav", "C0/day2/a.wav", "C1/day1/a.wav", "C1/day2/a.wav")
    assert set(plan.items) == {"day1/a", "day2/a"}


@pytest.mark.parametrize(
    ("name", "role"),
    [("ref", "reference"), ("Reference", "reference"), ("low_anchor", "anchor"), ("C1", "test"), ("refined", "test")],
)
def test_a_conditions_name_suggests_its_role(name: str, role: str) -> None:
    assert role_of(name) == role


@pytest.mark.parametrize(
    "spelling",
    [*("A_full-length.mp3", "A_full_length.mp3", "A_full.length.mp3"), "full-length.mp3", "a FULL length.mp3"],
)
def test_the_full_length_recording_is_known_in_every_spelling(spelling: str) -> None:
    plan, report = planned(f"set/A/{spelling}", "set/A/A_summaries/A-1.wav", "set/A/A_summaries/A-2.wav")
    assert plan.layout == "summaries"
    assert plan.conditions == {"full-length": "full-length", "1": "test", "2": "test"}
    assert set(plan.items) == {"A"}
    assert not report.errors


def test_five_folders_of_the_plane_study_become_five_items() -> None:
    paths = [f"{folder}/{folder}_full-length.mp3" for folder in "ABCDX"]
    paths += [f"{folder}/{folder}_summaries/{folder}-{n}.wav" for folder in "ABCD" for n in range(1, 9)]
    paths += [f"X/X_summaries/X-{n}.wav" for n in range(1, 8)]
    plan, report = planned(*paths)
    assert len(plan.cells) == 5 + 32 + 7
    assert list(plan.items) == ["A", "B", "C", "D", "X"]
    assert not report.errors


@pytest.mark.parametrize("bundle", ["A/A_summaries.aup3", "A/A_summaries.wav", "A/A summaries.flac"])
def test_summaries_in_one_file_are_a_bundle_to_be_looked_into(bundle: str) -> None:
    plan, _ = planned("A/A_full-length.mp3", bundle)
    assert plan.bundles == [Bundle(bundle, "A")]
    assert [cell.condition for cell in plan.cells] == ["full-length"]
    assert plan.bundles[0].cell(3, clip=3).condition == "3"


def test_summaries_in_two_forms_are_rejected() -> None:
    _, report = planned("A/A_full-length.mp3", "A/A_summaries.aup3", "A/A_summaries/A-1.wav")
    assert "more than one form" in str(report.errors[0])


def test_a_summary_without_its_recording_is_told_beside_the_good_ones() -> None:
    plan, report = planned("A/A_full-length.mp3", "A/A-1.wav", "B/B-1.wav")
    assert "'B/B-1.wav' belongs to no full-length recording" in str(report.errors[0])
    assert set(plan.items) == {"A"}


def test_recordings_beside_each_other_find_their_summaries_by_name() -> None:
    paths = ["A_full-length.mp3", "B_full-length.mp3", "A_summaries/A-1.wav", "B_summaries.aup3", "B-1.wav"]
    plan, report = planned(*paths[:4])
    assert cells(plan) >= {("A", "1", "A_summaries/A-1.wav"), ("B", "full-length", "B_full-length.mp3")}
    assert plan.bundles == [Bundle("B_summaries.aup3", "B")]
    assert not report.errors
    _, report = planned(*paths[:2], "C-1.wav")
    assert "'C-1.wav' belongs to no" in str(report.errors[0])


def test_single_files_are_items_under_one_condition() -> None:
    plan, _ = planned("clips/one.wav", "clips/two.mp3", "clips/session.aup3")
    assert plan.layout == "flat"
    assert cells(plan) == {("one", "original", "clips/one.wav"), ("two", "original", "clips/two.mp3")}
    assert plan.bundles == [Bundle("clips/session.aup3", "session", "original")]
    assert plan.bundles[0].cell(2, clip=2).item == "session-2"


def test_folders_that_share_nothing_are_not_guessed_at() -> None:
    with raises_error("import.layout_unclear", match="manifest"):
        planned("monday/a.wav", "tuesday/b.wav", "wednesday/c.wav")


def test_a_layout_that_was_asked_for_and_does_not_fit_is_rejected() -> None:
    with raises_error("import.layout_unfit", match="A_full-length"):
        planned("a.wav", layout="summaries")
    with raises_error("import.layout_unfit"):
        planned("a.wav", layout="conditions")


def test_two_files_for_one_cell_are_an_error_with_both_names() -> None:
    _, report = planned("C0/a.wav", "C0/a.flac", "C1/a.wav")
    assert "C0/a.wav, C0/a.flac" in str(report.errors[0])


def test_a_file_beside_the_condition_folders_is_an_error() -> None:
    _, report = planned("C0/a.wav", "C1/a.wav", "stray.wav")
    assert [finding.path for finding in report.errors] == ["stray.wav"]


def test_names_that_nobody_can_read_are_rejected() -> None:
    _, report = planned("C0/a\u202eb.wav", "C1/a\u202eb.wav")
    assert "is no name" in str(report.errors[0])


def test_the_first_bytes_decide_before_the_name() -> None:
    assert judge("music.dat", b"fLaC" + bytes(40)) == (Kind.SOUND, Format.FLAC)
    assert judge("trap.wav", b"#EXTM3U\n") == (Kind.SOUND, None)
    assert judge("table.csv", b"\xff\xfb\x90\x00") == (Kind.TABLE, None)
    assert judge("photo.bin", b"\xff\xfb\x90\x00" + bytes(40)) == (Kind.OTHER, None)


def test_a_folder_is_walked_without_litter_and_without_circles(tmp_path: Path) -> None:
    for path in ("C0/a.wav", ".DS_Store", "__MACOSX/C0/._a.wav", "C1/Thumbs.db"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"RIFF")
    (tmp_path / "C0" / "around").symlink_to(tmp_path)
    (tmp_path / "C2").symlink_to(tmp_path / "C0")
    assert [source.path for source in files_in(tmp_path)] == ["C0/a.wav", "C2/a.wav"]


def test_decomposed_names_meet_composed_ones(tmp_path: Path) -> None:
    (tmp_path / "e\u0301t\u00e9.wav").write_bytes(b"RIFF")
    assert [source.path for source in files_in(tmp_path)] == ["\u00e9t\u00e9.wav"]
