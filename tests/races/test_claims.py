"""Links claimed at the same moment: one link is one seat, and a full panel is full."""

from collections import Counter
from functools import partial

import pytest
from django.utils import timezone

from core.errors import AppError
from listening.access import token_digest
from listening.models import Completion, Invitation, Participant, Seat, Visit
from listening.services import panels, visits
from rating.models import Consent
from tests.factories import make_experiment, seated_visit, vote_event
from tests.races.parallel import at_once

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]


def claim(token: str) -> str:
    """Claim as the join page does; returns the seat, or the code of the refusal."""
    invitation = Invitation.objects.select_related("panel__experiment", "seat__ballot").get(
        token_sha256=token_digest(token)
    )
    try:
        visit = visits.claim_seat(invitation=invitation, now=timezone.now(), language="en", device={})
    except AppError as refusal:
        return refusal.code
    return str(visit.seat_id)


def test_twenty_browsers_on_one_link_take_one_seat() -> None:
    panel = make_experiment(seats=25).panels.get()
    token = panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0]
    taken = at_once(*[partial(claim, token)] * 20)
    assert len(set(taken)) == 1
    assert Seat.objects.exclude(state=Seat.State.OPEN).count() == Participant.objects.count() == 1
    assert Consent.objects.count() == 1
    assert Visit.objects.count() == 20


def test_twenty_browsers_on_a_link_to_one_particular_seat_are_one_participant() -> None:
    seat = make_experiment(seats=1).panels.get().seats.get()
    token = panels.invite_to_seat(seat=seat, now=timezone.now())
    assert set(at_once(*[partial(claim, token)] * 20)) == {str(seat.id)}
    assert Participant.objects.count() == 1


def test_thirty_links_on_twenty_seats_fill_each_seat_once_and_ten_are_told_that_it_is_full() -> None:
    panel = make_experiment(seats=20).panels.get()
    tokens = panels.invite(panel=panel, count=30, now=timezone.now(), actor=None)
    taken = Counter(at_once(*[partial(claim, token) for token in tokens]))
    assert taken.pop("invitation.full") == 10
    assert sorted(taken) == sorted(str(seat.id) for seat in panel.seats.all())
    assert set(taken.values()) == {1}
    assert sorted(Participant.objects.values_list("number", flat=True)) == list(range(1, 21))


def test_two_finishes_at_once_give_one_completion_code() -> None:
    experiment = make_experiment(seats=20)
    for _ in range(20):
        visit = seated_visit(experiment)
        visits.submit_votes(
            visit=visit, events=[vote_event(trial) for trial in visit.seat.ballot.trials.all()], now=timezone.now()
        )
        finish = partial(visits.finish_visit, visit=visit, now=timezone.now())
        codes = [completion.code for completion in at_once(*[finish] * 4)]
        assert len(set(codes)) == 1
    assert Completion.objects.count() == 20
