"""Background work: declare it with @job, ask for it with enqueue, and write its effects inside the run's fence."""

import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Concatenate

from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.utils.module_loading import autodiscover_modules

from core import database, doorbell
from core.models import Job, User
from core.services import jobs
from core.services.jobs import LeaseLost as LeaseLost

PROGRESS_EVERY_S = 0.5


class JobRun:
    """One attempt at a job, as the job's function sees it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._latest: jobs.Progress | None = None
        self._shown_at = float("-inf")

    def progress(self, done: int, total: int, note: str = "") -> None:
        """Show how far the work has come; written at most twice a second. Stops a run that has lost its lease."""
        self._latest = jobs.Progress(done, total, note)
        if time.monotonic() - self._shown_at < PROGRESS_EVERY_S:
            return
        self._shown_at = time.monotonic()
        if not jobs.report(job=self.job, progress=self._latest):
            raise LeaseLost(f"{self.job.name} {self.job.pk}: claim {self.job.token} no longer stands.")

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """A transaction that commits only while this attempt still holds the job."""
        with jobs.fenced(job=self.job):
            yield

    @contextmanager
    def finish(self) -> Iterator[None]:
        """The same, and the job is done in the very commit that holds its effect: both happen, once, or neither."""
        with jobs.fenced(job=self.job):
            yield
            jobs.complete(job=self.job, progress=self._latest)

    def complete(self) -> None:
        """Mark the job done unless finish() has; for jobs whose effects may be repeated harmlessly."""
        jobs.complete(job=self.job, progress=self._latest)


@dataclass(frozen=True)
class JobKind:
    """A declared piece of work: its public name, the function that does it, and who waits for it."""

    name: str
    function: Callable[Concatenate[JobRun, ...], None]
    priority: Job.Priority

    def __call__(self, run: JobRun, **arguments: Any) -> None:
        self.function(run, **arguments)

    def check_arguments(self, arguments: dict[str, Any]) -> None:
        """Raise TypeError now, where the mistake is, rather than later in a worker."""
        inspect.signature(self.function).bind(None, **arguments)


_declared: dict[str, JobKind] = {}


def job(
    name: str, *, priority: Job.Priority = Job.Priority.NORMAL
) -> Callable[[Callable[Concatenate[JobRun, ...], None]], JobKind]:
    """Declare a job called "room.what_it_does". It takes ids, calls one service and is safe to run twice."""

    def declare(function: Callable[Concatenate[JobRun, ...], None]) -> JobKind:
        if name in _declared:
            raise ImproperlyConfigured(f"Two jobs are called '{name}'; rename one of them.")
        _declared[name] = JobKind(name, function, priority)
        return _declared[name]

    return declare


@cache
def _load_rooms() -> None:
    autodiscover_modules("tasks")


def declared_jobs() -> Mapping[str, JobKind]:
    """Every job of every room by name; each room declares its own in its tasks module."""
    _load_rooms()
    return _declared


def enqueue(work: JobKind | str, *, key: str = "", requested_by: User | None = None, **arguments: Any) -> Job:
    """Ask for work in the caller's transaction; a worker hears of it on commit.

    With a key, a job that still waits untouched under that key is returned instead of adding another. The key must
    name the work completely: same key, same name and arguments.
    """
    kind = work if isinstance(work, JobKind) else declared_jobs().get(work)
    if kind is None:
        raise LookupError(f"No job is called '{work}'; declare it with @job in a room's tasks module.")
    kind.check_arguments(arguments)
    job = jobs.add(name=kind.name, arguments=arguments, key=key, requested_by=requested_by, priority=kind.priority)
    transaction.on_commit(partial(doorbell.ring, job.pk), robust=True)
    return job


@job("core.copy_database")
def copy_database(run: JobRun) -> None:
    """Keep a fresh online copy of an embedded database."""
    done = database.make_copy(at=run.job.created_at)
    run.progress(1, 1, str(done) if done else "PostgreSQL keeps its own backups; nothing was copied here.")
