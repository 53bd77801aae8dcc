"""Backups in the page: made, tried out, downloaded; on PostgreSQL the page says what to do instead."""

import json
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from core import database, doctor, restoring
from core.check_result import Level
from core.jobs import declared_jobs, queue
from core.jobs.worker import work
from core.models import AuditEntry, User
from core.services import backups
from tests.people import admin, browser_of, experimenter

# Not in a transaction of the test: the copy is read through a connection of its own.
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(settings.TEST_DATABASE != "sqlite", reason="copies are made of SQLite alone"),
]


@pytest.fixture(autouse=True)
def _own_folder(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def browser() -> Client:
    return browser_of(admin())


def worked() -> None:
    """Do what a worker would."""
    job = queue.claim(worker="test", names=list(declared_jobs()))
    assert job is not None
    work(job)
    job.refresh_from_db()
    assert job.state == "done", job.error


def page(browser: Client) -> str:
    return unescape(browser.get(reverse("core:backups")).content.decode())


def test_a_copy_is_made_now_listed_with_its_size_and_downloaded_with_a_trace(browser: Client) -> None:
    assert "no copy yet" in page(browser)
    for _ in range(2):
        browser.post(reverse("core:make_copy"))  # twice: one copy waits
    worked()
    [copy] = database.copies()
    assert copy.name in page(browser)
    answer = browser.post(reverse("core:download_copy", args=[copy.name]))
    assert answer.getvalue() == copy.read_bytes()
    assert "attachment" in answer.headers["Content-Disposition"]
    entry = AuditEntry.objects.get(action="database.copy_downloaded")
    assert entry.after == {"copy": copy.name}
    for name in ("secret-key", "..%2Fsecret-key", copy.name.replace("sqlite3", "json")):
        assert browser.post(reverse("core:download_copy", args=[name])).status_code == 404


def test_a_trial_restores_the_newest_copy_elsewhere_and_counts_what_has_changed(browser: Client) -> None:
    assert "Make one first" in unescape(browser.post(reverse("core:try_restore"), follow=True).content.decode())
    database.make_copy()
    experimenter()
    browser.post(reverse("core:try_restore"))
    before = {path.name for path in database.copies_folder().iterdir()}
    worked()
    outcome = restoring.last_outcome()
    assert outcome is not None
    assert outcome.problem == ""
    assert outcome.tables > 20
    assert restoring.Difference("core_user", 1, 2) in outcome.differences
    assert {path.name for path in database.copies_folder().iterdir()} == before | {restoring.OUTCOME}
    assert User.objects.count() == 2
    shown = page(browser)
    assert "has all that was copied" in shown
    assert "core_user" in shown


@pytest.mark.parametrize("harm", ["cut", "rows", "not a database"])
def test_a_copy_that_cannot_be_restored_is_told_on_the_page_and_by_the_doctor(browser: Client, harm: str) -> None:
    copy = database.make_copy()
    assert copy is not None
    if harm == "cut":
        copy.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])
    elif harm == "rows":
        counts = json.loads(database.counts_of(copy).read_text())
        database.counts_of(copy).write_text(json.dumps(counts | {"core_user": 7}))
    else:
        copy.write_bytes(b"not a database" * 100)
    browser.post(reverse("core:try_restore"))
    worked()
    outcome = restoring.last_outcome()
    assert outcome is not None
    assert outcome.problem
    assert outcome.problem in page(browser)
    found = [finding for finding in doctor.examine() if finding.piece == "restore"]
    assert [finding.level for finding in found] == [Level.PROBLEM]
    if harm == "rows":
        assert "core_user has 1 rows, and had 7" in outcome.problem


def test_old_copies_go_with_their_counts(settings: Settings) -> None:
    settings.BACKUP_KEEP = 1
    first = database.make_copy(at=database.clock().replace(year=2020))
    second = database.make_copy()
    assert first is not None
    assert database.copies() == [second]
    assert not database.counts_of(first).exists()


def test_on_postgresql_the_page_says_what_to_do(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backups, "are_made_here", lambda: False)
    assert "pg_dump" in page(browser)
    assert "pg_dump" in unescape(browser.post(reverse("core:make_copy"), follow=True).content.decode())
