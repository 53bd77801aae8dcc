"""Speech summaries: makers pick words by position within a range, judges rate shuffled versions of hidden source."""

from random import Random
from typing import Any

import pytest

from protocols.speech_summaries.protocol import JUDGE, MAKER, SpeechSummaries, words_allowed
from rating.protocol import Entry, InvalidAnswer, Mark, MaterialUnfit, OptionUnfit, TrialPlan

PROTOCOL = SpeechSummaries()
WORDS = ["rain", "fell", "on", "the", "old", "harbour", "and", "on", "the", "bridge"]
VERSIONS = [f"system{n:02d}" for n in range(12)]


def text(item: str, condition: str, words: list[str], role: str = "test") -> Entry:
    return Entry(f"{item} {condition}", item, condition, role=role, text={"kind": "tokens", "tokens": words})


def utterance(item: str = "u1", *, sound: bool = True) -> list[Entry]:
    heard = [Entry(f"{item} original", item, "original", duration_s=3)] if sound else []
    return [*heard, text(item, "spoken", WORDS, "reference"), *(text(item, name, WORDS[:3]) for name in VERSIONS)]


def page(group: str, entries: list[Entry] | None = None, seed: int = 1, **options: Any) -> TrialPlan:
    given = utterance() if entries is None else entries
    (made,) = PROTOCOL.plan(given, {**PROTOCOL.defaults, **options, "group": group}, Random(seed))
    # Slots come back from the database in the order of their keys.
    return TrialPlan(tuple(sorted(made.slots, key=lambda slot: slot.key)), made.ask, detail=made.detail)


def refused(payload: Any, trial: TrialPlan) -> str:
    with pytest.raises(InvalidAnswer) as error:
        PROTOCOL.read(payload, trial)
    return str(error.value)


# --- Makers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "ratio", "tolerance", "expected"),
    [
        (100, 0.4, 0.02, (38, 42)),
        (9, 0.56, 0.05, (5, 5)),  # the example of the paper
        (10, 0.4, 0.1, (3, 5)),  # both ends belong to it
        (4, 0.55, 0.01, (2, 2)),  # none is within: the nearest
        (3, 0.5, 0.01, (1, 1)),  # two are equally near: the fewer
        (1, 0.1, 0.0, (1, 1)),
        (10, 1.0, 0.0, (10, 10)),
    ],
)
def test_how_many_words_may_be_picked(count: int, ratio: float, tolerance: float, expected: tuple[int, int]) -> None:
    assert words_allowed(count, ratio, tolerance) == expected


def test_a_maker_sees_the_transcript_its_sound_and_how_many_words_are_wanted() -> None:
    trial = page(MAKER, tolerance=0.1)
    assert [slot.key for slot in trial.slots] == ["sound", "transcript"]
    assert PROTOCOL.present(trial) == {
        "versions": [],
        "ask": ["WORDS"],
        "group": "maker",
        "ratio": 0.4,
        "target": 4,
        "least": 3,
        "most": 5,
    }


def test_sound_is_left_out_on_request_or_where_there_is_none() -> None:
    assert [slot.key for slot in page(MAKER, sound=False).slots] == ["transcript"]
    assert [slot.key for slot in page(MAKER, utterance(sound=False)).slots] == ["transcript"]


def test_picks_are_kept_as_positions_and_equal_words_differ() -> None:
    first, second = (PROTOCOL.read({"picked": [1, 2, on, 10], "finished": True}, page(MAKER)) for on in (3, 8))
    assert first.detail == {"picked": [1, 2, 3, 10]}
    assert second.detail == {"picked": [1, 2, 8, 10]}
    assert first.marks == (Mark("transcript", "WORDS", 4.0),)
    assert first.whole


def test_a_draft_may_have_any_length_and_a_whole_answer_may_not() -> None:
    trial = page(MAKER)
    assert not PROTOCOL.read({"picked": []}, trial).whole
    assert not PROTOCOL.read({"picked": [1], "listened": {"plays": 2}}, trial).whole
    assert "4 to 4 words, not 1" in refused({"picked": [1], "finished": True}, trial)
    assert "not 5" in refused({"picked": [1, 2, 3, 4, 5], "finished": True}, trial)


@pytest.mark.parametrize("picked", [[2, 1], [1, 1], [0], [11], [1.0], ["1"], [True], "12", None])
def test_what_is_no_choice_of_positions_is_refused(picked: Any) -> None:
    assert refused({"picked": picked}, page(MAKER))


# --- Judges -----------------------------------------------------------------------------------------------------------


def test_versions_are_numbered_in_an_order_of_the_judges_own_and_keep_it() -> None:
    orders = {
        tuple(slot.entry.condition for slot in sorted(page(JUDGE, seed=seed).slots, key=_number) if slot.key[0] == "v")
        for seed in range(5)
    }
    assert len(orders) > 1
    assert all(sorted(order) == VERSIONS for order in orders)
    assert PROTOCOL.present(page(JUDGE))["versions"] == [f"v{n}" for n in range(1, 13)]


def _number(slot: Any) -> int:
    return int(slot.key[1:]) if slot.key[0] == "v" else 0


def test_every_version_needs_a_whole_number_from_1_to_5() -> None:
    trial = page(JUDGE)
    marks = {f"v{n}": 1 + n % 5 for n in range(1, 13)}
    answer = PROTOCOL.read({"marks": marks, "comment": "Short ones are hard.", "finished": True}, trial)
    assert {mark.slot: mark.value for mark in answer.marks} == marks
    assert answer.detail == {"comment": "Short ones are hard."}
    assert not PROTOCOL.read({"marks": {"v3": 2}}, trial).whole
    assert "still open: v3" in refused(
        {"marks": marks | {"v3": 6}, "finished": True} | {"marks": _without(marks)}, trial
    )
    for wrong in (0, 6, 2.5, "3", None):
        assert refused({"marks": {"v1": wrong}}, trial)
    assert refused({"marks": {"transcript": 3}}, trial)


def _without(marks: dict[str, int]) -> dict[str, int]:
    return {key: value for key, value in marks.items() if key != "v3"}


# --- Material and options ---------------------------------------------------------------------------------------------


def test_an_utterance_needs_one_transcript_and_for_judges_a_version() -> None:
    with pytest.raises(MaterialUnfit, match="has 0 transcripts"):
        page(MAKER, [text("u1", "x", WORDS)])
    with pytest.raises(MaterialUnfit, match="has 2 transcripts"):
        page(MAKER, [text("u1", "x", WORDS, "reference"), text("u1", "y", WORDS, "reference")])
    with pytest.raises(MaterialUnfit, match="no versions to judge"):
        page(JUDGE, [text("u1", "x", WORDS, "reference")])


@pytest.mark.parametrize("options", [{"ratio": 0.0}, {"ratio": 1.5}, {"tolerance": 1.0}])
def test_a_ratio_is_a_share_of_the_words(options: dict[str, float]) -> None:
    with pytest.raises(OptionUnfit):
        PROTOCOL.check_options(options, {})
    PROTOCOL.check_options({"ratio": 1.0, "tolerance": 0.0}, {})


def test_bots_of_both_groups_give_whole_answers() -> None:
    for group in (MAKER, JUDGE):
        trial = page(group)
        assert all(PROTOCOL.read(PROTOCOL.example(trial, Random(seed)), trial).whole for seed in range(20))
