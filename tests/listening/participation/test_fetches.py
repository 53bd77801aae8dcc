"""Fetches of sounds: they are recorded, what was not fetched cannot be answered, haste is flagged."""

from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from rating.models import Ballot, RejectedVote, Slot, SoundFetch, Trial, Vote
from rating.registry import get_protocol
from rating.services.pages import plan_of, record_fetch
from tests.factories import Sitting, event, fetch_all, make_experiment, sit_down
from tests.scale import ALL

pytestmark = pytest.mark.django_db
PAGES = 40 if ALL else 10


def results(sitting: Sitting, *events: dict[str, Any]) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = sitting.vote(*events).json()["results"]
    return answer


def listen(sitting: Sitting, page: dict[str, Any], client: Client | None = None) -> None:
    for sound in page["media"].values():
        assert (client or sitting.client).get(sound["url"]).status_code == 200


def whole_answer(ballot: Ballot, page: dict[str, Any]) -> Any:
    trial = Trial.objects.get(pk=page["trial"])
    protocol = get_protocol(ballot.experiment.protocol)
    return protocol.example(
        plan_of(trial, trial.slots.select_related("stimulus__item", "stimulus__condition")), Random(1)
    )


@pytest.fixture(scope="module")
def shared_sitting(module_db: None) -> Sitting:
    return sit_down(fetched=False)


def test_votes_without_a_single_sound_earn_no_code() -> None:
    sitting = sit_down(make_experiment(seats=1, items=PAGES // 2, conditions=2), fetched=False)
    trials = [str(pk) for pk in Trial.objects.filter(ballot=sitting.ballot).values_list("pk", flat=True)]
    assert len(trials) == PAGES
    said = results(sitting, *[event(trial, heard={}) for trial in trials])
    assert {result["status"] for result in said} == {"sound_missing"}
    assert sitting.client.post(f"{sitting.api}finish/").json()["code"] == "visit.incomplete"
    assert not Vote.objects.exists()


def test_an_answer_that_came_before_its_sound_is_taken_when_the_sound_was_fetched(sitting: Sitting) -> None:
    made = event(sitting.upcoming()["trials"][0]["trial"])
    (said,) = results(sitting, made)
    assert (said["status"], said["code"]) == ("sound_missing", "vote.sound_not_fetched")
    assert RejectedVote.objects.get().code == "vote.sound_not_fetched", "nothing that a participant did disappears"
    for address in said["fetch"]:
        assert sitting.client.get(address).status_code == 200
    assert results(sitting, made)[0]["status"] == "stored"
    assert results(sitting, made)[0]["status"] == "replay"


def test_every_answer_to_a_page_waits_for_its_first(sitting: Sitting) -> None:
    """In one batch: were the second a conflict, it would be lost when the first is stored."""
    page = sitting.upcoming()["trials"][0]
    both = [event(page["trial"], value=2), event(page["trial"], value=5, revision=1)]
    assert [said["status"] for said in results(sitting, *both)] == ["sound_missing", "sound_missing"]
    listen(sitting, page)
    assert [said["status"] for said in results(sitting, *both)] == ["stored", "stored"]
    assert Trial.objects.get(pk=page["trial"]).revision == 2


def test_a_page_that_was_fetched_is_stored_beside_one_that_was_not(sitting: Sitting) -> None:
    one, other, *_ = sitting.upcoming()["trials"]
    listen(sitting, other)
    said = results(sitting, event(one["trial"]), event(other["trial"]))
    assert [result["status"] for result in said] == ["sound_missing", "stored"]


def test_what_another_browser_of_the_same_seat_fetched_counts(sitting: Sitting) -> None:
    other = Client()
    address = other.post(sitting.link).headers["Location"]
    page = other.get(f"/api/v1{address}upcoming/").json()["trials"][0]
    listen(sitting, page, other)
    assert results(sitting, event(page["trial"]))[0]["status"] == "stored"


@pytest.mark.parametrize("below", ["manifest/", "peaks/0/", "tiles/max/0/0/"])
def test_a_picture_of_a_sound_is_not_the_sound(below: str, sitting: Sitting) -> None:
    page = sitting.upcoming()["trials"][0]
    base = page["media"]["a"]["url"]
    assert sitting.client.get(base + below).status_code == 200
    assert sitting.client.head(base).status_code == 200
    assert not SoundFetch.objects.exists()
    assert sitting.client.get(f"{base}slice/").status_code == 200
    assert SoundFetch.objects.count() == 1


def test_a_later_revision_needs_no_second_fetch_and_a_conflict_is_still_a_conflict() -> None:
    sitting = sit_down()
    trial = sitting.upcoming()["trials"][0]["trial"]
    assert results(sitting, event(trial))[0]["status"] == "stored"
    SoundFetch.objects.all().delete()
    assert results(sitting, event(trial, revision=1))[0]["status"] == "stored"
    assert results(sitting, event(trial, revision=1))[0]["status"] == "conflict"


def test_a_fetch_is_one_row_a_visit_and_slot_and_is_written_once_a_minute(sitting: Sitting) -> None:
    slot, now = Slot.objects.filter(trial__ballot=sitting.ballot).order_by("pk")[0], timezone.now()
    for seconds in (0, 1, 59, 61, 90):
        record_fetch(slot_id=slot.pk, visit_id=sitting.visit.pk, now=now + timedelta(seconds=seconds))
    fetch = SoundFetch.objects.get()
    assert (fetch.slot_id, fetch.visit) == (slot.pk, sitting.visit.pk)
    assert (fetch.first_at, fetch.last_at) == (now, now + timedelta(seconds=61))
    record_fetch(slot_id=slot.pk, visit_id=UUID(int=7), now=now)
    assert SoundFetch.objects.count() == 2


@pytest.mark.parametrize(("ago", "flags"), [(timedelta(hours=1), []), (timedelta(hours=-1), ["fast"])])
def test_an_answer_sooner_than_the_sound_lasts_is_taken_and_flagged(
    ago: timedelta, flags: list[str], sitting: Sitting
) -> None:
    fetch_all(sitting.visit, ago=ago)
    assert results(sitting, event(sitting.upcoming()["trials"][0]["trial"]))[0]["status"] == "stored"
    assert Vote.objects.get().flags == flags


@pytest.mark.parametrize(
    "slug", ["tcsd_plane", "chaptering", "thumbs", "p835", pytest.param("acr", marks=pytest.mark.long)]
)
def test_no_protocol_that_is_about_sound_takes_a_whole_answer_without_one(slug: str) -> None:
    sitting = sit_down(make_experiment(seats=1, protocol=slug), fetched=False)
    page = sitting.upcoming()["trials"][0]
    made = event(page["trial"], payload=whole_answer(sitting.ballot, page))
    (said,) = results(sitting, made)
    assert said["status"] == "sound_missing"
    for address in said["fetch"]:
        assert sitting.client.get(address).status_code == 200
    assert results(sitting, made)[0]["status"] == "stored"


def test_a_summary_may_be_written_and_judged_by_reading_alone() -> None:
    sitting = sit_down(make_experiment(seats=1, protocol="speech_summaries"), fetched=False)
    page = sitting.upcoming()["trials"][0]
    made = event(page["trial"], payload=whole_answer(sitting.ballot, page))
    assert results(sitting, made)[0]["status"] == "stored"
