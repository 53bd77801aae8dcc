"""Checks of a collection: each finds what it is for, says so in a sentence, and is quiet about what is right."""

import json
from dataclasses import replace
from typing import Any

import pytest

from audio.formats import Shape
from audio.partial_results import Measures
from audio.quality_checks import KINDS, Cell, Options, Severity, SoundFinding, check_sounds

SHAPE = Shape("wav", 16000, 1, 5 * 16000, 16)
MEASURES = Measures(
    integrated_lufs=-30.0,
    loudness_range_lu=3.0,
    true_peak_dbtp=-9.0,
    sample_peak_dbfs=-9.5,
    dc_offset=0.0001,
    clipped_samples=0,
    leading_silence_s=0.1,
    trailing_silence_s=0.1,
    longest_silence_s=0.4,
)
ITEMS, CONDITIONS = ("a", "b"), ("C0", "C1", "C2")


def cell(item: str, condition: str, role: str = "test", **changes: Any) -> Cell:
    """A cell in which all is well, but for what a test changes in its shape or measures."""
    shape = {name: value for name, value in changes.items() if name in Shape.__annotations__}
    measures = {name: value for name, value in changes.items() if name in Measures.__annotations__}
    digest = changes.get("sha256", f"{item}-{condition}")
    return Cell(item, condition, role, replace(SHAPE, **shape), replace(MEASURES, **measures), digest)


def matrix(**changes: Any) -> list[Cell]:
    """A whole matrix, of which the cell b x C1 is changed."""
    cells = [cell(item, condition) for item in ITEMS for condition in CONDITIONS]
    return [cell("b", "C1", **changes) if (one.item, one.condition) == ("b", "C1") else one for one in cells]


def found(cells: list[Cell], options: Options | None = None) -> list[SoundFinding]:
    return check_sounds(cells, ITEMS, CONDITIONS, options)


def test_nothing_is_said_about_a_collection_that_is_right() -> None:
    assert found(matrix(), Options(target_lufs=-30, shortest_s=4, longest_s=5)) == []


@pytest.mark.parametrize(
    ("changes", "options", "code", "severity", "says"),
    [
        ({"clipped_samples": 12}, Options(), "sound.clipped", "warning", "12 samples are clipped"),
        ({"true_peak_dbtp": -0.94}, Options(), "sound.true_peak", "warning", "-0.9 dBTP; -1 dBTP or less"),
        ({"dc_offset": -0.02}, Options(), "sound.dc_offset", "warning", "2.0 percent"),
        ({"leading_silence_s": 1.5}, Options(), "sound.silent_start", "warning", "begins with 1.50 s"),
        ({"trailing_silence_s": 1.01}, Options(), "sound.silent_end", "warning", "ends with 1.01 s"),
        ({"longest_silence_s": 2.5}, Options(), "sound.gap", "note", "silent for 2.50 s inside"),
        ({"integrated_lufs": -30.6}, Options(target_lufs=-30), "level.off_target", "warning", "-30.6 LUFS; -30 LUFS"),
        ({"integrated_lufs": None}, Options(target_lufs=-30), "level.unmeasured", "note", "level was not checked"),
        ({"length_samples": 79999}, Options(shortest_s=5), "sound.short", "error", "at least 5 s"),
        ({"length_samples": 80001}, Options(longest_s=5), "sound.long", "error", "at most 5 s"),
    ],
)
def test_a_fault_of_one_sound_is_found_in_its_cell(
    changes: dict[str, Any], options: Options, code: str, severity: str, says: str
) -> None:
    (one,) = found(matrix(**changes), options)
    assert (one.code, one.severity, one.item, one.condition) == (code, severity, "b", "C1")
    assert says in str(one)


@pytest.mark.parametrize(
    ("changes", "options"),
    [
        ({"true_peak_dbtp": -1.0}, Options()),
        ({"dc_offset": 0.005}, Options()),
        ({"leading_silence_s": 1.0, "longest_silence_s": 1.0}, Options()),
        ({"longest_silence_s": 2.0}, Options()),
        ({"integrated_lufs": -30.5}, Options(target_lufs=-30)),
        ({"integrated_lufs": -30.9}, Options()),
        ({"length_samples": 80000 + 320}, Options()),
        ({"true_peak_dbtp": None, "integrated_lufs": None}, Options()),
    ],
)
def test_what_is_just_allowed_is_not_mentioned(changes: dict[str, Any], options: Options) -> None:
    assert found(matrix(**changes), options) == []


def test_a_silent_sound_is_an_error_and_nothing_else_is_said_of_it() -> None:
    silence = {"leading_silence_s": 5.0, "trailing_silence_s": 5.0, "longest_silence_s": 5.0}
    (one,) = found(matrix(**silence, integrated_lufs=None), Options(target_lufs=-30))
    assert (one.code, one.severity) == ("sound.silent", Severity.ERROR)


def test_a_silent_start_is_not_reported_again_as_a_gap() -> None:
    (one,) = found(matrix(leading_silence_s=3.0, longest_silence_s=3.0))
    assert one.code == "sound.silent_start"


@pytest.mark.parametrize(
    ("changes", "codes", "says"),
    [
        (
            {"sample_rate_hz": 48000, "length_samples": 5 * 48000},
            {"item.rates_differ", "collection.rates_differ"},
            "16000 Hz (C0, C2), 48000 Hz (C1)",
        ),
        ({"channels": 2}, {"item.channels_differ", "collection.channels_differ"}, "1 (C0, C2), 2 (C1)"),
        ({"length_samples": 80000 + 400}, {"item.lengths_differ"}, "C0 lasts 5.000 s and C1 5.025 s"),
        ({"integrated_lufs": -31.2}, {"level.spread"}, "C1 has -31.2 LUFS and C0 -30.0 LUFS"),
        ({"sha256": "b-C0"}, {"cell.identical"}, "C0, C1 hold the same file"),
    ],
)
def test_conditions_of_an_item_that_differ_are_found(changes: dict[str, Any], codes: set[str], says: str) -> None:
    about = found(matrix(**changes))
    assert {one.code for one in about} == codes
    assert says in str(about[0])
    assert (about[0].item, about[0].severity) == ("b", Severity.WARNING)


@pytest.mark.parametrize(("bits", "called"), [(24, "24 bits"), (20, "20 bits"), (32, "floating point")])
def test_bit_depths_that_differ_are_told_by_condition(bits: int, called: str) -> None:
    (told,) = found(matrix(bits=bits))
    assert (told.code, told.severity, told.item) == ("collection.depths_differ", Severity.WARNING, "")
    assert f"16 bits (C0, C1, C2), {called} (C1)" in str(told)
    assert "every clip with 16 bits" in str(told)


def test_a_full_length_recording_and_floating_point_beside_24_bits_are_no_other_depth() -> None:
    fine = [cell("a", condition, bits=bits) for condition, bits in (("C0", 24), ("C1", 32), ("C2", 24))]
    assert check_sounds([*fine, cell("a", "day", "full-length")], ("a",), (*CONDITIONS, "day")) == []


def test_the_same_file_under_two_items_is_found_in_both_places() -> None:
    about = found(matrix(sha256="a-C1"))
    assert [(one.code, one.item, one.condition) for one in about] == [
        ("cell.repeated", "a", "C1"),
        ("cell.repeated", "b", "C1"),
    ]
    assert "other items too: b." in str(about[0])


def test_an_empty_cell_is_an_error_with_its_place() -> None:
    cells = [one for one in matrix() if (one.item, one.condition) != ("b", "C1")]
    (one,) = found(cells)
    assert (one.code, one.severity, one.item, one.condition) == ("cell.missing", Severity.ERROR, "b", "C1")
    assert {(one.item, one.condition) for one in found([])} == {(i, c) for i in ITEMS for c in CONDITIONS}


def test_a_reference_that_only_some_items_have_is_a_warning() -> None:
    cells = [*matrix(), cell("a", "ref", "reference")]
    (one,) = check_sounds(cells, ITEMS, (*CONDITIONS, "ref"))
    assert (one.code, one.severity, one.item, one.condition) == ("cell.missing_beside", "warning", "b", "ref")


def test_references_of_an_anchoring_session_are_material_of_their_own() -> None:
    cells = [*matrix(), cell("i01_f1", "ref", "reference"), cell("i02_m1", "ref", "reference")]
    assert check_sounds(cells, (*ITEMS, "i01_f1", "i02_m1"), (*CONDITIONS, "ref")) == []


def test_excerpts_beside_a_full_length_recording_may_differ() -> None:
    day = {"length_samples": 24 * 3600 * 16000, "longest_silence_s": 3600.0, "leading_silence_s": 60.0}
    cells = [
        cell("A", "full-length", "full-length", **day, integrated_lufs=-40.0),
        cell("A", "1", length_samples=60 * 16000, integrated_lufs=-20.0),
        cell("A", "2", length_samples=90 * 16000, integrated_lufs=-35.0),
    ]
    assert check_sounds(cells, ["A"], ["full-length", "1", "2"], Options(shortest_s=10, longest_s=120)) == []


def test_texts_fill_a_cell_and_have_nothing_to_measure() -> None:
    cells = [Cell(item, condition, "test", None, None, "") for item in ITEMS for condition in CONDITIONS]
    assert found(cells, Options(target_lufs=-30, shortest_s=1)) == []


def test_a_recording_that_is_not_measured_yet_is_judged_by_its_shape() -> None:
    cells = [replace(one, measures=None) for one in matrix(length_samples=16000)]
    assert {one.code for one in found(cells, Options(shortest_s=4))} == {"sound.short", "item.lengths_differ"}


def test_the_worst_comes_first() -> None:
    cells = [
        *(one for one in matrix(clipped_samples=5, longest_silence_s=3.0) if one.condition != "C2"),
        cell("a", "C2", sample_rate_hz=8000, length_samples=40000),
    ]
    severities = [one.severity for one in found(cells)]
    assert severities == sorted(severities, key=list(Severity).index)
    assert set(severities) == set(Severity)


def test_many_names_are_cut_short() -> None:
    cells = [cell(f"talker {n}", "C0", sha256="same") for n in range(9)]
    about = check_sounds(cells, [one.item for one in cells], ["C0"])
    assert len(about) == 9
    assert str(about[0]).count("talker ") == 5
    assert "(8)" in str(about[0])


def test_a_finding_can_be_stored_and_said_in_another_language() -> None:
    (one,) = found(matrix(clipped_samples=12))
    stored = json.loads(json.dumps(one.to_json()))
    assert SoundFinding(**{**stored, "severity": Severity(stored["severity"])}) == one
    assert one.say("{clipped_samples} échantillons sont écrêtés.") == "12 échantillons sont écrêtés."


def test_every_kind_of_finding_is_found_by_some_check() -> None:
    cells = [
        *matrix(
            clipped_samples=3,
            true_peak_dbtp=0.0,
            dc_offset=0.1,
            longest_silence_s=4.0,
            leading_silence_s=2.0,
            trailing_silence_s=2.0,
            integrated_lufs=-20.0,
        )[:-1],
        cell("c", "C0", sample_rate_hz=8000, integrated_lufs=None),
        cell("c", "C1", channels=2, bits=24, sha256="a-C1", leading_silence_s=9.0),
        cell("c", "C2", length_samples=16000, sha256="a-C1"),
        cell("a", "ref", "reference"),
        cell("d", "day", "full-length"),
        cell("d", "C0", format="mp3"),
        cell("d", "C1", sha256="d-C1"),
    ]
    options = Options(target_lufs=-30, shortest_s=2, longest_s=6)
    about = check_sounds(cells, (*ITEMS, "c", "d"), (*CONDITIONS, "ref", "day"), options)
    assert {one.code for one in about} == set(KINDS)
    for one in about:
        assert str(one).endswith(".")
        assert "{" not in str(one)
