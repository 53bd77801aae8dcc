"""One shape of error over the whole API, whatever is wrong with the request; nothing is ever answered with a 500."""

import io
import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from core.api import JsonBody
from core.errors import AppError
from core.models import Job
from tests.errors import raises_error
from tests.people import bearing, experimenter, token_of

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.odd_views")]

ECHO = "/api/odd/echo/"


def problem_of(answer: Any) -> str:
    """The code of an error, after checking that it has the one shape."""
    assert answer.headers["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert set(body) == {"type", "code", "status", "detail", "data"}
    assert body["type"] == f"urn:earmark:error:{body['code']}"
    assert body["status"] == answer.status_code
    assert body["detail"]
    return str(body["code"])


def send(client: Client, body: bytes | str, content_type: str = "application/json") -> HttpResponse:
    return client.generic("POST", ECHO, body, content_type)  # type: ignore[return-value]


def test_well_formed_json_is_heard(client: Client) -> None:
    assert send(client, '{"a": [1, "é", null]}').json() == {"heard": {"a": [1, "é", None]}}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"{'a': 1}",
        b"\xff\xfe",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": [-1e999]}',
        b'{"a": "\\u0000"}',
        b'{"\\u0000": 1}',
        b'{"a": "\\ud800"}',
        b'[[["\\udfff"]]]',
        b"[" * 900,
    ],
)
def test_what_is_no_storable_json_is_rejected_as_malformed(client: Client, body: bytes) -> None:
    assert problem_of(send(client, body)) == "request.malformed"


def test_deep_nesting_is_rejected_and_not_a_crash() -> None:
    with raises_error("request.malformed"):
        JsonBody().parse(io.BytesIO(b"[" * 200_000 + b"]" * 200_000))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_rejected(body: bytes) -> None:
    try:
        value = JsonBody().parse(io.BytesIO(body))
    except AppError as error:
        if error.code != "request.malformed":
            raise
        return
    assert json.loads(body) == value


def test_a_body_is_measured_by_its_bytes(client: Client) -> None:
    assert send(client, json.dumps("x" * 998)).status_code == 200
    answer = send(client, json.dumps("x" * 999))
    assert (answer.status_code, problem_of(answer)) == (413, "request.too_large")


def test_another_media_type_is_rejected(client: Client) -> None:
    answer = send(client, "a=1", "application/x-www-form-urlencoded")
    assert (answer.status_code, problem_of(answer)) == (415, "request.media_type")


def test_another_method_is_rejected_with_those_allowed(client: Client) -> None:
    answer = client.delete(ECHO)
    assert (answer.status_code, problem_of(answer)) == (405, "request.method")
    assert answer.headers["Allow"] == "GET, POST, HEAD, OPTIONS"


def test_an_unknown_answer_format_is_rejected(client: Client) -> None:
    answer = client.get(ECHO, headers={"accept": "image/png"})
    assert (answer.status_code, problem_of(answer)) == (406, "request.not_acceptable")


def test_a_throttled_client_is_told_when_to_return(client: Client) -> None:
    answer = client.get("/api/odd/throttled/")
    assert (answer.status_code, problem_of(answer)) == (429, "request.throttled")
    assert answer.headers["Retry-After"] == "7"


def test_a_job_is_shown_to_who_asked_for_it_and_to_nobody_else() -> None:
    erin, eve = experimenter("erin"), experimenter("eve")
    job = Job.objects.create(
        name="core.copy_database", requested_by=erin, error="Traceback\n  line 1\nDiskFull: no room"
    )
    address = f"/api/v1/jobs/{job.pk}/"
    assert bearing(token_of(erin, "read")).get(address).json() == {
        "id": str(job.pk),
        "name": "core.copy_database",
        "state": "queued",
        "attempts": 0,
        "waiting": "Place 1 in the queue, starts within a minute",
        "progress": {"done": 0, "total": 0, "note": ""},
        "error": "DiskFull: no room",
    }
    foreign = bearing(token_of(eve, "read")).get(address)
    assert (foreign.status_code, problem_of(foreign)) == (404, "not_found")


def test_the_api_describes_itself() -> None:
    answer = bearing(token_of(experimenter(), "read")).get("/api/v1/schema/", headers={"accept": "application/json"})
    assert answer.status_code == 200
    described = json.loads(answer.content)
    assert "/api/v1/jobs/{job_id}/" in described["paths"]
    assert "token" in described["components"]["securitySchemes"]
