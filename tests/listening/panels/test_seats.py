"""Seats: leased, renewed, released with the same plan; previews and rehearsals that never count."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import AuditEntry
from listening.models import Design, Seat, SessionSettings, Visit
from listening.panels.services import panels, seats
from listening.participation.access import invitation_for
from listening.participation.services import visits
from listening.participation.services.visits import PanelFull
from rating.models import Ballot, Experiment, RejectedVote, Trial, Vote
from rating.services.votes import chain_holds
from tests.errors import raises_error
from tests.factories import event, fetch_all, make_experiment, new_token, seated_visit, sit_down, vote_event

pytestmark = pytest.mark.django_db
LEASE = timedelta(hours=SessionSettings().lease_hours)


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=1)


def claim(experiment: Experiment, now: datetime) -> Visit:
    """Come by a fresh link at a given time, with a browser that has every sound."""
    visit = visits.claim_seat(invitation=invitation_for(new_token(experiment)), now=now, device={})
    fetch_all(visit)
    return visit


def plan(ballot: Ballot) -> list[tuple[object, ...]]:
    rows = ballot.trials.order_by("position")
    return list(rows.values_list("position", "session", "kind", "ask", "slots__key", "slots__stimulus"))


def counted(experiment: Experiment) -> tuple[int, int]:
    """How many seats and answers the list of experiments shows."""
    row: Any = Experiment.objects.with_counts().get(pk=experiment.pk)
    return row.ballot_count, row.answer_count


def lay_out(experiment: Experiment) -> None:
    Design.objects.create(experiment=experiment, preset="crossed", seed="0", sha256="0" * 64)


# --- The lease --------------------------------------------------------------------------------------------------------


def test_consenting_leases_the_seat_for_as_long_as_the_session_settings_say() -> None:
    experiment, now = make_experiment(seats=2), timezone.now()
    assert claim(experiment, now).seat.leased_until == now + LEASE
    SessionSettings.objects.create(experiment=experiment, lease_hours=2)
    assert claim(experiment, now).seat.leased_until == now + timedelta(hours=2)


def test_a_vote_moves_the_lease_on_and_votes_in_quick_succession_write_it_once(experiment: Experiment) -> None:
    visit = seated_visit(experiment)
    first, second, *_ = visit.seat.ballot.trials.all()
    later = timezone.now() + timedelta(hours=5)
    visits.submit_votes(visit=visit, events=[vote_event(first)], now=later)
    assert Seat.objects.get().leased_until == later + LEASE
    visit.refresh_from_db()
    visits.submit_votes(visit=visit, events=[vote_event(second)], now=later + timedelta(seconds=5))
    assert Seat.objects.get().leased_until == later + LEASE


def test_coming_back_renews_a_lapsed_seat_that_nobody_needed(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    Seat.objects.update(leased_until=timezone.now() - timedelta(days=30))
    assert sitting.client.post(sitting.link).status_code == 302
    seat = Seat.objects.get()
    assert seat.state == Seat.State.TAKEN
    assert seat.leased_until is not None
    assert seat.leased_until > timezone.now()


# --- A seat goes to another person ------------------------------------------------------------------------------------


def test_a_claim_that_finds_only_a_lapsed_seat_gets_its_plan_on_a_new_turn(experiment: Experiment) -> None:
    first = seated_visit(experiment)
    visits.submit_votes(visit=first, events=[vote_event(first.seat.ballot.trials.all()[0])], now=timezone.now())
    second = claim(experiment, timezone.now() + LEASE + timedelta(hours=1))
    first.seat.refresh_from_db()
    first.seat.ballot.refresh_from_db()
    assert (first.seat.state, second.seat.state) == (Seat.State.ABANDONED, Seat.State.TAKEN)
    assert (second.seat.number, second.seat.occupancy) == (first.seat.number, 2)
    assert plan(second.seat.ballot) == plan(first.seat.ballot)
    assert first.seat.ballot.abandoned_at is not None
    assert second.seat.ballot.vote_count == 0
    entry = AuditEntry.objects.get(action="seat.reissued")
    assert (entry.actor, entry.after) == (None, {"occupancy": 2})
    assert entry.before == {"panel": 1, "seat": 1, "occupancy": 1, "answers": 1}


def test_the_two_listeners_of_one_seat_share_no_name_of_a_sound_and_no_participant(experiment: Experiment) -> None:
    first = seated_visit(experiment)
    second = claim(experiment, timezone.now() + LEASE * 2)
    names = [set(visit.seat.ballot.trials.values_list("slots__media", flat=True)) for visit in (first, second)]
    assert names[0].isdisjoint(names[1])
    first.seat.refresh_from_db()
    assert first.seat.participant != second.seat.participant


def test_a_free_seat_is_taken_before_a_lapsed_one() -> None:
    experiment = make_experiment(seats=2)
    seated_visit(experiment)
    second = claim(experiment, timezone.now() + LEASE * 2)
    assert (second.seat.number, second.seat.occupancy) == (2, 1)


def test_a_vote_of_a_moment_ago_keeps_the_seat_although_the_lease_was_not_renewed_yet(experiment: Experiment) -> None:
    visit = seated_visit(experiment)
    visits.submit_votes(visit=visit, events=[vote_event(visit.seat.ballot.trials.all()[0])], now=timezone.now())
    Seat.objects.update(leased_until=timezone.now() - timedelta(days=1))
    with pytest.raises(PanelFull):
        claim(experiment, timezone.now())
    assert Seat.objects.get().state == Seat.State.TAKEN


def test_a_seat_within_its_lease_is_not_given_away_by_itself(experiment: Experiment) -> None:
    seated_visit(experiment)
    with pytest.raises(PanelFull):
        claim(experiment, timezone.now() + LEASE - timedelta(hours=1))


def test_who_comes_back_too_late_is_told_on_a_page_and_thanked(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    page = sitting.upcoming()["trials"][0]["trial"]
    sitting.vote(event(page))
    seats.reissue_seat(seat=sitting.visit.seat, now=timezone.now(), actor=sitting.ballot.experiment.owner)
    for answer in (
        Client().get(sitting.link),
        Client().post(sitting.link),
        sitting.client.get(f"/visits/{sitting.visit.id}/"),
    ):
        assert answer.status_code == 410
        assert b"What you did is kept" in answer.content
    for answer in (sitting.client.get(f"{sitting.api}upcoming/"), sitting.client.post(f"{sitting.api}finish/")):
        assert (answer.status_code, answer.json()["code"]) == (410, "visit.abandoned")
    assert Visit.objects.count() == 1


def test_an_answer_that_comes_too_late_is_rejected_and_kept_and_the_earlier_ones_stay_true(
    experiment: Experiment,
) -> None:
    sitting = sit_down(experiment)
    first, second, *_ = sitting.upcoming()["trials"]
    kept = event(first["trial"])
    sitting.vote(kept)
    seats.reissue_seat(seat=sitting.visit.seat, now=timezone.now(), actor=sitting.ballot.experiment.owner)
    results = sitting.vote(event(second["trial"]), kept).json()["results"]
    assert [result["status"] for result in results] == ["refused", "replay"]
    assert (Vote.objects.count(), RejectedVote.objects.count()) == (1, 1)
    assert chain_holds(ballot=Ballot.objects.get(pk=sitting.ballot.pk))


def test_giving_a_seat_away_by_hand_needs_a_reason_and_is_logged(client: Client, experiment: Experiment) -> None:
    sit_down(experiment)
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/panels/1/seats/1/"
    assert client.post(address, {}).status_code == 400
    assert Seat.objects.count() == 1
    assert client.post(address, {"reason": "wrote that she cannot go on"}).status_code == 302
    entry = AuditEntry.objects.get(action="seat.reissued")
    assert (entry.actor, entry.reason) == (experiment.owner, "wrote that she cannot go on")
    assert Seat.objects.get(occupancy=2).state == Seat.State.OPEN
    assert sit_down(experiment).visit.seat.occupancy == 2
    assert client.post(f"/experiments/{experiment.slug}/panels/1/seats/9/", {"reason": "x"}).status_code == 404


def test_a_finished_seat_and_an_open_one_cannot_be_given_away() -> None:
    experiment = make_experiment(seats=2)
    sitting = sit_down(experiment)
    sitting.answer_all()
    sitting.client.post(f"{sitting.api}finish/")
    for seat in Seat.objects.all():
        with raises_error("seat.not_taken"):
            seats.reissue_seat(seat=seat, now=timezone.now(), actor=experiment.owner)


def test_what_a_listener_left_behind_is_counted_nowhere(experiment: Experiment) -> None:
    visit = seated_visit(experiment)
    trials = visit.seat.ballot.trials.all()
    visits.submit_votes(visit=visit, events=[vote_event(trial) for trial in trials], now=timezone.now())
    seats.reissue_seat(seat=visit.seat, now=timezone.now(), actor=experiment.owner)
    assert counted(experiment) == (1, 0)
    assert experiment.ballots.counts_by_kind()["main"] == {"ballots": 1, "closed": 0, "votes": 0}
    row = panels.overview(experiment=experiment, now=timezone.now())[0]
    assert (row["total"], row["open"], row["taken"], row["abandoned"]) == (1, 1, 0, 1)


# --- Seats that were laid out together --------------------------------------------------------------------------------


def test_no_single_seat_is_added_to_a_design() -> None:
    experiment = make_experiment(seats=2)
    lay_out(experiment)
    experiment.refresh_from_db()
    with raises_error("seat.designed"):
        panels.add_seats(panel=experiment.panels.get(), count=1)
    with raises_error("seat.designed"):
        panels.create_panel(experiment=experiment, seats=1, actor=experiment.owner)
    assert (Seat.objects.filter(panel__experiment=experiment).count(), experiment.panels.count()) == (2, 1)


def test_simulated_listeners_of_a_design_repeat_the_plans_of_its_seats_in_turn() -> None:
    experiment = make_experiment(seats=3)
    lay_out(experiment)
    panel = experiment.panels.get()
    main = [plan(seat.ballot) for seat in panel.seats.order_by("number")]
    panels.add_seats(panel=panel, count=2, kind=Ballot.Kind.SIMULATED)
    panels.add_seats(panel=panel, count=3, kind=Ballot.Kind.SIMULATED)
    copies = panel.seats.filter(ballot__kind=Ballot.Kind.SIMULATED).order_by("number")
    assert [plan(seat.ballot) for seat in copies] == [main[n] for n in (0, 1, 2, 0, 1)]


# --- Trying it out ----------------------------------------------------------------------------------------------------


def test_a_preview_shows_one_seat_in_a_draft_and_never_counts(client: Client) -> None:
    experiment = make_experiment(seats=2, live=False)
    client.force_login(experiment.owner)
    answer = client.post(
        f"/experiments/{experiment.slug}/previews/", {"panel": 1, "seat": 2, "from_session": 0}, follow=True
    )
    assert b"Preview: nothing here counts" in answer.content
    visit = Visit.objects.get()
    assert plan(visit.seat.ballot) == plan(Seat.objects.get(number=2).ballot)
    fetch_all(visit)
    body = {"client": "test", "events": [event(visit.seat.ballot.trials.first().id)]}  # type: ignore[union-attr]
    stored = client.post(f"/api/v1/visits/{visit.id}/votes/", body, content_type="application/json").json()
    assert stored["results"][0]["status"] == "stored"
    assert counted(experiment) == (2, 0)
    assert experiment.participants.count() == 0
    assert panels.overview(experiment=experiment, now=timezone.now())[0]["total"] == 2
    assert Client().get(f"/visits/{visit.id}/").status_code == 401


def test_a_preview_can_begin_at_a_later_session_and_not_after_the_last(client: Client, experiment: Experiment) -> None:
    half = Seat.objects.get().ballot.trials.filter(position__gt=2)
    half.update(session=2)
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/previews/"
    page = client.post(address, {"panel": 1, "seat": 1, "from_session": 2}, follow=True)
    visit = page.redirect_chain[-1][0].split("/")[2]
    upcoming = client.get(f"/api/v1/visits/{visit}/upcoming/").json()
    assert [trial["position"] for trial in upcoming["trials"]] == [3, 4]
    rejected = client.post(address, {"panel": 1, "seat": 1, "from_session": 3})
    assert rejected.status_code == 422
    assert b"has no page from session 3 on" in rejected.content
    assert b'value="3"' in rejected.content
    assert Visit.objects.count() == 1


def test_colleagues_rehearse_a_draft_by_links_of_their_own(client: Client) -> None:
    experiment = make_experiment(seats=2, live=False)
    client.force_login(experiment.owner)
    page = client.post(f"/experiments/{experiment.slug}/rehearsals/", {"count": 3}, follow=True).content.decode()
    assert page.count("/join/") >= 3
    rehearsals = Seat.objects.filter(ballot__kind=Ballot.Kind.REHEARSAL).order_by("number")
    main = [plan(seat.ballot) for seat in experiment.panels.get().seats.main().order_by("number")]
    assert [plan(seat.ballot) for seat in rehearsals] == [main[0], main[1], main[0]]
    token = panels.invite_to_seat(seat=seats.add_rehearsals(experiment=experiment, count=1)[0], now=timezone.now())
    colleague = Client()
    assert b"Rehearsal: nothing here counts" in colleague.get(f"/join/{token}/").content
    entered = colleague.post(f"/join/{token}/", {"agree": "on"}, follow=True)
    assert b"Rehearsal: nothing here counts" in entered.content
    assert counted(experiment) == (2, 0)


def test_a_main_seat_stays_closed_until_the_experiment_is_live() -> None:
    experiment = make_experiment(seats=1, live=False)
    token = new_token(experiment)
    assert Client().post(f"/join/{token}/", {"agree": "on"}).status_code == 409
    assert experiment.panels.get().seats.get().state == Seat.State.OPEN


def test_there_is_nothing_to_rehearse_without_seats() -> None:
    experiment = make_experiment(live=False)
    with raises_error("seat.none"):
        panels.rehearse(experiment=experiment, count=1, now=timezone.now(), actor=experiment.owner)


def test_a_page_left_out_is_not_waited_for_and_not_counted_on_the_receipt(experiment: Experiment) -> None:
    visit = seated_visit(experiment)
    left_out, *others = visit.seat.ballot.trials.all()
    Trial.objects.filter(pk=left_out.pk).update(skipped_at=timezone.now())
    visits.submit_votes(visit=visit, events=[vote_event(trial) for trial in others], now=timezone.now())
    assert visits.finish_visit(visit=visit, now=timezone.now()).vote_count == len(others)
