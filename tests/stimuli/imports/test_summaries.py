"""Recordings with summaries: whose a summary is, and what it is called."""

import pytest

from stimuli.imports.summaries import summary_name
from tests.stimuli.imports.test_layouts import cells, planned


@pytest.mark.parametrize(
    ("path", "condition"),
    [
        ("A/A-1.wav", "1"),
        ("A/A_summaries/A-08.wav", "8"),
        ("A/a 3.mp3", "3"),
        ("A/A7.wav", "7"),
        ("A/02.wav", "2"),
        ("A/summary_2.wav", "2"),
        ("A/A_clip03.wav", "3"),
        ("A/A-greedy_z0.5.wav", "greedy_z0.5"),
        ("A/A_summaries/random.flac", "random"),
        ("A/average.wav", "average"),
        ("A/A-1 by hand.wav", "1 by hand"),
    ],
)
def test_a_summary_is_called_by_what_is_left_of_its_name(path: str, condition: str) -> None:
    assert summary_name(path, {"A"}) == condition


def test_named_summaries_are_conditions_that_all_recordings_share() -> None:
    paths = [f"{item}/{item}_full-length.mp3" for item in "AB"]
    paths += [f"{item}/{item}-{method}.mp3" for item in "AB" for method in ("random", "greedy_z0", "greedy_z1")]
    plan, report = planned(*paths)
    assert plan.conditions == {
        "full-length": "full-length",
        "random": "test",
        "greedy_z0": "test",
        "greedy_z1": "test",
    }
    assert ("B", "greedy_z1", "B/B-greedy_z1.mp3") in cells(plan)
    assert not report.errors


def test_a_summary_with_nothing_but_its_recordings_name_is_refused() -> None:
    _, report = planned("A/A_full-length.mp3", "A/A.wav")
    assert "'A/A.wav' does not say which summary it is" in str(report.errors[0])


def test_recordings_whose_files_are_called_alike_are_told_apart_by_their_folders() -> None:
    paths = [f"{day}/{name}" for day in ("monday", "tuesday") for name in ("rec_full-length.mp3", "rec-1.wav")]
    plan, report = planned(*paths)
    assert cells(plan) == {
        (day, condition, path)
        for day in ("monday", "tuesday")
        for condition, path in (("full-length", f"{day}/rec_full-length.mp3"), ("1", f"{day}/rec-1.wav"))
    }
    assert not report.errors


def test_a_second_full_length_recording_in_a_folder_is_an_error_with_both_names() -> None:
    _, report = planned("A/A_full-length.mp3", "A/A_full_length.wav")
    assert "A/A_full-length.mp3, A/A_full_length.wav would all be item 'A'" in str(report.errors[0])
