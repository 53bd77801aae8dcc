"""Logs without secrets: each rejection of a link is provoked, and what was logged is read."""

import io
import logging
import socket
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from config.logs import mask
from listening.models import Invitation
from listening.participation import views
from rating.models import Experiment
from tests.factories import make_experiment, new_token
from tests.faults.web_server import web_server
from tests.waiting import wait_until

LOGGERS = ["django.request", "django.security.csrf", "gunicorn.error", "gunicorn.access", "celery.worker", "core.views"]


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that reaches the root logger, in the plainest format there is."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def expire(experiment: Experiment) -> None:
    Invitation.objects.filter(seat__panel__experiment=experiment).update(expires_at=timezone.now() - timedelta(days=1))


def pause(experiment: Experiment) -> None:
    Experiment.objects.filter(pk=experiment.pk).update(state=Experiment.State.PAUSED)


@pytest.mark.django_db
def test_no_error_of_a_link_writes_it_down(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = make_experiment(seats=1)
    token = new_token(experiment)
    address = f"/join/{token}/"
    client, strict = Client(raise_request_exception=False), Client(enforce_csrf_checks=True)

    statuses = [client.post(address, {}).status_code]  # without consent
    statuses.append(strict.post(address, {"agree": "on"}).status_code)  # from another site
    statuses.append(client.put(address).status_code)
    statuses.append(client.get(f"/join/{token}x/").status_code)  # mistyped: most of it is right
    statuses.append(client.get(address, headers={"host": "elsewhere.example.org"}).status_code)
    pause(experiment)
    statuses.append(client.post(address, {"agree": "on"}).status_code)
    expire(experiment)
    statuses.append(client.get(address).status_code)

    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError(f"could not open https://example.org{address}?PROLIFIC_PID=5f1e")

    monkeypatch.setattr(views, "invitation_for", broken)
    statuses.append(client.get(address).status_code)

    said = log.getvalue()
    assert statuses[-1] == 500
    assert all(400 <= status < 500 for status in statuses[:-1]), statuses
    assert said.count("/join/[hidden]") >= len(statuses) - 1  # a foreign host is told without the address
    assert token not in said
    assert "5f1e" not in said


@pytest.mark.parametrize("name", LOGGERS)
def test_every_logger_hides_secrets(name: str) -> None:
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    logger = logging.getLogger(name)
    logger.addHandler(handler)
    try:
        logger.error("Conflict: %s", "/join/Wg2zefXkQ93nV_1b-2Lm/")
        failure = ValueError("Key (session_key)=(abc123abc123) already exists.")
        logger.error("At /join/Wg2zefXkQ93nV_1b-2Lm/ with earmark=abc123abc123; path=/", exc_info=failure)
    finally:
        logger.removeHandler(handler)
    said = written.getvalue()
    assert "Conflict: /join/[hidden]/" in said
    assert "ValueError" in said
    assert "Wg2zef" not in said
    assert "abc123abc123" not in said


@pytest.mark.parametrize(
    "text",
    [
        'File "/srv/earmark/core/middleware.py", line 35, in process_exception',
        "Not Found: /experiments/a-rather-long-name-of-an-experiment/people/",
        "core.copy_database 7c9e6679-7425-40de-944b-e07fc1f90ae7 failed in attempt 2.",
        "Not Found: /api/v1/visits/7c9e6679-7425-40de-944b-e07fc1f90ae7/votes/",
        "server.disk: database or disk is full",
    ],
)
def test_what_a_reader_of_the_log_needs_stays(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("GET /join/%57g2zef/?a=b HTTP/1.1", "GET /join/[hidden]/?[hidden] HTTP/1.1"),
        ("/api/v1/visits/7c9e6679-7425-40de-944b-e07fc1f90ae7/media/abc:def/clip/", None),
        ("/visits/back/Qd93nV1b2LmWg2zefXk_-9a0/", "/visits/back/[hidden]/"),
        ("Authorization: Bearer earmark_Qd93nV1b2LmWg2zefXk", "Authorization: Bearer earmark_[hidden]"),
    ],
)
def test_secrets_are_known_by_where_they_stand_or_how_they_look(text: str, masked: str | None) -> None:
    assert mask(text) == (masked or "/api/v1/visits/7c9e6679-7425-40de-944b-e07fc1f90ae7/media/[hidden]/clip/")


@pytest.mark.long  # tests/contracts/test_production.py asks the same of the server that it starts
def test_the_web_server_writes_no_link_down(process_environment: dict[str, str]) -> None:
    """gunicorn has a log of its own, with handlers of its own, for requests that it cannot read."""
    with web_server(process_environment, application="config.wsgi:application") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(b"GET /join/Wg2zefXkQ93nV_1b-2Lm/\r\nHost: 127.0.0.1\r\n\r\n")
            assert connection.recv(12) == b"HTTP/1.1 400"
        wait_until(lambda: "/join/[hidden]" in server.log(), server.log)
        assert "Wg2zef" not in server.log()
