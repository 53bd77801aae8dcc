"""A participant's sound: opaque, bound to the visit, expiring by the server's clock, and alike for every condition."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.http import HttpResponseBase
from django.utils import timezone
from pytest_django.fixtures import Settings

from listening.participation.services import media
from rating.models import Slot
from tests.errors import raises_error
from tests.factories import Sitting, sit_down

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_sitting(module_db: None) -> Sitting:
    return sit_down()


@pytest.fixture(scope="module")
def stranger(module_db: None) -> Sitting:
    """A participant of another experiment, who only asks."""
    return sit_down()


def addresses(sitting: Sitting) -> list[str]:
    return [sound["url"] for page in sitting.upcoming()["trials"] for sound in page["media"].values()]


def body(response: HttpResponseBase) -> bytes:
    return response.getvalue()


def one_slot(sitting: Sitting) -> Slot:
    return Slot.objects.filter(trial__ballot=sitting.ballot).order_by("trial__position", "key")[0]


def seen(response: HttpResponseBase) -> tuple[Any, ...]:
    """All that can be told of an answer without listening to it."""
    return response.status_code, sorted(response.headers.items()), len(body(response))


def test_addresses_are_fresh_after_a_while_and_work(sitting: Sitting) -> None:
    first, now = addresses(sitting), timezone.now()
    later = media.key_for(visit=sitting.visit, media_id=one_slot(sitting).media, now=now + timedelta(seconds=600))
    assert later not in "".join(first)
    assert {sitting.client.get(address).status_code for address in first} == {200}


def test_a_page_that_is_loaded_again_soon_has_the_same_addresses(settings: Settings, sitting: Sitting) -> None:
    settings.MEDIA_URL_EXPIRES_S = 900
    round_time = datetime(2026, 1, 1, tzinfo=UTC)
    keys = {
        media.key_for(visit=sitting.visit, media_id=one_slot(sitting).media, now=round_time + timedelta(seconds=after))
        for after in (1, 150, 300)
    }
    assert len(keys) == 1


def test_a_key_is_good_until_it_expires_and_not_a_second_longer(settings: Settings, sitting: Sitting) -> None:
    settings.MEDIA_URL_EXPIRES_S = 900
    now = datetime(2026, 1, 1, tzinfo=UTC)  # a round time, when keys end
    slot = one_slot(sitting)
    key = media.key_for(visit=sitting.visit, media_id=slot.media, now=now)
    just_before, then = now + timedelta(seconds=899.9), now + timedelta(seconds=900)
    assert media.stimulus_for(visit=sitting.visit, key=key, now=just_before) == slot.stimulus
    with raises_error("media.expired"):
        media.stimulus_for(visit=sitting.visit, key=key, now=then)
    renewed = media.renewed(visit=sitting.visit, key=key, now=just_before)
    assert media.stimulus_for(visit=sitting.visit, key=renewed, now=then) == slot.stimulus


def test_an_expired_address_answers_410_and_the_page_can_ask_again(settings: Settings, sitting: Sitting) -> None:
    settings.MEDIA_URL_EXPIRES_S = 0
    expired = addresses(sitting)[0]
    answer = sitting.client.get(expired)
    assert (answer.status_code, answer.json()["code"]) == (410, "media.expired")
    settings.MEDIA_URL_EXPIRES_S = 900
    assert sitting.client.get(addresses(sitting)[0]).status_code == 200


@pytest.mark.parametrize("below", ["", "clip/", "manifest/", "peaks/0/", "tiles/max/0/0/", "slice/"])
def test_everything_of_a_sound_lies_behind_the_same_key(below: str, sitting: Sitting, stranger: Sitting) -> None:
    one, other = sitting, stranger
    address = addresses(one)[0] + below
    answer = one.client.get(address)
    assert answer.status_code == 200, answer.getvalue()
    assert other.client.get(address).status_code == 401
    assert other.client.get(address.replace(str(one.visit.pk), str(other.visit.pk))).status_code == 404


def test_a_key_cannot_be_guessed_prolonged_or_carried_to_another_visit(sitting: Sitting, stranger: Sitting) -> None:
    one, other = sitting, stranger
    now = timezone.now()
    key = media.key_for(visit=one.visit, media_id=one_slot(one).media, now=now)
    name, expires_at, signature = key.split(".")
    forged = [
        f"{name}.{int(expires_at) + 900}.{signature}",
        f"{one_slot(other).media.hex}.{expires_at}.{signature}",
        f"{name}.{expires_at}.{signature[:-1]}",
        name,
        str(UUID(name)),
        "1",
    ]
    for wrong in forged:
        with raises_error("media.unknown"):
            media.stimulus_for(visit=one.visit, key=wrong, now=now)
    with raises_error("media.unknown"):
        media.stimulus_for(visit=other.visit, key=key, now=now)


def test_two_conditions_of_an_item_cannot_be_told_apart_without_listening(sitting: Sitting) -> None:
    slots = Slot.objects.filter(trial__ballot=sitting.ballot, stimulus__item__name="secretitem0").select_related(
        "stimulus__condition"
    )
    assert len({slot.stimulus.condition.name for slot in slots}) == 2
    keys = [media.key_for(visit=sitting.visit, media_id=slot.media, now=timezone.now()) for slot in slots]
    bases = [f"{sitting.api}media/{key}/" for key in keys]
    for below, more in [
        ("", {}),
        ("clip/", {"Range": "bytes=10-99"}),
        ("peaks/0/", {}),
        ("clip/", {"Range": "bytes=9999999-"}),
    ]:
        answers = [sitting.client.get(base + below, headers=more) for base in bases]
        assert len({str(seen(answer)) for answer in answers}) == 1, below
    sounds = [body(sitting.client.get(base)) for base in bases]
    assert sounds[0] != sounds[1], "the same sound twice would prove nothing"
    manifests = [sitting.client.get(f"{base}manifest/").json() for base in bases]
    for manifest in manifests:
        assert urlsplit(manifest.pop("base")).path.startswith(f"{sitting.api}media/")
    assert manifests[0] == manifests[1]


def test_a_manifest_tells_a_participant_neither_measures_nor_names(sitting: Sitting) -> None:
    answer = sitting.client.get(f"{addresses(sitting)[0]}manifest/")
    told = answer.json()
    assert told["length_samples"] > 0
    assert not {"measures", "ingest", "title", "name"} & set(told)
    assert "secret" not in answer.content.decode()
    assert answer.headers["Cache-Control"] == "private, no-store"


def test_no_answer_says_when_or_from_what_a_sound_was_made(sitting: Sitting) -> None:
    base = addresses(sitting)[0]
    for below in ("", "clip/", "manifest/", "peaks/0/", "tiles/max/0/0/", "slice/"):
        headers = sitting.client.get(base + below).headers
        assert not {"ETag", "Last-Modified", "Content-Disposition"} & set(headers), below
        assert "no-store" in headers["Cache-Control"] or "private" in headers["Cache-Control"]
    assert sitting.client.get(f"{base}slice/").headers["Content-Type"] == "application/octet-stream"
