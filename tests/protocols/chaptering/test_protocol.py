"""Chaptering: one page a recording, boundaries in order of time inside it, titles where they are wanted."""

from random import Random
from typing import Any

import pytest

from protocols.chaptering.protocol import Chaptering
from rating.protocol import Entry, InvalidAnswer, MaterialUnfit, TrialPlan

PROTOCOL = Chaptering()
WORDS = {"kind": "transcript", "text": "Good evening.", "tokens": None}


def entry(item: str, condition: str = "recording", **parts: Any) -> Entry:
    return Entry(stimulus=f"{item} {condition}", item=item, condition=condition, duration_s=60.0, **parts)


def pages(*entries: Entry, **options: Any) -> list[TrialPlan]:
    return list(PROTOCOL.plan(entries, options, Random(1)))


def page(**options: Any) -> TrialPlan:
    return pages(entry("a"), **options)[0]


def boundary(at_s: Any, title: Any = "") -> dict[str, Any]:
    return {"at_s": at_s, "title": title}


def test_a_recording_is_one_page_with_its_transcript_where_that_is_shown() -> None:
    both = [entry("a"), entry("a", "words", text=WORDS)]
    assert [slot.key for slot in pages(*both)[0].slots] == ["full", "transcript"]
    assert [slot.key for slot in pages(*both, transcript=False)[0].slots] == ["full"]
    assert len(pages(entry("a"), entry("b"), entry("c"))) == 3


def test_of_several_sounds_the_full_length_one_is_heard() -> None:
    sounds = [entry("a", "short"), entry("a", "whole", role="full-length")]
    assert pages(*sounds)[0].slots[0].entry.condition == "whole"
    with pytest.raises(MaterialUnfit):
        pages(entry("a", "x"), entry("a", "y"))


def test_an_answer_tells_boundaries_titles_and_how_much_was_heard() -> None:
    payload = {
        "boundaries": [boundary(10.25, "Rain"), boundary(30)],
        "opening": "Birds",
        "listened": {"full": [[0, 20], [15, 25], [50, 90]], "plays": 3},
        "finished": True,
    }
    answer = PROTOCOL.read(payload, page())
    assert answer.whole
    assert [mark.value for mark in answer.marks] == [3.0]
    assert answer.detail == {
        "boundaries_s": [10.25, 30.0],
        "titles": [["Birds", 0.0], ["Rain", 10.25], ["", 30.0]],
        "heard_s": 35.0,
    }


def test_a_step_on_the_way_is_a_draft_and_no_boundary_is_a_whole_answer() -> None:
    assert not PROTOCOL.read({"boundaries": [boundary(1)]}, page()).whole
    assert PROTOCOL.read({"boundaries": [], "finished": True}, page()).marks[0].value == 1.0


@pytest.mark.parametrize(
    ("boundaries", "says"),
    [
        ([boundary(0)], "inside the recording"),
        ([boundary(60)], "inside the recording"),
        ([boundary(61)], "number from 0 to 60"),
        ([boundary(20), boundary(10)], "order of time"),
        ([boundary(10), boundary(10)], "order of time"),
        ([boundary(10, "x" * 301)], "at most 300"),
    ],
)
def test_boundaries_lie_inside_in_order_and_once(boundaries: list[Any], says: str) -> None:
    with pytest.raises(InvalidAnswer, match=says):
        PROTOCOL.read({"boundaries": boundaries}, page())


def test_titles_that_are_needed_are_asked_for_at_the_end_only() -> None:
    needed = page(titles_needed=True)
    half = {"boundaries": [boundary(10, "Rain")], "opening": " "}
    assert not PROTOCOL.read(half, needed).whole
    with pytest.raises(InvalidAnswer, match="every chapter needs a title"):
        PROTOCOL.read({**half, "finished": True}, needed)
    assert PROTOCOL.read({**half, "opening": "Birds", "finished": True}, needed).whole
    assert PROTOCOL.read({**half, "finished": True}, page(titles=False, titles_needed=True)).whole


@pytest.mark.parametrize("heard", [[[0]], [[0, 1, 2]], [["a", 1]], [[0, 1e9]], "all"])
def test_passages_that_cannot_have_been_heard_are_refused(heard: Any) -> None:
    with pytest.raises(InvalidAnswer):
        PROTOCOL.read({"boundaries": [], "listened": {"full": heard}}, page())


def test_simulated_people_half_agree() -> None:
    told = [PROTOCOL.example(page(), Random(seed))["boundaries"] for seed in range(20)]
    assert len({len(each) for each in told}) > 1
    firsts = [each[0]["at_s"] for each in told if each and each[0]["title"] == "Part 2"]
    assert len(set(firsts)) > 1
    assert max(firsts) - min(firsts) < 3
