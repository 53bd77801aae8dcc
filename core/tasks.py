"""Jobs of core: those declared here, and those of its services."""

from collections.abc import Collection

from django.urls import reverse

from core import database
from core.jobs import JobRun, job
from core.jobs.groups import Subject, subject
from core.models import User
from core.services.password_links import send_password_link as send_password_link


@job(queue="bulk")
def copy_database(*, run: JobRun) -> None:
    """Keep a fresh online copy of an embedded database."""
    done = database.make_copy(at=run.job.created_at)
    run.progress(1, 1, str(done) if done else "PostgreSQL keeps its own backups; nothing was copied here.")


@subject("user")
def accounts_of(ids: Collection[str]) -> dict[str, Subject]:
    address = reverse("core:people")
    return {str(row.pk): Subject(row.username, address) for row in User.objects.filter(pk__in=ids)}
