"""Queue of job rows: add, claim under a lease, extend, finish, fail, cancel, requeue after a worker's crash, prune."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Max, Min
from django.db.models.functions import Now

from core.models import Job, User
from core.querysets import JobQuerySet
from core.services import audit

FIRST_RETRY_S = 2
RETRY_GROWTH = 4
SCHEDULE_PREFIX = "schedule:"


class LeaseLost(Exception):
    """Another worker has taken the job over, or may: nothing done under this claim may be committed."""


@dataclass(frozen=True)
class Progress:
    """How far a job has come, for people who wait for it."""

    done: int
    total: int
    note: str = ""


def add(
    *,
    name: str,
    arguments: dict[str, Any],
    key: str = "",
    requested_by: User | None = None,
    queue: Job.Queue,
) -> Job:
    """Write a job into the caller's transaction, or return the untouched one that already waits under the same key.

    The waiting one is locked until the caller commits. Otherwise a worker could claim it, miss the caller's
    uncommitted rows and finish, and no job would see them.
    """
    fields: dict[str, Any] = {"name": name, "arguments": arguments, "key": key, "requested_by": requested_by}
    fields |= {"queue": queue, "about": about(arguments)}
    with transaction.atomic():
        if not key:
            job = Job.objects.create(**fields)
            job.refresh_from_db()
            return job
        while True:
            waiting = Job.objects.untouched(key=key).select_for_update().first()
            if waiting is not None:
                return waiting
            # Adds nothing when another process adds the same key at the same time; the next turn finds that job.
            Job.objects.bulk_create([Job(**fields)], ignore_conflicts=True)


def add_once(*, job_id: UUID, name: str, key: str, queue: Job.Queue) -> Job | None:
    """Write a job under an id that the caller derives from its cause, so that there can never be two of it.

    None when it exists already, or while an earlier job with the same key is unfinished.
    """
    if Job.objects.filter(pk=job_id).exists() or Job.objects.unfinished().filter(key=key).exists():
        return None
    try:
        with transaction.atomic():
            return Job.objects.create(id=job_id, name=name, key=key, queue=queue)
    except IntegrityError:  # Another process was faster.
        return None


def claim(*, worker: str, names: Collection[str], job_id: UUID | str | None = None, bulk: bool = True) -> Job | None:
    """Take the next job that is due (or the given one) under a fresh token and a lease; None if none is.

    Interactive jobs go before results and these before bulk. In a queue people take turns; of one person's jobs, that
    which has waited longest goes first.

    Only jobs that this worker knows by name are taken, so that old workers leave new work alone during an upgrade.
    """
    waiting = Job.objects.due(bulk=bulk).filter(name__in=names)
    if job_id is not None:
        waiting = waiting.filter(pk=job_id)
    if not waiting.exists():  # Most polls end here, without taking SQLite's only write lock.
        return None
    with transaction.atomic():
        job = _next_locked(waiting)
        if job is None:
            return None
        Job.objects.filter(pk=job.pk).update(
            state=Job.State.RUNNING,
            attempts=F("attempts") + 1,
            token=F("token") + 1,
            worker=worker[:100],
            lease_until=_lease_end(),
            started_at=Now(),
        )
        job.refresh_from_db()
    return job


def _next_locked(waiting: JobQuerySet) -> Job | None:
    """The next of these jobs that no other worker is about to claim."""
    for lane, owner in turns(waiting):
        own = waiting.filter(queue=lane, requested_by=owner)
        if job := own.select_for_update(skip_locked=True).first():
            return job
    return None


def turns(waiting: JobQuerySet) -> Iterator[tuple[int, int | None]]:
    """Each queue and each person whose jobs wait in it, in the order of their turns: first who had none for longest.

    Jobs that nobody has asked for take one turn together, as None.
    """
    rows = waiting.order_by().values_list("queue", "requested_by").annotate(Min("not_before"))
    for lane, own_rows in groupby(sorted(rows, key=itemgetter(0)), key=itemgetter(0)):
        oldest = {owner: at for _lane, owner, at in own_rows}
        started = {owner: Job.objects.filter(queue=lane, requested_by=owner) for owner in oldest}
        last = {owner: own.aggregate(at=Max("started_at"))["at"] for owner, own in started.items()}
        for owner in sorted(oldest, key=lambda one: (last[one] is not None, last[one] or oldest[one], oldest[one])):
            yield lane, owner


def about(arguments: dict[str, Any]) -> str:
    """What a job works on: the first of its arguments that is an id, except that of the person who asked for it."""
    ids = (f"{name[:-3]}:{value}" for name, value in arguments.items() if name.endswith("_id") and name != "actor_id")
    return next(ids, "")[:100]


def heartbeat(*, job: Job) -> bool:
    """Extend the lease; False when the job is no longer this claim's."""
    return _held(job).update(lease_until=_lease_end()) == 1


def report(*, job: Job, progress: Progress) -> bool:
    """Show how far the job has come; False when the job is no longer this claim's, or shall stop."""
    return _wanted(job).update(**_progress_fields(progress)) == 1


@contextmanager
def fenced(*, job: Job) -> Iterator[None]:
    """Open a transaction that holds the job's row; LeaseLost, and nothing committed, unless this claim still stands.

    A job that was asked to stop stops here at the latest.
    """
    with transaction.atomic(durable=True):
        if _wanted(job).select_for_update().first() is None:
            raise LeaseLost(f"{job.name} {job.pk}: claim {job.token} no longer stands.")
        yield
        # The heartbeat may have waited behind this transaction's lock for longer than the lease.
        _held(job).update(lease_until=_lease_end())


def complete(*, job: Job, progress: Progress | None = None) -> bool:
    """Mark the job done; False when the job is no longer this claim's."""
    shown = _progress_fields(progress) if progress else {}
    return _held(job).update(state=Job.State.DONE, lease_until=None, finished_at=Now(), error="", **shown) == 1


def fail_attempt(*, job: Job, error: str) -> bool:
    """Have the job tried again, later each time, or fail it after the last attempt; False if no longer this claim's."""
    if stop(job=job):
        return True
    if job.attempts >= settings.JOB_MAX_ATTEMPTS:
        return fail(job=job, error=error)
    pause = timedelta(seconds=FIRST_RETRY_S * RETRY_GROWTH ** (job.attempts - 1))
    return _held(job).update(state=Job.State.QUEUED, lease_until=None, not_before=Now() + pause, error=error) == 1


def fail(*, job: Job, error: str) -> bool:
    """Keep the job with its error until a person looks at it; False when the job is no longer this claim's."""
    return (
        stop(job=job)
        or _held(job).update(state=Job.State.FAILED, lease_until=None, finished_at=Now(), error=error) == 1
    )


def release(*, job: Job) -> bool:
    """Give an unfinished job back, as if this claim had never been: the attempt does not count."""
    if stop(job=job):
        return True
    back = {"state": Job.State.QUEUED, "lease_until": None, "attempts": F("attempts") - 1, "worker": ""}
    return _held(job).update(**back) == 1


def stop(*, job: Job) -> bool:
    """End a running job that was asked to stop; False when it was not, or is no longer this claim's."""
    asked = _held(job).filter(cancel_asked_at__isnull=False)
    return asked.update(state=Job.State.CANCELLED, lease_until=None, finished_at=Now()) == 1


def cancel(jobs: JobQuerySet, *, target: str, actor: User | None) -> tuple[int, int]:
    """Take back those jobs that wait, and ask those that run to stop; return how many of each."""
    with transaction.atomic():
        taken_back = jobs.filter(state=Job.State.QUEUED).update(state=Job.State.CANCELLED, finished_at=Now())
        asked = jobs.filter(state=Job.State.RUNNING, cancel_asked_at__isnull=True).update(cancel_asked_at=Now())
        if taken_back or asked:
            counts = {"waiting": taken_back, "running": asked}
            audit.record(actor=actor, action="jobs.cancelled", target=target, after=counts)
    return taken_back, asked


@transaction.atomic
def retry(*, job: Job, actor: User | None) -> bool:
    """Return a failed or cancelled job to the queue with all its attempts; False when it is neither."""
    # A greater token, because a job that was cancelled untouched may have a successor that waits under its key.
    back = {"state": Job.State.QUEUED, "attempts": 0, "not_before": Now(), "finished_at": None}
    back |= {"cancel_asked_at": None, "token": F("token") + 1}
    if not Job.objects.stopped().filter(pk=job.pk).update(**back):
        return False
    audit.record(actor=actor, action="job.retried", target=job, before={"error": job.error})
    return True


def requeue_expired() -> int:
    """Return jobs whose lease has ended to the queue, fail those out of attempts; return how many were found."""
    if not Job.objects.expired().exists():
        return 0
    with transaction.atomic():
        found = list(Job.objects.expired().select_for_update(skip_locked=True))
        for job in found:
            if stop(job=job):
                continue
            error = f"The worker {job.worker} fell silent during attempt {job.attempts}: killed, or out of memory."
            if job.attempts >= settings.JOB_MAX_ATTEMPTS:
                fail(job=job, error=error)
            else:
                _held(job).update(state=Job.State.QUEUED, lease_until=None, error=error)
    return len(found)


def prune() -> int:
    """Delete finished jobs of the schedule after a day; return how many."""
    old = Job.objects.filter(
        key__startswith=SCHEDULE_PREFIX,
        state__in=[Job.State.DONE, Job.State.FAILED, Job.State.CANCELLED],
        finished_at__lt=Now() - timedelta(days=1),
    )
    return old.delete()[0]


def _held(job: Job) -> JobQuerySet:
    """The job's row, if this very claim still stands."""
    return Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, token=job.token)


def _wanted(job: Job) -> JobQuerySet:
    """The same, unless a person has asked the job to stop."""
    return _held(job).filter(cancel_asked_at__isnull=True)


def _lease_end() -> Any:
    """The end of a lease that starts now, by the database's clock: workers' clocks differ."""
    return Now() + timedelta(seconds=settings.JOB_LEASE_S)


def _progress_fields(progress: Progress) -> dict[str, Any]:
    return {
        "progress_done": progress.done,
        "progress_total": progress.total,
        "progress_note": progress.note[:200],
    }
