"""Degradation category rating: what P.800 fixes, pairs with and without a design, and how answers are read."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from listening.design.base import DesignRequest
from listening.panels.services import designs
from listening.panels.services.material import material_of
from protocols.dcr import demo
from protocols.dcr.protocol import DegradationCategoryRating
from rating.models import Ballot, Experiment, Trial
from rating.options import check_options
from rating.protocol import Answer, Entry, InvalidAnswer, LabelStatus, Mark, MaterialUnfit, OptionUnfit, TrialPlan
from rating.services.pages import pages
from tests.factories import make_experiment, make_user
from tests.scale import ALL

DCR = DegradationCategoryRating()
ITEMS, CONDITIONS = ("p", "q", "r"), ("clean", "x", "y")
ENTRIES = [
    Entry(f"{item}-{condition}", item, condition, "reference" if condition == "clean" else "test")
    for item in ITEMS
    for condition in CONDITIONS
]


def planned(seed: int = 1) -> list[TrialPlan]:
    return list(DCR.plan(ENTRIES, DCR.defaults | {"practice": 0}, Random(seed)))


def answer(**changes: Any) -> dict[str, Any]:
    return {"marks": [{"slot": "b", "scale": "DEG", "value": 4} | changes]}


def test_the_words_are_those_of_p800_best_first() -> None:
    labels = DCR.label_set("dcr-en-1")
    assert labels.status is LabelStatus.OFFICIAL
    assert labels.scales["DEG"].anchors == (
        (5, "Degradation is inaudible"),
        (4, "Degradation is audible but not annoying"),
        (3, "Degradation is slightly annoying"),
        (2, "Degradation is annoying"),
        (1, "Degradation is very annoying"),
    )


def test_every_condition_is_heard_once_after_the_reference_of_its_item() -> None:
    trials = planned()
    heard = [(trial.slots[0].entry.stimulus, trial.slots[1].entry.stimulus) for trial in trials]
    assert sorted(heard) == sorted((f"{item}-clean", f"{item}-{other}") for item in ITEMS for other in ("x", "y"))
    assert all(before[0] != after[0] for before, after in pairwise(heard)), "no item twice in a row"
    assert {trial.ask for trial in trials} == {("DEG",)}


def test_the_page_says_which_sound_is_the_reference_and_asks_about_the_other() -> None:
    assert DCR.present(planned()[0]) == {"slots": ["b"], "ask": ["DEG"], "reference": "a"}


def test_a_mark_is_about_the_degraded_clip_alone() -> None:
    assert DCR.read(answer(), planned()[0]) == Answer(marks=(Mark("b", "DEG", 4.0),))
    with pytest.raises(InvalidAnswer, match="this page asks for b/DEG, not for a/DEG"):
        DCR.read(answer(slot="a"), planned()[0])


def test_an_item_without_its_reference_is_refused_by_name() -> None:
    with pytest.raises(MaterialUnfit, match="q has 0 sounds in the role reference"):
        list(DCR.plan([entry for entry in ENTRIES if entry.stimulus != "q-clean"], DCR.defaults, Random(1)))


@pytest.mark.parametrize(
    ("option", "value"), [("rounds", 0), ("rounds", 3), ("gap_s", 11), ("round_gap_s", 60), ("gap_s", "0.5")]
)
def test_an_option_that_makes_no_pair_is_refused(option: str, value: Any) -> None:
    with pytest.raises(OptionUnfit, match=option):
        check_options(DCR, {option: value}, {})


@pytest.mark.django_db
def test_the_browser_is_told_the_silences_and_the_rounds() -> None:
    experiment = make_experiment(protocol="dcr", seats=1, options={"rounds": 2})
    page = pages(ballot=Ballot.objects.get(experiment=experiment), limit=1)[0]
    assert page["options"] == {"gap_s": 0.5, "rounds": 2, "round_gap_s": 1.0}
    assert page["view"] == "scales"
    assert sorted(page["media"]) == ["a", "b"]


@pytest.mark.django_db
def test_pairs_can_be_designed() -> None:
    experiment = make_experiment(protocol="dcr", live=False, items=4, conditions=2)
    assert len(material_of(experiment).conditions) == 2, "the reference is no condition of its own"
    wanted = DesignRequest(preset="crossed", panels=2, seats=2, size=2, sessions=1, seed="1")
    draft = designs.draft_design(experiment=experiment, wanted=wanted)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    for trial in Trial.objects.filter(ballot__experiment=experiment):
        reference, rated = trial.slots.order_by("key")
        assert reference.stimulus.item == rated.stimulus.item
        assert (reference.stimulus.condition.role, rated.stimulus.condition.role) == ("reference", "test")


@pytest.mark.django_db
def test_the_demo_is_live_with_twelve_pairs_a_seat_of_which_four_are_null(monkeypatch: pytest.MonkeyPatch) -> None:
    if not ALL:  # how long its sounds are decides nothing here
        monkeypatch.setattr(demo, "DURATION_S", 0.5)
    experiment = demo.build(owner=make_user())
    assert experiment.state == Experiment.State.LIVE
    ballot = Ballot.objects.filter(experiment=experiment).earliest("seat__number")
    rated = ballot.trials.filter(kind="test")
    pairs = [[slot.stimulus.recording for slot in trial.slots.order_by("key")] for trial in rated]
    assert len(pairs) == 12
    assert sum(reference == rated for reference, rated in pairs) == 4
