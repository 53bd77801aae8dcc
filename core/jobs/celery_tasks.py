"""Celery tasks: one for each declared job, under its name, and those that beat sends to keep the table in order."""

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from celery import Task, shared_task
from django.conf import settings
from django.db.models.functions import Now

from core.jobs import JobKind, declared_jobs, notify, queue, schedule
from core.jobs.worker import work, worker_name
from core.models import Job

logger = logging.getLogger(__name__)

# A task that takes longer hangs. At the soft limit the attempt fails and is tried again later; a minute after it the
# process is killed, and the job is tried again when its lease has ended.
SOFT_TIME_LIMITS_S = {Job.Queue.INTERACTIVE: 2 * 3600, Job.Queue.RESULTS: 3600, Job.Queue.BULK: 4 * 3600}
HARD_AFTER_SOFT_S = 60

# For jobs that no worker has claimed after so long the message is sent again, for so many at a time: the first one may
# be lost, or may wait in a long queue.
UNANSWERED_S = 5
NOTIFIED_AT_ONCE = 100
NOTIFIED_FOR_S = min(30, settings.JOB_LEASE_S / 2)  # until beat comes again


def _task(kind: JobKind[...]) -> "Task[..., bool]":
    """The task of a job: it claims the job of its name whose turn it is, and does the work.

    That is mostly the one of the message, and else one of another person. There are as many messages as jobs; a
    repeated or late one finds nothing to claim.
    """

    def run(job_id: str = "") -> bool:
        job = queue.claim(worker=worker_name(), names=[kind.name])
        if job is None:
            logger.info("%s: nothing is due for the message of job %s.", kind.name, job_id or "-")
            return False
        logger.info("%s: claimed job %s on the message of job %s.", kind.name, job.pk, job_id or "-")
        work(job)
        return True

    run.__name__, run.__module__, run.__doc__ = kind.function.__name__, kind.function.__module__, kind.function.__doc__
    soft_s = SOFT_TIME_LIMITS_S[kind.queue]
    declare: Callable[[Callable[..., bool]], Task[..., bool]] = shared_task(
        name=kind.name,
        soft_time_limit=soft_s,
        time_limit=soft_s + HARD_AFTER_SOFT_S,
    )
    return declare(run)


def route(name: str, *_: object, **__: object) -> dict[str, Any] | None:
    """The queue of a job's task, and the priority by which a worker for several queues takes its message first."""
    kind = declared_jobs().get(name)
    return None if kind is None else {"queue": kind.queue.label, "priority": kind.queue.value}


TASKS = {name: _task(kind) for name, kind in declared_jobs().items()}


@shared_task(name="core.add_scheduled_jobs")
def add_scheduled_jobs() -> list[str]:
    return schedule.run_due()


@shared_task(name="core.requeue_expired_jobs")
def requeue_expired_jobs() -> int:
    """Return the jobs of dead workers to their queues, and send the messages of unclaimed jobs again."""
    expired = queue.requeue_expired()
    unanswered = Job.objects.due().filter(not_before__lte=Now() - timedelta(seconds=UNANSWERED_S))
    for job in unanswered[:NOTIFIED_AT_ONCE]:
        notify.notify(job, expires_s=NOTIFIED_FOR_S)
    return expired


@shared_task(name="core.prune_jobs")
def prune_jobs() -> int:
    return queue.prune()
