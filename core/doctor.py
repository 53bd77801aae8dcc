"""Doctor: every part of the installation in one line each, with what would mend it."""

import shutil
import sys
import uuid
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from core import database, restoring
from core.check_result import CheckResult, Level
from core.checks import LOOPBACK
from core.jobs import declared_jobs
from core.jobs.queue import SCHEDULE_PREFIX
from core.models import Job

OLDEST_PYTHON = (3, 11)
SHORTEST_KEY = 50
CLOCKS_APART_S = 2
WAITING_TOO_LONG = timedelta(minutes=10)
FULL_SHARE, TIGHT_SHARE = 0.05, 0.2
MIB, GIB = 1024**2, 1024**3


def examine() -> list[CheckResult]:
    """Every finding, in the order in which a newcomer would mend them."""
    findings = [finding for look in _EVERYWHERE for finding in _looked(look)]
    reachable = _database()
    findings.append(reachable)
    if reachable.level is Level.OK:
        migrated = _migrations()
        findings += [migrated, *_looked(database.durability), *_looked(_clock), *_looked(_copies)]
        if migrated.level is Level.OK:
            findings += [finding for look in (_worker, _failed_jobs, _unknown_jobs) for finding in _looked(look)]
    return findings


def urgent() -> list[CheckResult]:
    """What an admin should know at once; these checks are quick, so that a page may make them each time."""
    looks = (_disk, _copies, _worker, _failed_jobs)
    return [finding for look in looks for finding in _looked(look) if finding.level is not Level.OK]


def _looked(look: Callable[[], Iterable[CheckResult]]) -> list[CheckResult]:
    try:
        return list(look())
    except Exception as problem:  # The doctor must report what it meets, whatever that is.
        return [CheckResult(look.__name__.strip("_"), Level.PROBLEM, f"could not be examined: {problem}")]


def _python() -> Iterable[CheckResult]:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        yield CheckResult("python", Level.PROBLEM, f"Python {version} is too old.", "install Python 3.11 or newer")
    else:
        yield CheckResult("python", Level.OK, f"Python {version}.")


def _secret_key() -> Iterable[CheckResult]:
    if len(settings.SECRET_KEY) < SHORTEST_KEY or len(set(settings.SECRET_KEY)) < 10:
        remedy = "set EARMARK_SECRET_KEY to 64 random characters"
        yield CheckResult("secret key", Level.PROBLEM, "The secret key is short enough to guess.", remedy)
    else:
        yield CheckResult("secret key", Level.OK, "The secret key is long and this installation's own.")


def _hosts() -> Iterable[CheckResult]:
    hosts = ", ".join(settings.ALLOWED_HOSTS)
    if "*" in settings.ALLOWED_HOSTS:
        yield CheckResult("hosts", Level.PROBLEM, "Any host name is accepted.", "set EARMARK_HOSTS to the exact names")
    elif settings.PRODUCTION and set(settings.ALLOWED_HOSTS) <= LOOPBACK:
        yield CheckResult(
            "hosts", Level.PROBLEM, "Only this machine is let in.", "set EARMARK_HOSTS to the public name"
        )
    else:
        yield CheckResult("hosts", Level.OK, f"Answers to {hosts}.")


def _second_factor() -> Iterable[CheckResult]:
    if settings.SECOND_FACTOR_REQUIRED:
        yield CheckResult("second factor", Level.OK, "Staff need a second factor.")
    elif set(settings.ALLOWED_HOSTS) <= LOOPBACK:
        yield CheckResult("second factor", Level.OK, "Not required, since only this machine is let in.")
    else:
        said = "Others can reach this server with a password alone."
        yield CheckResult("second factor", Level.WARNING, said, "set EARMARK_SECOND_FACTOR=true")


def _storage() -> Iterable[CheckResult]:
    where = f"the bucket {settings.S3_BUCKET}" if settings.S3_BUCKET else str(settings.MEDIA_ROOT)
    try:
        name = default_storage.save(f"doctor-{uuid.uuid4()}", ContentFile(b"probe"))
        default_storage.delete(name)
    except Exception as problem:  # Every storage fails in its own way.
        remedy = "check the EARMARK_S3_ settings" if settings.S3_BUCKET else f"make {where} writable"
        yield CheckResult("storage", Level.PROBLEM, f"Nothing can be written to {where}: {problem}", remedy)
    else:
        yield CheckResult("storage", Level.OK, f"Files are written to {where}.")


def _disk() -> Iterable[CheckResult]:
    usage = shutil.disk_usage(settings.DATA_DIR)
    share = usage.free / usage.total
    said = f"{usage.free / GIB:.1f} GiB free ({share:.0%})."
    remedy = f"make room on the disk of {settings.DATA_DIR}"
    if share < FULL_SHARE or usage.free < settings.LEAST_FREE_MB * MIB:
        yield CheckResult("disk", Level.PROBLEM, said, remedy)
    elif share < TIGHT_SHARE or usage.free < 2 * GIB:
        yield CheckResult("disk", Level.WARNING, said, remedy)
    else:
        yield CheckResult("disk", Level.OK, said)


def _front_end() -> Iterable[CheckResult]:
    if any((settings.BASE_DIR / "static" / "dist").glob("*.js")):
        yield CheckResult("front end", Level.OK, "The front end is built.")
    else:
        said = "The front end is not built, so no page can play or save anything."
        yield CheckResult("front end", Level.PROBLEM, said, "./earmark run builds it")


def _translations() -> Iterable[CheckResult]:
    sources = [source for folder in settings.LOCALE_PATHS for source in Path(folder).glob("*/LC_MESSAGES/*.po")]
    stale = [source.parts[-3] for source in sources if not _compiled(source)]
    if stale:
        said = f"Translations wait to be compiled: {', '.join(sorted(set(stale)))}."
        remedy = ".venv/bin/pybabel compile -d locale -D 'django djangojs'"
        yield CheckResult("translations", Level.WARNING, said, remedy)
    else:
        yield CheckResult("translations", Level.OK, "The translations are compiled.")


def _compiled(source: Path) -> bool:
    compiled = source.with_suffix(".mo")
    return compiled.exists() and compiled.stat().st_mtime >= source.stat().st_mtime


def _redis() -> Iterable[CheckResult]:
    if not settings.REDIS_URL:
        yield CheckResult("redis", Level.OK, "Not used; the worker finds its jobs by looking.")
        return
    from redis import Redis, RedisError

    try:
        Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2).ping()
    except RedisError as problem:
        said = f"Redis does not answer, so jobs start late: {problem}"
        yield CheckResult("redis", Level.PROBLEM, said, "start Redis, or correct EARMARK_REDIS_URL")
    else:
        yield CheckResult("redis", Level.OK, "Redis answers.")


def _database() -> CheckResult:
    try:
        connection.ensure_connection()
    except (DatabaseError, OSError) as problem:
        said = f"The database cannot be reached: {str(problem).strip()}"
        return CheckResult("database", Level.PROBLEM, said, "start it, or correct EARMARK_DATABASE_URL")
    return CheckResult("database", Level.OK, f"{connection.display_name} answers.")


def _migrations() -> CheckResult:
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        said = f"{len(waiting)} migrations are not applied."
        return CheckResult("migrations", Level.PROBLEM, said, "manage.py migrate")
    return CheckResult("migrations", Level.OK, "All migrations are applied.")


def _integrity() -> Iterable[CheckResult]:
    yield database.integrity()


def _clock() -> Iterable[CheckResult]:
    apart_s = abs((timezone.now() - database.clock()).total_seconds())
    if apart_s > CLOCKS_APART_S:
        said = f"This machine's clock and the database's are {apart_s:.0f} s apart."
        yield CheckResult("clock", Level.WARNING, said, "run a time service (NTP) on both")


def _copies() -> Iterable[CheckResult]:
    if connection.vendor != "sqlite":
        return
    newest = next(iter(database.copies()), None)
    age = timezone.now().timestamp() - newest.stat().st_mtime if newest else None
    if age is None or age > 2 * settings.BACKUP_EVERY_S:
        said = "There is no copy of the database." if age is None else f"The newest copy is {age / 3600:.0f} h old."
        yield CheckResult("copies", Level.WARNING, said, "manage.py copy_database")
    else:
        yield CheckResult("copies", Level.OK, f"The newest copy is {newest}.")
    tried = restoring.last_outcome()
    if tried and tried.problem:
        said = f"The copy {tried.copy} could not be restored. {tried.problem}"
        yield CheckResult("restore", Level.PROBLEM, said, "make a new copy and try again (Service, Backups)")


def _worker() -> Iterable[CheckResult]:
    """A worker shows itself by a running lease, or by having finished something of the schedule lately."""
    lately = timedelta(seconds=60 + 2 * min(settings.SCHEDULE.values(), default=3600))
    signs = Q(state=Job.State.RUNNING, lease_until__gt=Now()) | Q(
        key__startswith=SCHEDULE_PREFIX, state=Job.State.DONE, finished_at__gt=Now() - lately
    )
    waiting = Job.objects.due().filter(not_before__lt=Now() - WAITING_TOO_LONG).count()
    if not Job.objects.filter(signs).exists():
        said = "No worker has been heard of lately."
        yield CheckResult("worker", Level.PROBLEM, said, "manage.py run_worker (./earmark run starts one)")
    elif waiting:
        said = f"{waiting} jobs have waited for more than ten minutes."
        yield CheckResult("worker", Level.WARNING, said, "start more workers, or read their logs")
    else:
        yield CheckResult("worker", Level.OK, "A worker is at work.")


def _failed_jobs() -> Iterable[CheckResult]:
    failed = Job.objects.filter(state=Job.State.FAILED).count()
    if failed:
        said = f"{failed} {'job' if failed == 1 else 'jobs'} failed for good; a person has to look."
        yield CheckResult("failed jobs", Level.WARNING, said, "manage.py failed_jobs shows why; --retry tries again")
    else:
        yield CheckResult("failed jobs", Level.OK, "None.")


def _unknown_jobs() -> Iterable[CheckResult]:
    unknown = Job.objects.due().exclude(name__in=list(declared_jobs())).values_list("name", flat=True).distinct()
    if unknown:
        said = f"Jobs wait that this version does not know: {', '.join(sorted(unknown))}."
        yield CheckResult(
            "unknown jobs", Level.WARNING, said, "finish the upgrade, so that all workers run one version"
        )


_EVERYWHERE: list[Callable[[], Iterable[CheckResult]]] = [
    _python,
    _secret_key,
    _hosts,
    _second_factor,
    _storage,
    _disk,
    _front_end,
    _translations,
    _redis,
    _integrity,
]
