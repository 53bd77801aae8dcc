"""Drafts: every step is kept, none of them counts, and a page is open until its answer is whole."""

from random import Random
from uuid import UUID, uuid4

import pytest

from rating.models import Experiment, Score, Trial, Vote
from rating.protocol import Json
from rating.registry import get_protocol
from rating.services.ballots import open_ballot, record_consent
from rating.services.pages import pages, plan_of
from rating.services.votes import VoteEvent, cast_vote, chain_holds
from tests.factories import make_experiment

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(protocol="tcsd_plane", items=2, conditions=3)


def cast(trial: Trial, revision: int, payload: Json) -> str:
    event = VoteEvent(
        event_id=uuid4(), trial=trial.pk, revision=revision, payload=payload, heard={}, clock={}, client="test"
    )
    return cast_vote(ballot_id=UUID(str(trial.ballot_id)), event=event).status


def first_page(experiment: Experiment) -> Trial:
    ballot = open_ballot(experiment=experiment, seed="1")
    record_consent(ballot=ballot, experiment=ballot.experiment)
    return ballot.trials.get(position=1)


def test_every_step_is_kept_and_none_counts_before_the_last(experiment: Experiment) -> None:
    trial = first_page(experiment)
    one = {"s1": {"tc": 0.1234, "sd": 0.5, "decided": False}}
    assert cast(trial, 0, {"crosses": {}}) == "stored"
    assert cast(trial, 1, {"crosses": one}) == "stored"
    assert not Score.objects.exists()
    assert trial.ballot.trials.unanswered().count() == 2
    whole = get_protocol("tcsd_plane").example(plan_of(trial, trial.slots.all()), Random(1))
    assert cast(trial, 2, whole) == "stored"
    assert Score.objects.count() == 2 * 3
    assert trial.ballot.trials.unanswered().count() == 1
    trial.ballot.refresh_from_db()
    assert [vote.payload for vote in Vote.objects.order_by("id")] == [{"crosses": {}}, {"crosses": one}, whole]
    assert chain_holds(ballot=trial.ballot)


def test_a_page_comes_back_with_its_newest_step(experiment: Experiment) -> None:
    trial = first_page(experiment)
    assert pages(ballot=trial.ballot, limit=5)[0]["draft"] is None
    payload = {"crosses": {}, "comment": "rain all night"}
    cast(trial, 0, payload)
    (page,) = pages(ballot=trial.ballot, limit=5)
    assert (page["draft"], page["revision"]) == (payload, 1)


def test_a_step_from_another_tab_that_knew_less_is_kept_as_a_conflict(experiment: Experiment) -> None:
    trial = first_page(experiment)
    cast(trial, 0, {"crosses": {}, "comment": "here"})
    assert cast(trial, 0, {"crosses": {}, "comment": "there"}) == "conflict"
    assert pages(ballot=trial.ballot, limit=1)[0]["draft"]["comment"] == "here"
    assert Vote.objects.filter(outcome="conflict").count() == 1


def test_only_one_recording_is_open_at_a_time(experiment: Experiment) -> None:
    trial = first_page(experiment)
    assert len(pages(ballot=trial.ballot, limit=5)) == 1
