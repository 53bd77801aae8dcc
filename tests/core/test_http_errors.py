"""A locked, full or unreachable database and a full disk: 503 with Retry-After, health that tells, no defect."""

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import DatabaseError, InterfaceError, InternalError, OperationalError, connection
from django.test import Client
from pytest_django.fixtures import Settings

from core.http_errors import transient_error
from core.services import readiness
from rating.models import Vote
from tests.factories import event, sit_down
from tests.migrated import working_on
from tests.people import browser_of, experimenter
from tests.servers import free_port
from tests.testapp.models import Effect

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.odd_views")]

SQLITE = django_settings.TEST_DATABASE == "sqlite"
only_sqlite = pytest.mark.skipif(not SQLITE, reason="a fact about SQLite files")
LARGEST_PAGE_COUNT = 1_073_741_823


@pytest.fixture(autouse=True)
def _every_look_is_new(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(readiness, "FRESH_S", 0)
    readiness._Last.writing = ""
    yield
    readiness._Last.writing = ""


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


@contextmanager
def locked() -> Iterator[None]:
    """Another writer holds the database; this one does not wait for long."""
    other = connection.copy()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 0" if SQLITE else "SET lock_timeout = '50ms'")
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN IMMEDIATE" if SQLITE else "BEGIN")
            if not SQLITE:
                cursor.execute("LOCK TABLE rating_vote, django_session IN EXCLUSIVE MODE")
        yield
    finally:
        other.close()
        connection.close()


@contextmanager
def away(tmp_path: Path) -> Iterator[None]:
    """The database cannot be connected to."""
    place = {"NAME": str(tmp_path / "nowhere" / "x.sqlite3")} if SQLITE else {"PORT": free_port()}
    with working_on(**place):
        yield


@contextmanager
def full() -> Iterator[None]:
    """SQLite may not grow any more, and what room there was is used up: its own "database or disk is full"."""
    with connection.cursor() as cursor:
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages}")
    try:
        for rows in (5000, 200, 1):
            with pytest.raises(OperationalError, match="database or disk is full"):
                while True:
                    Effect.objects.bulk_create([Effect(key="x" * 100) for _ in range(rows)])
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA max_page_count = {LARGEST_PAGE_COUNT}")


def refused(answer: Any, code: str) -> bool:
    assert answer.status_code == 503, answer.content
    assert int(answer.headers["Retry-After"]) > 0
    assert code in answer.content.decode()
    return True


PEOPLE = {"accept": "text/html,*/*"}


def test_a_vote_that_finds_the_database_locked_is_taken_when_it_is_sent_again() -> None:
    sitting = sit_down()
    sitting.client.raise_request_exception = False
    page = sitting.upcoming()["trials"][0]
    for clip in page["media"].values():
        assert sitting.client.get(clip["url"]).status_code == 200
    vote = event(page["trial"])
    with locked():
        answer = sitting.vote(vote)
        assert refused(answer, "server.busy")
        assert answer.headers["Content-Type"] == "application/problem+json"
    assert sitting.vote(vote).json()["results"][0]["status"] == "stored"
    assert Vote.objects.count() == 1


@pytest.mark.parametrize("path", ["/odd/writing/", "/api/odd/writing/", "/odd/remembering/"])
def test_a_locked_database_is_no_defect_wherever_it_is_met(client: Client, path: str) -> None:
    """In a view, in a view of the REST framework, and in middleware after the view."""
    with locked():
        answer = client.get(path, headers=PEOPLE)
        assert refused(answer, "server.busy")
    assert answer.headers["Content-Type"].startswith("application/problem+json" if "api" in path else "text/html")
    assert client.get(path, headers=PEOPLE).status_code == 200


@only_sqlite
@pytest.mark.parametrize("path", ["/odd/writing/", "/api/odd/writing/"])
def test_a_full_database_is_no_defect_and_works_again_when_there_is_room(client: Client, path: str) -> None:
    with full():
        assert refused(client.get(path, headers=PEOPLE), "server.disk")
        for probe in ("/readyz", "/healthz"):
            answer = client.get(probe)
            assert (answer.status_code, answer.json()["ok"]) == (503, False)
            assert answer.json()["writing"] == "failing"
    assert client.get(path).status_code == 200
    assert client.get("/readyz").json() == {"ok": True, "database": "ok", "writing": "ok", "disk": "ok"}


@pytest.mark.parametrize("path", ["/odd/storing/", "/api/odd/storing/"])
def test_a_file_that_finds_no_room_is_no_defect(client: Client, path: str) -> None:
    assert refused(client.get(path, headers=PEOPLE), "server.disk")


@pytest.mark.parametrize("path", ["/experiments/", "/api/v1/jobs/00000000-0000-0000-0000-000000000000/"])
def test_a_database_that_is_away_is_told_to_people_and_programs(tmp_path: Path, path: str) -> None:
    """Who is asking is looked up before the view, in middleware; the page that says so needs no database itself."""
    erin = browser_of(experimenter())
    erin.raise_request_exception = False
    with away(tmp_path):
        assert refused(erin.get(path, headers=PEOPLE), "server.database")
        for probe in ("/readyz", "/healthz"):
            assert (erin.get(probe).status_code, erin.get(probe).json()["database"]) == (503, "unreachable")
    assert erin.get("/experiments/").status_code == 200


def test_a_lock_makes_the_server_unready_and_not_unhealthy(client: Client) -> None:
    with locked():
        ready, healthy = client.get("/readyz"), client.get("/healthz")
    assert (ready.status_code, ready.json()["ok"], ready.json()["writing"]) == (503, False, "busy")
    assert "locked" in ready.json()["reason"]
    assert int(ready.headers["Retry-After"]) > 0
    assert (healthy.status_code, healthy.json()["ok"], healthy.json()["writing"]) == (200, True, "busy")


def test_a_disk_with_little_room_makes_the_server_unready(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LEAST_FREE_MB = 512
    for free_mb, status in ((600, 200), (500, 503)):
        usage = shutil._ntuple_diskusage(10**12, 0, free_mb * 1024**2)
        monkeypatch.setattr(shutil, "disk_usage", lambda path, usage=usage: usage)
        assert client.get("/readyz").status_code == status
    told = client.get("/readyz").json()
    assert (told["ok"], told["disk"]) == (False, "low")
    assert "512 MiB" in told["reason"]
    assert client.get("/healthz").status_code == 200


@pytest.mark.skipif(not SQLITE, reason="PostgreSQL is made read-only in its own test")
def test_a_database_that_cannot_be_written_is_told(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = ON")
    try:
        assert refused(client.get("/odd/writing/"), "server.disk")
        assert client.get("/healthz").json()["writing"] == "failing"
    finally:
        connection.close()


@pytest.mark.postgresql
def test_a_postgresql_that_cannot_be_written_is_told(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    try:
        assert refused(client.get("/odd/writing/"), "server.disk")
        assert client.get("/healthz").json()["writing"] == "failing"
    finally:
        connection.close()


@pytest.mark.postgresql
@pytest.mark.parametrize(
    ("state", "code"),
    [("53100", "server.disk"), ("55P03", "server.busy"), ("40P01", "server.busy"), ("57P01", "server.database")],
)
def test_what_postgresql_says_of_itself_is_understood(state: str, code: str) -> None:
    with connection.cursor() as cursor, pytest.raises(DatabaseError) as told:
        cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'as it were' USING ERRCODE = '{state}'; END $$")
    trouble = transient_error(told.value)
    assert trouble is not None
    assert trouble.code == code


@pytest.mark.postgresql
def test_a_lock_of_postgresql_is_not_waited_for_without_end() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("20s",)


def test_many_who_ask_for_health_cause_one_write(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def write() -> str:
        written.append("ok")
        return "ok"

    monkeypatch.setattr(readiness, "FRESH_S", 3600)
    monkeypatch.setattr(readiness, "_writing", write)
    for _ in range(5):
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
    assert written == ["ok"]


def test_a_probe_leaves_nothing_behind(client: Client) -> None:
    from django.contrib.sessions.models import Session

    with connection.cursor() as cursor:
        asked = "PRAGMA busy_timeout" if SQLITE else "SHOW lock_timeout"
        cursor.execute(asked)
        before = cursor.fetchone()
        assert client.get("/readyz").status_code == 200
        cursor.execute(asked)
        assert cursor.fetchone() == before
    assert not Session.objects.exists()


def failed(kind: type[DatabaseError | InterfaceError], **said: Any) -> Exception:
    """An error as Django raises it: its own, with the driver's as the cause."""
    cause = sqlite3.OperationalError("told by SQLite") if "sqlite_errorcode" in said else Exception("told by psycopg")
    for name, value in said.items():
        setattr(cause, name, value)
    error = kind("told by Django")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (failed(OperationalError, sqlite_errorcode=sqlite3.SQLITE_BUSY_SNAPSHOT), "server.busy"),
        (failed(OperationalError, sqlite_errorcode=sqlite3.SQLITE_IOERR_WRITE), "server.disk"),
        (failed(OperationalError, sqlite_errorcode=sqlite3.SQLITE_READONLY), "server.disk"),
        (failed(OperationalError, sqlite_errorcode=sqlite3.SQLITE_ERROR), None),
        (failed(DatabaseError, sqlite_errorcode=sqlite3.SQLITE_CORRUPT), None),
        (failed(OperationalError, sqlstate="53300"), "server.busy"),
        (failed(OperationalError, sqlstate="08006"), "server.database"),
        (failed(OperationalError, sqlstate=None), "server.database"),
        (failed(InterfaceError, sqlstate=None), "server.database"),
        (failed(InternalError, sqlstate="25006"), "server.disk"),
        (failed(InternalError, sqlstate="25P02"), None),
        (failed(DatabaseError, sqlstate="42601"), None),
        (OSError(errno.EROFS, "read-only"), "server.disk"),
        (OSError(errno.ENOENT, "no such file"), None),
        (ValueError("a defect"), None),
        (None, None),
    ],
)
def test_troubles_that_pass_are_told_from_defects(error: Exception | None, code: str | None) -> None:
    trouble = transient_error(error)
    assert (trouble.code if trouble else None) == code
