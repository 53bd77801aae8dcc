"""Jobs of core: those declared here, and those of its services."""

from collections.abc import Collection

from django.urls import reverse
from django.utils.translation import gettext_noop as _

from core import database, restoring
from core.jobs import JobRun, job
from core.jobs.groups import Subject, subject
from core.models import User
from core.services.password_links import send_password_link as send_password_link


@job(queue="bulk", title=_("Copying the database"))
def copy_database(*, run: JobRun) -> None:
    """Keep a fresh online copy of an embedded database."""
    done = database.make_copy(at=run.job.created_at, progress=run.progress)
    run.progress(1, 1, str(done) if done else "PostgreSQL keeps its own backups; nothing was copied here.")


@job(queue="bulk", title=_("Trying to restore the newest copy"))
def try_restore(*, run: JobRun) -> None:
    """Restore the newest copy into a temporary place and keep what was found; a problem is a result, no failure."""
    restoring.try_newest(at=run.job.created_at, progress=run.progress)


@subject("user")
def accounts_of(ids: Collection[str]) -> dict[str, Subject]:
    address = reverse("core:people")
    return {str(row.pk): Subject(row.username, address) for row in User.objects.filter(pk__in=ids)}
