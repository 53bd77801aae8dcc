"""Removal of a draft's seats and links: what is said before, what goes, and what keeps them in place."""

import pytest
from django.test import Client
from django.utils import timezone

from core.models import AuditEntry
from listening.design.base import DesignRequest
from listening.models import Design, Invitation, Panel, Seat, Visit
from listening.panels.services import designs, panels, seats
from listening.panels.services.removal import remove_seats
from rating.models import Ballot, Experiment
from rating.services.editing import edit_experiment
from rating.services.votes import cast_vote
from tests.errors import raises_error
from tests.factories import (
    make_experiment,
    make_panel_collection,
    make_panel_experiment,
    sit_down,
    vote_event,
)

pytestmark = pytest.mark.django_db

SMALL = DesignRequest(preset="crossed", panels=2, seats=2, size=4, sessions=2, factors=("session",), seed="s")


@pytest.fixture
def designed() -> Experiment:
    """A draft with a design, a link, and a preview that was opened."""
    experiment = make_panel_experiment()
    draft = designs.draft_design(experiment=experiment, wanted=SMALL)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    panel = experiment.panels.get(number=1)
    panels.invite(panel=panel, count=3, now=timezone.now(), actor=experiment.owner)
    seats.open_preview(panel=panel, seat_number=1, from_session=1, now=timezone.now(), device={})
    return Experiment.objects.get(pk=experiment.pk)


def test_the_page_says_what_will_be_lost_and_removes_it_when_told(client: Client, designed: Experiment) -> None:
    client.force_login(designed.owner)
    address = f"/experiments/{designed.slug}/seats/remove/"
    page = client.get(address).content.decode()
    for lost in ("the design", "4 seats", "3 links", "1 preview or rehearsal"):
        assert lost in page
    assert Seat.objects.count() == 5
    assert client.post(address)["Location"] == f"/experiments/{designed.slug}/settings/"
    rows = (Seat, Panel, Invitation, Visit, Design, Ballot)
    assert [model.objects.count() for model in rows] == [0] * len(rows)
    assert AuditEntry.objects.get(action="experiment.seats_removed").before == {
        "designs": 1,
        "panels": 2,
        "seats": 4,
        "links": 3,
        "begun": 1,
    }


def test_afterwards_another_collection_can_be_chosen_and_designed(designed: Experiment) -> None:
    remove_seats(experiment=designed, actor=designed.owner)
    other = make_panel_collection(designed.owner)
    edited = edit_experiment(experiment=designed, actor=designed.owner, collection=other)
    assert edited.layout_sha256 == ""
    draft = designs.draft_design(experiment=edited, wanted=SMALL)
    designs.adopt_draft(experiment=edited, draft=draft, actor=edited.owner)
    assert Seat.objects.count() == 4


def test_answers_of_a_rehearsal_keep_their_seats(client: Client, designed: Experiment) -> None:
    ballot = Ballot.objects.get(kind=Ballot.Kind.PREVIEW)
    trial = ballot.trials.unanswered()[0]
    event = vote_event(trial, payload={"marks": [{"slot": "a", "scale": trial.ask[0], "value": 3}]})
    assert cast_vote(ballot_id=ballot.pk, event=event).status == "stored"
    with raises_error("seat.answers_kept"):
        remove_seats(experiment=designed, actor=designed.owner)
    client.force_login(designed.owner)
    page = client.post(f"/experiments/{designed.slug}/seats/remove/").content.decode()
    assert "Copy the experiment and change the copy" in page
    assert Seat.objects.count() == 5


def test_the_seats_of_a_live_experiment_stay() -> None:
    experiment = make_experiment(seats=2)
    sit_down(experiment)
    with raises_error("experiment.wrong_state"):
        remove_seats(experiment=experiment, actor=experiment.owner)
    assert Seat.objects.count() == 2
