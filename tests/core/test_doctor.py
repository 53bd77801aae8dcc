"""The doctor: one line a piece, the remedy beside it, exit 1 when something is a problem."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from core import doctor
from core.check_result import CheckResult, Level
from core.jobs import declared_jobs, enqueue, queue
from core.models import Job
from tests.servers import free_port
from tests.testapp.tasks import refuse, write

pytestmark = pytest.mark.django_db


def finding(piece: str) -> CheckResult:
    return next(found for found in doctor.examine() if found.piece == piece)


def claimed(job: Job) -> Job:
    found = queue.claim(worker="test", names=list(declared_jobs()), job_id=job.pk)
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def _sound(settings: Settings, tmp_path: Path) -> None:
    """A folder of its own, so that nothing depends on the machine's."""
    settings.BASE_DIR = settings.DATA_DIR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.LOCALE_PATHS = [tmp_path / "locale"]
    (tmp_path / "static" / "dist").mkdir(parents=True)
    (tmp_path / "static" / "dist" / "trial.js").write_text("")


def test_every_piece_has_one_line_and_a_remedy_where_it_ails() -> None:
    findings = doctor.examine()
    pieces = [found.piece for found in findings]
    assert len(pieces) == len(set(pieces))
    assert {"python", "secret key", "hosts", "second factor", "storage", "disk", "front end"} <= set(pieces)
    assert {"translations", "redis", "database", "migrations", "durability", "worker", "failed jobs"} <= set(pieces)
    assert all(found.remedy for found in findings if found.level is not Level.OK)
    assert all("\n" not in str(found) for found in findings)


def test_it_exits_with_1_while_no_worker_is_there_and_with_0_once_one_is() -> None:
    said = StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("doctor", stdout=said)
    assert end.value.code == 1
    assert "problem  worker" in said.getvalue()
    claimed(enqueue(write, effect="a"))
    said = StringIO()
    call_command("doctor", "--json", stdout=said)
    assert {found["level"] for found in json.loads(said.getvalue())} <= {"ok", "warning"}


def test_a_worker_is_known_by_what_the_schedule_has_done_lately() -> None:
    job = claimed(enqueue(write, key="schedule:test", effect="a"))
    queue.complete(job=job)
    assert finding("worker").level is Level.OK
    Job.objects.update(finished_at=Now() - timedelta(days=3))
    assert finding("worker").level is Level.PROBLEM


def test_jobs_that_wait_too_long_are_told() -> None:
    claimed(enqueue(write, effect="a"))
    waiting = enqueue(write, effect="b")
    Job.objects.filter(pk=waiting.pk).update(not_before=Now() - timedelta(hours=1))
    assert "1 jobs" in finding("worker").sentence
    assert finding("worker").level is Level.WARNING


def test_failed_jobs_are_told_and_the_remedy_shows_and_retries_them() -> None:
    job = claimed(enqueue(refuse, effect="a"))
    assert finding("failed jobs").level is Level.OK
    queue.fail(job=job, error="It would not.")
    assert finding("failed jobs").level is Level.WARNING
    said = StringIO()
    call_command("failed_jobs", stdout=said)
    assert "It would not." in said.getvalue()
    assert Job.objects.get().state == Job.State.FAILED
    call_command("failed_jobs", "--retry", stdout=said)
    assert Job.objects.get().state == Job.State.QUEUED


def test_jobs_of_another_version_are_told() -> None:
    Job.objects.create(name="core.from_the_future")
    assert "core.from_the_future" in finding("unknown jobs").sentence


def test_a_missing_migration_is_a_problem_with_its_command() -> None:
    ((app, newest),) = MigrationLoader(connection).graph.leaf_nodes("analysis")
    MigrationRecorder(connection).record_unapplied(app, newest)
    assert finding("migrations").level is Level.PROBLEM
    assert "migrate" in finding("migrations").remedy


def test_a_front_end_that_was_not_built_is_a_problem(settings: Settings) -> None:
    assert finding("front end").level is Level.OK
    (settings.BASE_DIR / "static" / "dist" / "trial.js").unlink()
    assert finding("front end").level is Level.PROBLEM


def test_translations_older_than_their_source_are_told(settings: Settings) -> None:
    folder = settings.LOCALE_PATHS[0] / "fr" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "django.po").write_text("")
    assert finding("translations").level is Level.WARNING
    assert "fr" in finding("translations").sentence
    (folder / "django.mo").write_bytes(b"")
    assert finding("translations").level is Level.OK


def test_a_storage_that_cannot_be_written_is_a_problem(settings: Settings, tmp_path: Path) -> None:
    assert finding("storage").level is Level.OK
    assert list(settings.MEDIA_ROOT.iterdir()) == [], "the probe is taken away again"
    (tmp_path / "a file").write_text("")
    settings.MEDIA_ROOT = tmp_path / "a file"
    assert finding("storage").level is Level.PROBLEM


def test_an_absent_redis_is_a_problem_only_where_it_is_wanted(settings: Settings) -> None:
    settings.REDIS_URL = ""
    assert finding("redis").level is Level.OK
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    assert finding("redis").level is Level.PROBLEM


@pytest.mark.redis
def test_a_present_redis_is_fine() -> None:
    assert finding("redis").sentence == "Redis answers."


@pytest.mark.parametrize(
    ("changes", "piece", "level"),
    [
        ({"SECRET_KEY": "short"}, "secret key", Level.PROBLEM),
        ({"SECRET_KEY": "a" * 80}, "secret key", Level.PROBLEM),
        ({"ALLOWED_HOSTS": ["*"]}, "hosts", Level.PROBLEM),
        ({"ALLOWED_HOSTS": ["localhost"], "PRODUCTION": True}, "hosts", Level.PROBLEM),
        ({"ALLOWED_HOSTS": ["listen.example.org"], "PRODUCTION": True}, "hosts", Level.OK),
        ({"ALLOWED_HOSTS": ["listen.example.org"], "SECOND_FACTOR_REQUIRED": False}, "second factor", Level.WARNING),
        ({"ALLOWED_HOSTS": ["listen.example.org"], "SECOND_FACTOR_REQUIRED": True}, "second factor", Level.OK),
        ({"ALLOWED_HOSTS": ["127.0.0.1"], "SECOND_FACTOR_REQUIRED": False}, "second factor", Level.OK),
    ],
)
def test_dangerous_settings_are_told(changes: dict[str, object], piece: str, level: Level, settings: Settings) -> None:
    for name, value in changes.items():
        setattr(settings, name, value)
    assert finding(piece).level is level


def test_a_full_disk_is_a_problem_before_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    for free_gib, level in ((60, Level.OK), (15, Level.WARNING), (4, Level.PROBLEM)):
        usage = shutil._ntuple_diskusage(100 * doctor.GIB, 0, free_gib * doctor.GIB)
        monkeypatch.setattr(shutil, "disk_usage", lambda path, usage=usage: usage)
        assert finding("disk").level is level


@pytest.mark.skipif(django_settings.TEST_DATABASE != "sqlite", reason="only SQLite is copied")
def test_a_database_without_a_recent_copy_is_told(settings: Settings) -> None:
    assert finding("copies").level is Level.WARNING
    copies = settings.DATA_DIR / "copies"
    copies.mkdir()
    (copies / "earmark-20260301T080000Z.sqlite3").write_bytes(b"")
    assert finding("copies").level is Level.OK


def test_a_look_that_fails_is_reported_and_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def _broken() -> list[CheckResult]:
        raise OSError("no such device")

    monkeypatch.setattr(doctor, "_EVERYWHERE", [_broken])
    assert finding("broken").level is Level.PROBLEM
    assert finding("database").level is Level.OK
