"""Overview for admins: the health of the installation, its last errors, and the newest changes."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connection
from django.db.models import QuerySet

from core import doctor
from core.check_result import CheckResult
from core.error_log import ErrorKind, recent_errors
from core.jobs import groups
from core.models import AuditEntry


@dataclass(frozen=True)
class Storage:
    """Where the rows and the files lie, and how much room the disk has left; a bucket does not tell."""

    database: str
    database_bytes: int
    files: str
    free_bytes: int | None


@dataclass(frozen=True)
class Overview:
    findings: list[CheckResult]
    storage: Storage
    counts: dict[str, int]
    errors: list[ErrorKind]


def system_status() -> Overview:
    """Everything that `doctor` examines, the counts of jobs, and the last errors."""
    return Overview(
        findings=doctor.examine(),
        storage=_storage(),
        counts=groups.counts(),
        errors=recent_errors(settings.ERROR_LOG),
    )


def audit_log() -> QuerySet[AuditEntry]:
    return AuditEntry.objects.select_related("actor").order_by("-id")


def _storage() -> Storage:
    on_disk = isinstance(default_storage, FileSystemStorage)
    return Storage(
        database=f"{connection.display_name} {'.'.join(str(part) for part in connection.get_database_version())}",
        database_bytes=_database_bytes(),
        files=str(settings.MEDIA_ROOT) if on_disk else settings.S3_BUCKET,
        free_bytes=shutil.disk_usage(settings.DATA_DIR).free if on_disk else None,
    )


def _database_bytes() -> int:
    if connection.vendor == "sqlite":
        return Path(connection.settings_dict["NAME"]).stat().st_size
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])
