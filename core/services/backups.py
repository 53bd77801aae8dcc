"""Copies of the database that admins ask for: made now, tried out, downloaded."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.db import connection, transaction
from django.utils.translation import gettext_noop as _

from core import database, tasks
from core.errors import AppError
from core.http_errors import not_found
from core.jobs import JobKind, enqueue
from core.models import Job, User
from core.services import audit


@dataclass(frozen=True)
class Copy:
    name: str
    made: datetime
    bytes: int


def copies() -> list[Copy]:
    """The copies at hand, newest first."""
    found = []
    for path in database.copies():
        facts = path.stat()
        found.append(Copy(path.name, datetime.fromtimestamp(facts.st_mtime, UTC), facts.st_size))
    return found


def are_made_here() -> bool:
    """Whether Earmark copies its database itself; PostgreSQL has tools of its own."""
    return connection.vendor == "sqlite"


def ask_for_copy(*, actor: User) -> Job:
    """Have the database copied by a worker; a copy that waits already is the one."""
    return _ask(tasks.copy_database, "database.copy_asked", actor)


def ask_for_trial(*, actor: User) -> Job:
    """Have a worker try to restore the newest copy."""
    if are_made_here() and not database.copies():
        raise AppError("backup.none", 409, _("There is no copy yet. Make one first."))
    return _ask(tasks.try_restore, "database.restore_trial_asked", actor)


def newest_job(kind: JobKind[...]) -> Job | None:
    return Job.objects.filter(name=kind.name).order_by("-created_at").first()


@transaction.atomic
def take_copy(*, name: str, actor: User) -> Path:
    """The file of a copy, for a person who downloads it; the audit log says who."""
    path = next((path for path in database.copies() if path.name == name), None)
    if path is None:
        raise not_found()
    audit.record(actor=actor, action="database.copy_downloaded", target="database", after={"copy": name})
    return path


@transaction.atomic
def _ask(kind: JobKind[...], action: str, actor: User) -> Job:
    if not are_made_here():
        raise AppError(
            "backup.elsewhere",
            409,
            _("This Earmark runs on PostgreSQL, which is backed up with pg_dump (docs/deployment.md)."),
        )
    audit.record(actor=actor, action=action, target="database")
    return enqueue(kind, key=f"{kind.name} now", requested_by=actor)
