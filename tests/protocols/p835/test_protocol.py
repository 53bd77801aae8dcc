"""P.835: three presentations of a clip, OVRL last, references before everything else."""

from collections import Counter
from itertools import groupby, pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.p835.protocol import BACKGROUND_FIRST, SPEECH_FIRST, SpeechBackgroundOverall
from rating.protocol import Entry, InvalidAnswer, LabelStatus, Mark, TrialKind, TrialPlan

P835 = SpeechBackgroundOverall()


def entries(items: int, conditions: int, references: int) -> list[Entry]:
    rated = [Entry(f"{item}.{c}", f"item {item}", f"C{c}") for item in range(items) for c in range(conditions)]
    return rated + [Entry(f"ref {n}", f"ref {n}", "ref", role="reference") for n in range(references)]


def plan(items: int, conditions: int, references: int, sessions: int = 4, seed: int = 1) -> list[TrialPlan]:
    options = {"sessions": sessions, "practice": references}
    return list(P835.plan(entries(items, conditions, references), options, Random(seed)))


def triples(pages: list[TrialPlan]) -> list[tuple[TrialPlan, ...]]:
    return [tuple(pages[at : at + 3]) for at in range(0, len(pages), 3)]


def test_the_english_words_are_those_of_two_implementations_best_first() -> None:
    labels = P835.label_set("p835-en-1")
    assert labels.status is LabelStatus.PUBLISHED
    assert [word for _, word in labels.scales["BAK"].anchors] == [
        "Not noticeable",
        "Slightly noticeable",
        "Noticeable but not intrusive",
        "Somewhat intrusive",
        "Very intrusive",
    ]
    assert [labels.scales[scale].word for scale in SPEECH_FIRST] == ["SPEECH", "BACKGROUND", "OVERALL"]


def test_the_french_words_are_a_draft() -> None:
    assert P835.label_set("p835-fr-1").status is LabelStatus.DRAFT


def test_a_clip_is_three_pages_with_one_scale_each() -> None:
    pages = P835.trials_for([Entry("s", "i", "C0")], session=2, kind=TrialKind.TEST, scales=BACKGROUND_FIRST)
    assert [page.ask for page in pages] == [("BAK",), ("SIG",), ("OVRL",)]
    assert [P835.present(page) for page in pages] == [
        {"slots": ["a"], "ask": [scale], "part": part, "order": ["BAK", "SIG", "OVRL"]}
        for part, scale in enumerate(BACKGROUND_FIRST, start=1)
    ]
    assert {(page.session, page.kind) for page in pages} == {(2, TrialKind.TEST)}


@given(
    items=st.integers(1, 9), conditions=st.integers(1, 5), references=st.integers(0, 8), sessions=st.integers(1, 5),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_a_seat_by_itself_hears_everything_once_in_sessions_of_equal_length(
    items: int, conditions: int, references: int, sessions: int, seed: int
) -> None:
    shown = triples(plan(items, conditions, references, sessions, seed))
    assert len(shown) == items * conditions + references
    heard = [three[0].slots[0].entry.stimulus for three in shown]
    assert sorted(heard) == sorted(entry.stimulus for entry in entries(items, conditions, references))
    for three in shown:
        assert len({page.slots[0].entry.stimulus for page in three}) == 1
        assert tuple(page.ask[0] for page in three) in (SPEECH_FIRST, BACKGROUND_FIRST)
    numbers = [three[0].session for three in shown]
    assert numbers == sorted(numbers)
    lengths = Counter(number for number in numbers if number)
    assert max(lengths) <= sessions
    assert max(lengths.values()) - min(lengths.values()) <= 1


def test_without_references_a_few_clips_are_practised_and_0_means_none_of_either() -> None:
    def practised(references: int, practice: int) -> list[str]:
        options = {"sessions": 2, "practice": practice}
        pages = P835.plan(entries(4, 2, references), options, Random(1))
        return [page.slots[0].entry.role for page in pages if page.kind is TrialKind.PRACTICE]

    assert practised(0, 3) == ["test"] * 9
    assert practised(2, 3) == ["reference"] * 6
    assert practised(2, 0) == practised(0, 0) == []


def test_references_come_first_as_practice_half_in_either_order() -> None:
    anchoring = [three for three in triples(plan(4, 2, 8)) if three[0].session == 0]
    assert {page.kind for three in anchoring for page in three} == {TrialKind.PRACTICE}
    assert {three[0].slots[0].entry.role for three in anchoring} == {"reference"}
    orders = [tuple(page.ask[0] for page in three) for three in anchoring]
    assert [(order, len(list(run))) for order, run in groupby(orders)] == [(orders[0], 4), (orders[-1], 4)]
    assert {orders[0], orders[-1]} == {SPEECH_FIRST, BACKGROUND_FIRST}


def test_the_order_of_scales_changes_once_half_way_through_the_sessions() -> None:
    rated = [three for three in triples(plan(8, 5, 0)) if three[0].session]
    order_of = {three[0].session: tuple(page.ask[0] for page in three) for three in rated}
    assert order_of[1] == order_of[2] != order_of[3] == order_of[4]


def test_no_item_comes_twice_in_a_row_where_it_can_be_avoided() -> None:
    for seed in range(20):
        items = [three[0].slots[0].entry.item for three in triples(plan(6, 5, 0, seed=seed))]
        assert all(left != right for left, right in pairwise(items))


@pytest.mark.parametrize("payload", [
    {"marks": [{"slot": "a", "scale": "OVRL", "value": 3}]},
    {"marks": [{"slot": "a", "scale": "SIG", "value": 6}]},
    {"marks": [{"slot": "a", "scale": "SIG", "value": 3}, {"slot": "a", "scale": "BAK", "value": 3}]},
    {"marks": []},
])  # fmt: skip
def test_only_the_scale_that_was_asked_for_is_taken(payload: Any) -> None:
    page = P835.trials_for([Entry("s", "i", "C0")], session=1, kind=TrialKind.TEST, scales=SPEECH_FIRST)[0]
    assert P835.read({"marks": [{"slot": "a", "scale": "SIG", "value": 3}]}, page).marks == (Mark("a", "SIG", 3.0),)
    with pytest.raises(InvalidAnswer):
        P835.read(payload, page)
