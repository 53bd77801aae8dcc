"""Overview for admins: the state of the installation, its jobs, and the newest changes."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connection
from django.db.models import Case, Count, QuerySet, When

from core import database
from core.check_result import CheckResult
from core.models import AuditEntry, Job

UNFINISHED_SHOWN = 100
FINISHED_SHOWN = 10


@dataclass(frozen=True)
class Storage:
    """Where the rows and the files lie, and how much room the disk has left; a bucket does not tell."""

    database: str
    database_bytes: int
    files: str
    free_bytes: int | None
    newest_copy: str


@dataclass(frozen=True)
class Overview:
    findings: list[CheckResult]
    storage: Storage
    counts: dict[str, int]
    unfinished: QuerySet[Job]
    finished: QuerySet[Job]


def system_status() -> Overview:
    found = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    urgency = Case(When(state=Job.State.FAILED, then=0), When(state=Job.State.RUNNING, then=1), default=2)
    return Overview(
        findings=database.durability(),
        storage=_storage(),
        counts={state: found.get(state, 0) for state in Job.State.values},
        unfinished=Job.objects.exclude(state=Job.State.DONE).order_by(urgency, "created_at")[:UNFINISHED_SHOWN],
        finished=Job.objects.filter(state=Job.State.DONE).order_by("-finished_at")[:FINISHED_SHOWN],
    )


def audit_log() -> QuerySet[AuditEntry]:
    return AuditEntry.objects.select_related("actor").order_by("-id")


def _storage() -> Storage:
    on_disk = isinstance(default_storage, FileSystemStorage)
    copies = database.copies()
    return Storage(
        database=f"{connection.display_name} {'.'.join(str(part) for part in connection.get_database_version())}",
        database_bytes=_database_bytes(),
        files=str(settings.MEDIA_ROOT) if on_disk else settings.S3_BUCKET,
        free_bytes=shutil.disk_usage(settings.DATA_DIR).free if on_disk else None,
        newest_copy=copies[0].name if copies else "",
    )


def _database_bytes() -> int:
    if connection.vendor == "sqlite":
        return Path(connection.settings_dict["NAME"]).stat().st_size
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])
