"""Ballots: drawn from a seed, frozen, and shown without a name."""

from itertools import pairwise

import pytest

from rating.models import Ballot, Slot
from rating.services.ballots import open_ballot
from rating.services.pages import pages
from tests.factories import make_experiment

pytestmark = pytest.mark.django_db


def heard(ballot: Ballot) -> list[tuple[str, str]]:
    return list(
        Slot.objects.filter(trial__ballot=ballot)
        .order_by("trial__position", "key")
        .values_list("stimulus__item__name", "stimulus__condition__name")
    )


def test_the_same_seed_draws_the_same_trials_even_in_another_collection() -> None:
    one, other = make_experiment(items=3, conditions=3), make_experiment(items=3, conditions=3)
    first, second = open_ballot(experiment=one, seed="7"), open_ballot(experiment=other, seed="7")
    assert heard(first) == heard(second)
    assert first.plan_sha256 == second.plan_sha256


def test_another_seed_draws_another_order_of_the_same_stimuli() -> None:
    experiment = make_experiment(items=4, conditions=3)
    first, second = open_ballot(experiment=experiment, seed="1"), open_ballot(experiment=experiment, seed="2")
    assert heard(first) != heard(second)
    assert sorted(heard(first)) == sorted(heard(second))
    assert len(heard(first)) == 12


def test_no_item_is_heard_twice_in_a_row_where_it_can_be_avoided() -> None:
    experiment = make_experiment(items=4, conditions=3)
    for seed in range(20):
        items = [item for item, _ in heard(open_ballot(experiment=experiment, seed=str(seed)))]
        assert all(left != right for left, right in pairwise(items))


def test_no_stimulus_is_linked_between_seats_by_an_id() -> None:
    experiment = make_experiment()
    open_ballot(experiment=experiment, seed="1")
    open_ballot(experiment=experiment, seed="2")
    assert Slot.objects.values("media").distinct().count() == Slot.objects.count() == 8


def test_a_page_carries_exactly_what_the_browser_needs() -> None:
    page = pages(ballot=open_ballot(experiment=make_experiment(), seed="1"), limit=1)[0]
    assert set(page) == {
        "trial", "position", "session", "kind", "revision", "view", "plays_allowed",
        "options", "page", "media", "texts", "labels", "draft", "answered", "example",
    }  # fmt: skip
    assert page["page"] == {"slots": ["a"], "ask": ["QUALITY"]}
    assert page["labels"]["QUALITY"]["language"] == "en"
    assert [anchor["label"] for anchor in page["labels"]["QUALITY"]["anchors"]] == [
        "Excellent",
        "Good",
        "Fair",
        "Poor",
        "Bad",
    ]
