"""The participant's API under bad input: a documented code and a sentence each, and nothing written."""

import json
from typing import Any

import pytest
from django.test import Client

from rating.models import RejectedVote, Score, Vote
from tests.factories import Sitting, event, marks, new_id, sit_down

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_sitting(module_db: None) -> Sitting:
    return sit_down()


@pytest.fixture
def trial(sitting: Sitting) -> str:
    page: str = sitting.upcoming()["trials"][0]["trial"]
    return page


def nothing_written() -> bool:
    return not Vote.objects.exists() and not Score.objects.exists()


def test_an_answer_is_stored_and_acknowledged(sitting: Sitting, trial: str) -> None:
    answer = sitting.vote(event(trial)).json()
    assert answer["results"][0] | {"event_id": ""} == {"event_id": "", "status": "stored", "revision": 1}
    assert (answer["answered"], answer["total"]) == (1, 4)
    assert Score.objects.get().value == 4


@pytest.mark.parametrize(
    "payload",
    [
        marks(6),
        marks(0),
        marks(3.5),
        marks("4"),
        marks(True),
        marks(None),
        marks(4, scale="SIG"),
        marks(4, slot="b"),
        {"marks": []},
        {"marks": [*marks(4)["marks"], *marks(5)["marks"]]},
        {"marks": "4"},
        {},
        [],
        4,
    ],
)
def test_an_answer_that_does_not_fit_is_refused_with_a_sentence_and_kept_apart(
    sitting: Sitting, trial: str, payload: Any
) -> None:
    response = sitting.vote(event(trial, payload=payload))
    result = response.json()["results"][0]
    assert response.status_code == 200
    assert (result["status"], result["code"]) == ("refused", "vote.invalid")
    assert len(result["detail"]) > 40
    assert nothing_written()
    assert RejectedVote.objects.get().body["payload"] == payload


def test_a_good_answer_is_stored_beside_a_bad_one(sitting: Sitting) -> None:
    first, second = (page["trial"] for page in sitting.upcoming()["trials"][:2])
    results = sitting.vote(event(first, value=9), event(second)).json()["results"]
    assert [result["status"] for result in results] == ["refused", "stored"]
    assert Vote.objects.get().trial_id.hex == second.replace("-", "")


def test_a_page_of_another_ballot_is_unknown(sitting: Sitting) -> None:
    foreign = sit_down().upcoming()["trials"][0]["trial"]
    result = sitting.vote(event(foreign)).json()["results"][0]
    assert result["code"] == "vote.unknown_trial"
    assert nothing_written()


def test_the_same_id_with_another_answer_is_refused(sitting: Sitting, trial: str) -> None:
    first = event(trial, value=4)
    sitting.vote(first)
    result = sitting.vote(first | {"payload": marks(1)}).json()["results"][0]
    assert (result["status"], result["code"]) == ("refused", "vote.key_reused")
    assert Score.objects.get().value == 4


@pytest.mark.parametrize(
    "change",
    [
        {"event_id": "7"},
        {"event_id": None},
        {"trial": "nonsense"},
        {"revision": -1},
        {"revision": 10**30},
        {"revision": "one"},
        {"heard": [1]},
        {"clock": "noon"},
    ],
)
def test_an_event_of_the_wrong_shape_is_refused_whole(sitting: Sitting, trial: str, change: dict[str, Any]) -> None:
    response = sitting.vote(event(trial) | change)
    assert response.status_code == 400
    assert response.json()["code"] == "request.invalid"
    assert next(iter(change)) in json.dumps(response.json()["data"])
    assert nothing_written()
    assert not RejectedVote.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'{"client": "1"}',
        b'{"client": "1", "events": []}',
        b'{"client": "1", "events": NaN}',
        b"[" * 20_000,
        b'{"client": "\\u0000", "events": []}',
        b'{"client": "\\ud800", "events": []}',
        b"\xff\xfe",
    ],
)
def test_a_body_that_is_no_batch_is_refused(sitting: Sitting, body: bytes) -> None:
    response = sitting.client.post(f"{sitting.api}votes/", body, content_type="application/json")
    assert response.status_code == 400
    assert response.json()["code"] in ("request.malformed", "request.invalid")
    assert nothing_written()


def test_an_answer_nested_beyond_reason_is_refused(sitting: Sitting, trial: str) -> None:
    payload: Any = 4
    for _ in range(600):
        payload = [payload]
    response = sitting.vote(event(trial, payload=payload))
    assert (response.status_code, response.json()["code"]) == (400, "request.malformed")


def test_a_body_of_another_type_is_refused(sitting: Sitting) -> None:
    response = sitting.client.post(f"{sitting.api}votes/", "x", content_type="text/plain")
    assert (response.status_code, response.json()["code"]) == (415, "request.media_type")


def test_a_body_past_48_kib_is_refused(sitting: Sitting, trial: str) -> None:
    response = sitting.vote(event(trial, heard={"padding": "x" * 50_000}))
    assert (response.status_code, response.json()["code"]) == (413, "request.too_large")
    assert nothing_written()


def test_more_than_fifty_events_are_refused(sitting: Sitting, trial: str) -> None:
    small = {"trial": trial, "revision": 0, "payload": 1}
    response = sitting.vote(*({"event_id": str(new_id()), **small} for _ in range(51)))
    assert (response.status_code, response.json()["code"]) == (400, "request.invalid")


def test_a_foreign_page_cannot_post(sitting: Sitting, trial: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = sitting.client.cookies
    body = {"client": "1", "events": [event(trial)]}
    response = strict.post(f"{sitting.api}votes/", body, content_type="application/json")
    assert response.status_code == 403
    assert response.json()["code"] == "request.csrf"
    assert nothing_written()
