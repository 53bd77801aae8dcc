"""Background jobs: declared with @job, asked for with enqueue, their effects written inside the run's fence.

A job is a row (core.models.Job) and, in production, a Celery task of the same name. The row is the record.
"""

import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Generic, Literal, ParamSpec

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.utils.module_loading import autodiscover_modules

from core.jobs import notify, queue
from core.jobs.queue import LeaseLost as LeaseLost
from core.models import Job, User

PROGRESS_EVERY_S = 0.5

Parameters = ParamSpec("Parameters")


class JobRun:
    """One attempt at a job, as the job's function sees it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._latest: queue.Progress | None = None
        self._shown_at = float("-inf")

    def progress(self, done: int, total: int, note: str = "") -> None:
        """Show how far the work has come; written at most twice a second.

        Stops a run that has lost its lease, or whose job was cancelled.
        """
        self._latest = queue.Progress(done, total, note)
        if time.monotonic() - self._shown_at < PROGRESS_EVERY_S:
            return
        self._shown_at = time.monotonic()
        if not queue.report(job=self.job, progress=self._latest):
            raise LeaseLost(f"{self.job.name} {self.job.pk}: claim {self.job.token} no longer stands.")

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """A transaction that commits only while this attempt still holds the job."""
        with queue.fenced(job=self.job):
            yield

    @contextmanager
    def finish(self) -> Iterator[None]:
        """The same, and the job is done in the very commit that holds its effect: both happen, once, or neither."""
        with queue.fenced(job=self.job):
            yield
            queue.complete(job=self.job, progress=self._latest)

    def complete(self) -> None:
        """Mark the job done unless finish() has; for jobs whose effects may be repeated harmlessly."""
        queue.complete(job=self.job, progress=self._latest)


@dataclass(frozen=True)
class JobKind(Generic[Parameters]):
    """A declared job: its name, the function that does the work, and the queue that its rows and messages wait in."""

    name: str
    function: Callable[Parameters, None]
    queue: Job.Queue
    title: str = ""  # what a person who waits for it reads, marked for translation; empty if nobody does

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        self.function(*args, **kwargs)

    def check_arguments(self, arguments: dict[str, Any]) -> None:
        """Raise TypeError now, where the mistake is, rather than later in a worker."""
        inspect.signature(self.function).bind(run=None, **arguments)


_declared: dict[str, JobKind[...]] = {}


def job(
    *, queue: Literal["interactive", "results", "bulk"], title: str = ""
) -> Callable[[Callable[Parameters, None]], JobKind[Parameters]]:
    """Declare a function as a job called "app.function". It takes a run and ids, and is safe to run twice.

    interactive: a person waits for it. results: figures for people who look at them. bulk: everything else.
    The app's tasks module, which Celery and this package load, must contain or import it.
    """

    def declare(function: Callable[Parameters, None]) -> JobKind[Parameters]:
        app = apps.get_containing_app_config(function.__module__)
        name = f"{app.label if app else function.__module__}.{function.__name__}"
        if name in _declared:
            raise ImproperlyConfigured(f"Two jobs are called '{name}'; rename one of them.")
        kind = JobKind(name, function, Job.Queue[queue.upper()], title)
        _declared[name] = kind
        return kind

    return declare


@cache
def _load_apps() -> None:
    autodiscover_modules("tasks")


def declared_jobs() -> Mapping[str, JobKind[...]]:
    """Every job of every app by name."""
    _load_apps()
    return _declared


def enqueue(kind: JobKind[...], *, key: str = "", requested_by: User | None = None, **arguments: Any) -> Job:
    """Ask for work in the caller's transaction; a worker is notified on commit.

    With a key, a job that still waits untouched under that key is returned instead of adding another. The key must
    name the work completely: same key, same name and arguments.
    """
    kind.check_arguments(arguments)
    job = queue.add(name=kind.name, arguments=arguments, key=key, requested_by=requested_by, queue=kind.queue)
    transaction.on_commit(partial(notify.notify, job), robust=True)
    return job
