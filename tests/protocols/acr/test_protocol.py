"""Absolute category rating: what P.800 fixes, and how answers are read."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from listening.panels.services.session_settings import session_settings_of
from protocols.acr import demo
from protocols.acr.protocol import AbsoluteCategoryRating
from rating.models import Ballot
from rating.protocol import Answer, Entry, InvalidAnswer, LabelStatus, Mark, Slot, TrialKind, TrialPlan
from tests.factories import make_user
from tests.scale import ALL

ACR = AbsoluteCategoryRating()
PAGE = TrialPlan(slots=(Slot("a", Entry("s1", "i1", "c1")),), ask=("QUALITY",))


def answer(**changes: Any) -> dict[str, Any]:
    return {"marks": [{"slot": "a", "scale": "QUALITY", "value": 4} | changes]}


def test_the_english_words_are_those_of_p800_best_first() -> None:
    labels = ACR.label_set("acr-en-1")
    assert labels.status is LabelStatus.OFFICIAL
    assert labels.scales["QUALITY"].anchors == ((5, "Excellent"), (4, "Good"), (3, "Fair"), (2, "Poor"), (1, "Bad"))


def test_the_french_words_are_a_draft() -> None:
    assert ACR.label_set("acr-fr-1").status is LabelStatus.DRAFT


def test_a_clip_is_heard_once_unless_the_experiment_says_otherwise() -> None:
    assert ACR.defaults["plays_allowed"] == 1


@pytest.mark.parametrize("value", [1, 2, 3, 4, 5, 3.0])
def test_the_five_categories_are_accepted(value: float) -> None:
    assert ACR.read(answer(value=value), PAGE) == Answer(marks=(Mark("a", "QUALITY", float(value)),))


@pytest.mark.parametrize("value", [0, 6, 2.5, -1, "4", True, None, [4], float("nan"), float("inf"), 10**400])
def test_anything_else_is_refused_with_the_values_that_would_be_right(value: Any) -> None:
    with pytest.raises(InvalidAnswer, match="QUALITY takes"):
        ACR.read(answer(value=value), PAGE)


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        ({"marks": []}, "no value for a/QUALITY"),
        ({"marks": [4]}, 'a list called "marks"'),
        ({"marks": "4"}, 'a list called "marks"'),
        (answer(scale="BAK"), "this page asks for a/QUALITY, not for a/BAK"),
        (answer(slot="b"), "this page asks for a/QUALITY, not for b/QUALITY"),
        ({"marks": answer()["marks"] * 2}, "answered twice"),
    ],
)
def test_an_error_says_what_is_wrong(payload: Any, problem: str) -> None:
    with pytest.raises(InvalidAnswer, match=problem):
        ACR.read(payload, PAGE)


@given(items=st.integers(1, 8), conditions=st.integers(1, 5), seed=st.integers())
def test_every_clip_is_heard_once_and_no_item_twice_in_a_row(items: int, conditions: int, seed: int) -> None:
    entries = [Entry(f"s{i}-{c}", f"i{i}", f"c{c}") for i in range(items) for c in range(conditions)]
    trials = list(ACR.plan(entries, ACR.defaults | {"practice": 0}, Random(seed)))
    heard = [trial.slots[0].entry for trial in trials]
    assert sorted(entry.stimulus for entry in heard) == sorted(entry.stimulus for entry in entries)
    if items > 1:
        assert all(before.item != after.item for before, after in pairwise(heard))


@given(items=st.integers(1, 6), conditions=st.integers(1, 4), practice=st.integers(0, 5), seed=st.integers())
def test_practice_comes_first_and_changes_nothing_of_what_counts(
    items: int, conditions: int, practice: int, seed: int
) -> None:
    entries = [Entry(f"s{i}-{c}", f"i{i}", f"c{c}") for i in range(items) for c in range(conditions)]
    trials = list(ACR.plan(entries, {"practice": practice}, Random(seed)))
    count = min(practice, len(entries))
    practised = [trial.slots[0].entry for trial in trials[:count]]
    assert {(trial.kind, trial.session) for trial in trials[:count]} <= {(TrialKind.PRACTICE, 0)}
    assert len({entry.stimulus for entry in practised}) == count
    assert len({entry.item for entry in practised}) == min(count, items), "as many items as there are"
    assert trials[count:] == list(ACR.plan(entries, {"practice": 0}, Random(seed)))


def test_three_practice_trials_are_the_default() -> None:
    entries = [Entry(f"s{i}", f"i{i}", "c") for i in range(8)]
    kinds = [trial.kind for trial in ACR.plan(entries, {}, Random(1))]
    assert kinds == [TrialKind.PRACTICE] * 3 + [TrialKind.TEST] * 8


@pytest.mark.django_db
def test_the_demo_begins_with_the_volume_and_practice(monkeypatch: pytest.MonkeyPatch) -> None:
    if not ALL:  # how long its sounds are decides nothing here
        monkeypatch.setattr(demo, "DURATION_S", 0.5)
    experiment = demo.build(owner=make_user())
    ballot = Ballot.objects.filter(experiment=experiment).earliest("seat__number")
    assert list(ballot.trials.order_by("position").values_list("session", flat=True)) == [0] * 3 + [1] * 12
    assert session_settings_of(experiment).level_check


@settings(max_examples=100 if ALL else 8)
@given(seed=st.integers(0, 200))
def test_the_bot_hears_the_conditions_in_the_same_order_in_every_panel(seed: int) -> None:
    """Simulated listeners differ, but the order of the conditions can be recovered from enough of them."""

    def mean(condition: str) -> float:
        rng, values = Random(seed), []
        for n in range(200):
            page = TrialPlan(slots=(Slot("a", Entry("s", f"i{n % 20}", condition)),), ask=("QUALITY",))
            values.append(ACR.example(page, rng, listener=f"{seed} {n}")["marks"][0]["value"])
        return float(sum(values) / len(values))

    centres = {name: Random(f"{name} QUALITY").uniform(1, 5) for name in "abcdefgh"}
    worst, best = min(centres, key=centres.__getitem__), max(centres, key=centres.__getitem__)
    assert mean(worst) < mean(best)
