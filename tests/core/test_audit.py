"""The audit log: written with the change or not at all, and never altered."""

from contextlib import suppress
from datetime import timedelta
from functools import partial

import pytest
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from core.models import AuditEntry, Job, User
from core.services import audit
from tests.people import admin, browser_of, experimenter
from tests.races.parallel import at_once


def entry() -> AuditEntry:
    with transaction.atomic():
        return audit.record(actor=None, action="thing.changed", target="thing:1", before={"a": 1}, after={"a": 2})


class Interrupted(Exception):
    """Something that goes wrong after the change and before its commit."""


@transaction.atomic
def make_an_account_and_fail() -> None:
    experimenter()
    assert AuditEntry.objects.exists()
    raise Interrupted


@pytest.mark.django_db(transaction=True)
def test_an_entry_cannot_be_written_outside_a_transaction() -> None:
    with pytest.raises(transaction.TransactionManagementError, match=r"thing\.changed"):
        audit.record(actor=None, action="thing.changed", target="thing:1")
    assert not AuditEntry.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_entry_disappears_with_the_change_that_it_describes() -> None:
    with pytest.raises(Interrupted):
        make_an_account_and_fail()
    assert not User.objects.exists()
    assert not AuditEntry.objects.exists()


@pytest.mark.django_db
def test_an_entry_names_the_row_that_changed() -> None:
    erin = experimenter()
    assert AuditEntry.objects.get().target == f"core.user:{erin.pk}"


@pytest.mark.django_db
def test_the_database_refuses_to_alter_an_entry() -> None:
    written = entry()
    with pytest.raises(DatabaseError, match="never altered"), transaction.atomic():
        AuditEntry.objects.filter(pk=written.pk).update(action="nothing.happened")
    with pytest.raises(DatabaseError, match="never altered"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE core_auditentry SET reason = 'rewritten'")
    written.refresh_from_db()
    assert (written.action, written.reason) == ("thing.changed", "")


@pytest.mark.django_db
def test_the_database_refuses_to_delete_an_entry() -> None:
    written = entry()
    with pytest.raises(DatabaseError, match="never altered"), transaction.atomic():
        AuditEntry.objects.filter(pk=written.pk).delete()
    assert AuditEntry.objects.filter(pk=written.pk).exists()


@pytest.mark.django_db
def test_the_log_page_shows_the_newest_entries_first_and_pages_through_the_rest() -> None:
    ada = admin()
    for number in range(60):
        with transaction.atomic():
            audit.record(actor=ada, action="thing.changed", target=f"thing:{number}", after={"number": number})
    browser = browser_of(ada)
    first = browser.get(reverse("core:audit")).content.decode()
    second = browser.get(reverse("core:audit"), {"page": 2}).content.decode()
    assert "thing:59" in first
    assert "thing:0<" not in first
    assert "thing:0<" in second
    assert browser.get(reverse("core:audit"), {"page": "nonsense"}).status_code == 200


@pytest.mark.django_db
def test_the_page_of_jobs_shows_failed_ones_before_running_and_waiting_ones() -> None:
    lease_until = timezone.now() + timedelta(minutes=1)
    Job.objects.create(name="app.waiting")
    Job.objects.create(name="app.running", state="running", lease_until=lease_until, progress_done=1, progress_total=4)
    Job.objects.create(name="app.failed", state="failed")
    page = browser_of(admin()).get(reverse("core:jobs")).content.decode()
    assert page.index("app.failed") < page.index("app.running") < page.index("app.waiting")
    assert '<progress max="4" value="1"' in page


@pytest.mark.django_db
def test_an_admin_returns_a_failed_job_to_the_queue_and_the_log_says_who() -> None:
    ada = admin()
    job = Job.objects.create(
        name="core.copy_database", state="failed", attempts=5, error="Traceback\nDiskFull: no room"
    )
    browser = browser_of(ada)
    assert "DiskFull" in browser.get(reverse("core:jobs")).content.decode()
    browser.post(reverse("core:retry_jobs"), {"name": job.name})
    browser.post(reverse("core:retry_jobs"), {"name": job.name})
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("queued", 0)
    retried = AuditEntry.objects.get(action="job.retried")
    assert (retried.actor, retried.target) == (ada, f"core.job:{job.pk}")


@pytest.mark.django_db(transaction=True)
def test_entries_written_at_once_follow_each_other() -> None:
    """Eight threads, each with transactions of two entries, some of which are rolled back in the end."""

    def write(number: int) -> None:
        for turn in range(5):
            with suppress(Interrupted), transaction.atomic():
                for part in (1, 2):
                    audit.record(actor=None, action="thing.changed", target=f"thing:{number}", after={"part": part})
                if turn == 3:
                    raise Interrupted

    at_once(*(partial(write, number) for number in range(8)))
    assert AuditEntry.objects.count() == 64
    assert list(audit.broken_entries()) == []
    assert audit.ends_with_head()
