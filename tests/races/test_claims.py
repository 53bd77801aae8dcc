"""Links claimed at the same moment: one link is one seat, one person is one seat, and a full panel is full."""

import threading
from collections import Counter
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.errors import AppError
from listening.models import Completion, Invitation, Participant, Recruitment, Seat, SessionSettings, Visit
from listening.panels.services import panels, seats
from listening.participation.access import token_digest
from listening.participation.recruitment import Arrival
from listening.participation.services import visits
from rating.models import Ballot, Consent, Trial, Vote
from rating.services.votes import chain_holds
from tests.factories import make_experiment, seated_visit, vote_event
from tests.races.parallel import at_once, side_by_side
from tests.scale import ALL, SCALE, scaled

pytestmark = [pytest.mark.django_db(transaction=True)]
LEASE = timedelta(hours=SessionSettings().lease_hours)
MANY = 20 if ALL else 6  # of browsers, tabs and people at once


def claim(token: str, person: str = "", later: timedelta = timedelta(), address: str = "", browser: str = "") -> str:
    """Claim as the join page does; returns the seat, or the code of the error."""
    invitation = Invitation.objects.select_related("panel__experiment", "seat__ballot").get(
        token_sha256=token_digest(token)
    )
    arrival = Arrival(service="prolific", person=person, browser=browser or person) if person else None
    now = timezone.now() + later
    try:
        visit = visits.claim_seat(invitation=invitation, now=now, device={}, arrival=arrival, address=address)
    except AppError as error:
        return error.code
    return str(visit.seat_id)


def test_many_browsers_on_one_link_take_one_seat() -> None:
    panel = make_experiment(seats=MANY + 5).panels.get()
    token = panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0]
    taken = at_once(*[partial(claim, token)] * MANY)
    assert len(set(taken)) == 1
    assert Seat.objects.exclude(state=Seat.State.OPEN).count() == Participant.objects.count() == 1
    assert Consent.objects.count() == 1
    assert Visit.objects.count() == MANY


def test_many_browsers_on_a_link_to_one_particular_seat_are_one_participant() -> None:
    seat = make_experiment(seats=1).panels.get().seats.get()
    token = panels.invite_to_seat(seat=seat, now=timezone.now())
    assert set(at_once(*[partial(claim, token)] * MANY)) == {str(seat.id)}
    assert Participant.objects.count() == 1


def test_links_for_half_as_many_seats_again_fill_each_seat_once_and_the_rest_is_told_that_it_is_full() -> None:
    panel = make_experiment(seats=MANY).panels.get()
    tokens = panels.invite(panel=panel, count=MANY + MANY // 2, now=timezone.now(), actor=None)
    taken = Counter(at_once(*[partial(claim, token) for token in tokens]))
    assert taken.pop("invitation.full") == MANY // 2
    assert sorted(taken) == sorted(str(seat.id) for seat in panel.seats.all())
    assert set(taken.values()) == {1}
    assert sorted(Participant.objects.values_list("number", flat=True)) == list(range(1, MANY + 1))


@pytest.mark.faults
def test_many_links_each_claimed_by_many_at_once_have_one_winner_each() -> None:
    """Browsers go from link to link together. EARMARK_FAULT_SCALE=5 gives the 100 x 100 claims of a release.

    SQLite lets one writer in at a time and makes the others sleep, so there fewer come at once.
    """
    browsers = scaled(20, least=8) if connection.vendor == "postgresql" else 8
    links = scaled(100, least=12) if SCALE < 1 else 100
    panel = make_experiment(seats=links, items=1, conditions=1).panels.get()
    tokens = panels.invite(panel=panel, count=links, now=timezone.now(), actor=None)
    rounds = side_by_side(*[[partial(claim, token) for token in tokens]] * browsers)
    assert [len(set(taken)) for taken in rounds] == [1] * links
    assert {taken[0] for taken in rounds} == {str(seat.id) for seat in panel.seats.all()}
    assert Participant.objects.count() == Consent.objects.count() == links
    assert Visit.objects.count() == links * browsers


def test_many_people_on_one_link_for_many_share_no_seat_and_the_rest_is_told_that_it_is_full() -> None:
    experiment = make_experiment(seats=MANY // 2)
    panels.create_panel(experiment=experiment, seats=MANY, actor=experiment.owner)
    token = panels.invite_many(experiment=experiment, now=timezone.now(), actor=None)
    taken = Counter(at_once(*[partial(claim, token, f"person{n}") for n in range(2 * MANY)]))
    assert taken.pop("invitation.full") == MANY // 2
    assert sorted(taken) == sorted(str(seat.id) for seat in Seat.objects.all())
    assert set(taken.values()) == {1}


def test_the_same_person_in_many_tabs_and_on_two_links_takes_one_seat() -> None:
    experiment = make_experiment(seats=MANY + 5)
    now = timezone.now()
    tokens = [panels.invite_many(experiment=experiment, now=now, actor=None) for _ in range(2)]
    taken = at_once(*[partial(claim, tokens[n % 2], "person") for n in range(MANY)])
    assert len(set(taken)) == 1
    assert Recruitment.objects.count() == Participant.objects.count() == 1


def test_of_many_browsers_that_give_the_same_number_one_gets_in() -> None:
    experiment = make_experiment(seats=MANY + 5)
    token = panels.invite_many(experiment=experiment, now=timezone.now(), actor=None, service="prolific")
    taken = Counter(at_once(*[partial(claim, token, "person", browser=f"browser{n}") for n in range(MANY)]))
    assert taken.pop("seat.elsewhere") == MANY - 1
    assert [str(seat.id) for seat in Seat.objects.filter(state=Seat.State.TAKEN)] == list(taken)


def test_many_people_behind_one_address_take_no_more_seats_than_it_may_hold(settings: Settings) -> None:
    settings.UNANSWERED_SEATS_PER_ADDRESS = most = 5 if ALL else 2
    experiment = make_experiment(seats=MANY + 5)
    token = panels.invite_many(experiment=experiment, now=timezone.now(), actor=None)
    taken = Counter(at_once(*[partial(claim, token, f"person{n}", address="192.0.2.1") for n in range(MANY)]))
    assert taken.pop("invitation.crowded") == MANY - most
    assert Seat.objects.filter(state=Seat.State.TAKEN).count() == len(taken) == most


def test_many_people_who_need_the_same_lapsed_seat_one_of_them_gets_it() -> None:
    experiment = make_experiment(seats=1)
    gone = seated_visit(experiment).seat
    tokens = panels.invite(panel=gone.panel, count=MANY, now=timezone.now(), actor=None)
    taken = Counter(at_once(*[partial(claim, token, later=LEASE * 2) for token in tokens]))
    assert taken.pop("invitation.full") == MANY - 1
    assert Seat.objects.get(occupancy=2).id in {Seat.objects.get(pk=seat).id for seat in taken}
    assert Seat.objects.count() == Ballot.objects.count() == 2


@pytest.mark.parametrize("attempt", range(10 if ALL else 2))
def test_of_a_vote_and_a_claim_of_the_lapsed_seat_exactly_one_wins(attempt: int) -> None:
    """Either the answer is stored and the seat stays, or the seat goes to the next and the answer is refused."""
    experiment = make_experiment(seats=1)
    visit = seated_visit(experiment)
    Seat.objects.update(leased_until=timezone.now() - timedelta(hours=1))
    token = panels.invite(panel=visit.seat.panel, count=1, now=timezone.now(), actor=None)[0]
    first = visit.seat.ballot.trials.first()
    assert isinstance(first, Trial)

    def vote() -> str:
        return visits.submit_votes(visit=visit, events=[vote_event(first)], now=timezone.now())[0].status

    answered, came = at_once(vote, partial(claim, token))
    seat = Seat.objects.get(pk=visit.seat_id)
    if answered == "stored":
        assert (came, seat.state, Seat.objects.count()) == ("invitation.full", Seat.State.TAKEN, 1)
    else:
        assert (answered, seat.state) == ("refused", Seat.State.ABANDONED)
        assert came == str(Seat.objects.get(occupancy=2).id)
    assert Vote.objects.count() == (answered == "stored")


def test_a_seat_given_away_in_the_middle_of_votes_takes_no_more_and_loses_none() -> None:
    experiment = make_experiment(seats=1, items=20 if ALL else 8, conditions=2)
    visit = seated_visit(experiment)
    trials = list(visit.seat.ballot.trials.all())
    begun = threading.Event()

    def vote_on() -> list[str]:
        statuses: list[str] = []
        for n, trial in enumerate(trials):
            statuses += [
                receipt.status
                for receipt in visits.submit_votes(visit=visit, events=[vote_event(trial)], now=timezone.now())
            ]
            if n == 5:
                begun.set()
        return statuses

    def give_away() -> list[str]:
        begun.wait(timeout=30)
        successor = seats.reissue_seat(seat=visit.seat, now=timezone.now(), actor=experiment.owner)
        return [str(successor.occupancy)]

    statuses, occupancy = at_once(vote_on, give_away)
    stored = statuses.count("stored")
    assert occupancy == ["2"]
    assert statuses == ["stored"] * stored + ["refused"] * (len(trials) - stored)
    ballot = Ballot.objects.get(pk=visit.seat.ballot_id)
    assert stored >= 6
    assert ballot.vote_count == Vote.objects.count() == stored
    assert chain_holds(ballot=ballot)


def test_of_a_receipt_and_giving_the_seat_away_exactly_one_wins() -> None:
    races = 8 if ALL else 3
    experiment = make_experiment(seats=races)
    for _ in range(races):
        visit = seated_visit(experiment)
        events = [vote_event(trial) for trial in visit.seat.ballot.trials.all()]
        visits.submit_votes(visit=visit, events=events, now=timezone.now())
        at_once(partial(_code, visit), partial(_given_away, visit.seat))
        seat = Seat.objects.get(pk=visit.seat_id)
        finished = Completion.objects.filter(seat=seat).exists()
        assert seat.state == (Seat.State.FINISHED if finished else Seat.State.ABANDONED)
        assert Seat.objects.filter(number=seat.number, occupancy=seat.occupancy + 1).exists() is not finished


def _code(visit: Visit) -> str:
    try:
        return visits.finish_visit(visit=visit, now=timezone.now()).code
    except AppError as error:
        return error.code


def _given_away(seat: Seat) -> str:
    try:
        return str(seats.reissue_seat(seat=seat, now=timezone.now(), actor=seat.panel.experiment.owner).occupancy)
    except AppError as error:
        return error.code


def test_two_finishes_at_once_give_one_completion_code() -> None:
    races = 20 if ALL else 3
    experiment = make_experiment(seats=races)
    for _ in range(races):
        visit = seated_visit(experiment)
        visits.submit_votes(
            visit=visit, events=[vote_event(trial) for trial in visit.seat.ballot.trials.all()], now=timezone.now()
        )
        finish = partial(visits.finish_visit, visit=visit, now=timezone.now())
        codes = [completion.code for completion in at_once(*[finish] * 4)]
        assert len(set(codes)) == 1
    assert Completion.objects.count() == races
