"""Visits from a link to a receipt: what each step gives, and what it rejects."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from listening.models import Completion, Invitation, Participant, Seat, Visit
from listening.panels.services import panels
from listening.participation.services import setup, visits
from rating.models import Ballot, Consent, Experiment, Vote
from rating.protocol import TrialKind
from rating.registry import protocols
from rating.services.experiments import close, pause
from tests.errors import raises_error
from tests.factories import event, make_experiment, new_token, seated_visit, sit_down

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=1)


def test_opening_a_link_takes_nothing(experiment: Experiment) -> None:
    token = new_token(experiment)
    for _ in range(3):
        assert Client().get(f"/join/{token}/").status_code == 200
    assert Seat.objects.get().state == Seat.State.OPEN
    assert not Visit.objects.exists()
    assert not Consent.objects.exists()


def test_agreeing_takes_a_seat_and_keeps_the_consent(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    seat = sitting.visit.seat
    assert seat.state == Seat.State.TAKEN
    assert seat.participant is not None
    assert seat.participant.pseudonym == "sub-0001"
    assert sitting.ballot.consent.language == "en"


def test_without_the_tick_nothing_is_taken(experiment: Experiment) -> None:
    token = new_token(experiment)
    response = Client().post(f"/join/{token}/", {})
    assert response.status_code == 422
    assert b"consent.missing" in response.content
    assert not Participant.objects.exists()


@pytest.mark.parametrize("page", ["/join/nonsense/", "/join/" + "x" * 300 + "/"])
def test_an_unknown_link_says_so(page: str) -> None:
    for response in (Client().get(page), Client().post(page, {"agree": "on"})):
        assert response.status_code == 404
        assert b"invitation.unknown" in response.content


def test_an_expired_link_says_since_when_and_takes_nothing(experiment: Experiment) -> None:
    token = new_token(experiment)
    then = timezone.now() - timedelta(days=30)
    Invitation.objects.update(created_at=then, expires_at=then + timedelta(days=20))
    response = Client().get(f"/join/{token}/")
    assert response.status_code == 410
    assert (then + timedelta(days=20)).date().isoformat().encode() in response.content
    assert Client().post(f"/join/{token}/", {"agree": "on"}).status_code == 410
    assert not Participant.objects.exists()


def test_an_expired_link_still_resumes_a_taken_seat(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    Invitation.objects.update(created_at=timezone.now() - timedelta(days=9), expires_at=timezone.now())
    assert Client().post(sitting.link).status_code == 302
    assert Visit.objects.count() == 2


def test_a_browser_that_comes_back_soon_goes_on_with_its_visit_and_its_sound_check(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    setup.record_level(visit=sitting.visit, level_db=1.5, device={})
    for _ in range(2):
        assert sitting.client.post(sitting.link).headers["Location"] == f"/visits/{sitting.visit.pk}/"
    state = sitting.client.get(f"{sitting.api}setup/").json()
    assert "level" not in [step["step"] for step in state["steps"]]
    assert state["level_db"] == 1.5


def test_another_browser_or_another_sitting_is_another_visit_and_checks_the_sound_again(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    setup.record_level(visit=sitting.visit, level_db=1.5, device={})
    elsewhere = Client()
    elsewhere.post(sitting.link)
    assert Visit.objects.count() == 2
    Visit.objects.update(last_seen_at=timezone.now() - visits.SITTING_GAP)
    address = sitting.client.post(sitting.link).headers["Location"]
    assert Visit.objects.count() == 3
    state = sitting.client.get(f"/api/v1/visits/{address.split('/')[2]}/setup/").json()
    assert "level" in [step["step"] for step in state["steps"]]


def test_a_full_panel_says_so(experiment: Experiment) -> None:
    late = new_token(experiment)
    sit_down(experiment)
    response = Client().post(f"/join/{late}/", {"agree": "on"})
    assert response.status_code == 409
    assert b"invitation.full" in response.content


@pytest.mark.parametrize("end", [pause, close])
def test_a_test_that_is_not_live_seats_nobody(end: object, experiment: Experiment) -> None:
    token = new_token(experiment)
    end(experiment=experiment, actor=experiment.owner)  # type: ignore[operator]
    assert Client().post(f"/join/{token}/", {"agree": "on"}).status_code == 409
    assert not Participant.objects.exists()


def test_the_same_link_on_another_device_continues_where_the_first_stopped(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    first = sitting.upcoming()["trials"][0]
    sitting.vote(event(first["trial"]))
    elsewhere = Client()
    page = elsewhere.post(sitting.link, follow=True)
    visit = page.redirect_chain[-1][0].split("/")[2]
    upcoming = elsewhere.get(f"/api/v1/visits/{visit}/upcoming/").json()
    assert upcoming["answered"] == 1
    assert [trial["trial"] for trial in upcoming["trials"]] == [
        trial["trial"] for trial in sitting.upcoming()["trials"]
    ]
    assert upcoming["trials"][0]["position"] == 2


def test_another_browser_cannot_enter_a_visit(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    stranger = Client()
    for response in (
        stranger.get(f"{sitting.api}upcoming/"),
        stranger.get(f"/visits/{sitting.visit.id}/"),
        stranger.get(f"/visits/{sitting.visit.id}/receipt/"),
        stranger.post(f"{sitting.api}finish/"),
    ):
        assert response.status_code == 401


def test_no_receipt_before_every_answer_is_here(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    sitting.vote(event(sitting.upcoming()["trials"][0]["trial"]))
    response = sitting.client.post(f"{sitting.api}finish/")
    assert response.status_code == 409
    assert response.json()["code"] == "visit.incomplete"
    assert response.json()["data"] == {"missing": 3}
    assert not Completion.objects.exists()
    assert sitting.client.get(f"/visits/{sitting.visit.id}/receipt/").status_code == 302


def test_the_receipt_is_the_same_however_often_it_is_asked_for(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    sitting.answer_all()
    first = sitting.client.post(f"{sitting.api}finish/").json()
    assert sitting.client.post(f"{sitting.api}finish/").json() == first
    assert first["vote_count"] == 4
    sitting.ballot.refresh_from_db()
    assert first["chain"] == sitting.ballot.chain
    receipt = sitting.client.get(first["receipt_url"])
    assert first["code"].encode() in receipt.content
    assert Seat.objects.get(pk=sitting.visit.seat_id).state == Seat.State.FINISHED


def test_the_receipt_counts_answers_and_says_apart_how_many_changes_are_stored(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    first = sitting.upcoming()["trials"][0]["trial"]
    sitting.vote(event(first, value=2))
    sitting.vote(event(first, value=3, revision=1))
    sitting.answer_all()
    sitting.client.post(f"{sitting.api}finish/")
    page = sitting.client.get(f"/visits/{sitting.visit.id}/receipt/").content.decode()
    pages = sitting.ballot.trials.count()
    assert f"<dt>Answered pages</dt><dd>{pages}</dd>" in page
    assert f"<dt>Stored in all</dt><dd>{pages + 1}, with practice, drafts and changed answers</dd>" in page


def test_a_finished_visit_takes_no_new_answer_but_knows_the_old_ones(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    pages = sitting.upcoming()["trials"]
    kept = event(pages[0]["trial"])
    sitting.vote(kept)
    sitting.answer_all()
    sitting.client.post(f"{sitting.api}finish/")
    votes = Vote.objects.count()
    late = sitting.vote(event(pages[0]["trial"], revision=1, value=1), kept).json()["results"]
    assert [result["status"] for result in late] == ["refused", "replay"]
    assert late[0]["code"] == "visit.finished"
    assert Vote.objects.count() == votes
    assert sitting.client.get(f"/visits/{sitting.visit.id}/").status_code == 302


def test_simulated_seats_are_not_given_to_people(experiment: Experiment) -> None:
    panels.add_seats(panel=experiment.panels.get(), count=3, kind=Ballot.Kind.SIMULATED)
    sit_down(experiment)
    assert Client().post(f"/join/{new_token(experiment)}/", {"agree": "on"}).status_code == 409


def test_finish_by_service_raises_what_the_api_says(experiment: Experiment) -> None:
    with raises_error("visit.incomplete") as error:
        visits.finish_visit(visit=seated_visit(experiment), now=timezone.now())
    assert str(error.value).startswith("4 answers")


def outlook_of(experiment: Experiment) -> tuple[int, int]:
    """What a person who has not begun reads: clips and minutes."""
    context = Client().get(f"/join/{new_token(experiment)}/").context
    return context["clips"], context["minutes"]


def leave(ballot: Ballot, *, pages: int) -> None:
    """Let the first pages be over, as when they were answered."""
    ballot.trials.filter(position__lte=pages).update(skipped_at=timezone.now())


def test_the_stated_duration_is_the_whole_plan_whatever_others_have_done() -> None:
    experiment = make_experiment(items=20, seats=3)
    whole = outlook_of(experiment)
    assert whole[0] == 40
    assert whole[1] > 1
    for pages in (40, 13):
        leave(sit_down(experiment).ballot, pages=pages)
        assert outlook_of(experiment) == whole


def test_the_stated_duration_of_a_lapsed_seat_is_its_whole_plan_too() -> None:
    experiment = make_experiment(items=20, seats=1)
    whole = outlook_of(experiment)
    leave(sit_down(experiment).ballot, pages=30)
    Seat.objects.update(leased_until=timezone.now() - timedelta(hours=1))
    assert outlook_of(experiment) == whole


def test_who_comes_back_reads_what_is_left_of_the_own_seat() -> None:
    sitting = sit_down(make_experiment(items=20, seats=1))
    leave(sitting.ballot, pages=30)
    context = sitting.client.get(sitting.link).context
    assert (context["total"], context["answered"], context["minutes"]) == (40, 30, 1)
    page = sitting.client.get(sitting.link).content.decode()
    assert "You have answered 30 of 40 clips. About 1 minute left." in page


def test_who_comes_back_reads_clips_that_count_on_the_welcome_page_and_on_the_next() -> None:
    sitting = sit_down(make_experiment(protocol="p835", items=2, conditions=2, seats=1, options={"sessions": 1}))
    sitting.ballot.trials.filter(position__lte=3).update(kind=TrialKind.PRACTICE, session=0)
    leave(sitting.ballot, pages=8)  # one clip of practice, one that counts, and two thirds of the next
    assert "You have answered 1 of 3 clips." in sitting.client.get(sitting.link).content.decode()
    config = sitting.client.get(f"/visits/{sitting.visit.id}/").context["config"]
    assert (config["answered_of"], config["pages_each"]) == ("You have answered {answered} of 3 clips.", 3)


@pytest.mark.parametrize("slug", list(protocols()))
def test_what_is_counted_has_one_noun_on_the_way_in_and_on_the_way_back(slug: str) -> None:
    protocol = protocols()[slug]
    for counted, answered_of in zip(protocol.counted, protocol.answered_of, strict=True):
        noun = answered_of.removeprefix("You have answered %(answered)s of ").removesuffix(".")
        assert counted.removesuffix(" with captions") == noun
