"""Blindness: no condition, item or file name in any byte that reaches a participant."""

from random import Random

import pytest
from django.http import HttpResponseBase

from rating.models import Trial
from rating.registry import get_protocol, protocols
from rating.services.pages import plan_of
from stimuli.models import Recording
from tests.factories import Sitting, event, make_experiment, sit_down

pytestmark = pytest.mark.django_db
# One for each kind of page: a clip to be rated, texts, and a workspace. That no protocol names anything in what it
# presents is in the contract of protocols, and all of it is served in the same way.
KINDS = ("acr", "speech_summaries", "tcsd_plane")


def everything_in(response: HttpResponseBase) -> str:
    body = b"".join(response) if response.streaming else response.content  # type: ignore[attr-defined]
    return f"{response.headers} {body.decode('latin-1')}"


def whole_visit(sitting: Sitting) -> list[HttpResponseBase]:
    """Open every page and every answer that a participant's browser meets, errors included, answering as a bot does."""
    protocol = get_protocol(sitting.ballot.experiment.protocol)
    browser, api = sitting.client, sitting.api
    opened = (sitting.link, f"/visits/{sitting.visit.id}/", f"{api}upcoming/")
    seen: list[HttpResponseBase] = [browser.get(address) for address in opened]
    while trials := sitting.upcoming()["trials"]:
        for page in trials:
            trial = Trial.objects.get(pk=page["trial"])
            payload = protocol.example(plan_of(trial, trial.slots.all()), Random(1))
            for sound in page["media"].values():
                seen += [browser.get(sound["url"] + part) for part in ("", "manifest/", "slice/?start=0&count=100")]
            seen.append(sitting.vote(event(page["trial"], value=99)))
            seen.append(sitting.vote(event(page["trial"]) | {"payload": payload}))
    seen += [browser.post(f"{api}finish/"), browser.get(f"/visits/{sitting.visit.id}/receipt/")]
    seen.append(browser.get(f"{api}media/{sitting.visit.id}/"))
    return seen


@pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=[pytest.mark.long] * (slug not in KINDS)) for slug in protocols()]
)
def test_a_whole_visit_names_nothing(slug: str) -> None:
    sitting = sit_down(make_experiment(protocol=slug, seats=1))
    seen = "".join(everything_in(response) for response in whole_visit(sitting))
    assert get_protocol(slug).scales[0].key in seen, "the crawl must have met the pages at all"
    assert "secret" not in seen
    assert "full-length" not in seen
    for sha256 in Recording.objects.values_list("sha256", flat=True):
        assert sha256 not in seen


def test_every_sound_has_the_same_headers_and_its_address_is_used_once() -> None:
    one, other = sit_down(), sit_down()
    pages = one.upcoming()["trials"] + other.upcoming()["trials"]
    addresses = [sound["url"] for page in pages for sound in page["media"].values()]
    assert len(set(addresses)) == len(addresses) == 8
    headers = set()
    for page in one.upcoming()["trials"]:
        for sound in page["media"].values():
            response = one.client.get(sound["url"])
            headers.add(tuple(sorted((name, value) for name, value in response.headers.items())))
            assert not {"ETag", "Last-Modified", "Content-Disposition"} & set(response.headers)
    assert len(headers) == 1


def test_a_sound_of_another_person_cannot_be_fetched() -> None:
    one, other = sit_down(), sit_down()
    address = next(iter(other.upcoming()["trials"][0]["media"].values()))["url"]
    assert one.client.get(address).status_code == 401
    own = address.replace(str(other.visit.id), str(one.visit.id))
    assert one.client.get(own).status_code == 404
