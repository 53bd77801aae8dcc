"""Celery app of a production set-up: it delivers jobs, whose record is the table (docs/decisions/0002).

Workers are started with `-Q interactive,results` or `-Q bulk`, so that no bulk job keeps a person waiting.
"""

import os

from celery import Celery
from kombu import Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings

QUEUES = ["interactive", "results", "bulk"]  # those of core.models.Job.Queue, in their order
# Half a lease at most, so that a dead worker's job starts again within two leases.
TICK_S = min([30, settings.JOB_LEASE_S / 2, *settings.SCHEDULE.values()])


def _every(period_s: float, task: str) -> dict[str, object]:
    """An entry for beat; a message that no worker has taken expires with the next one, so that they do not pile up."""
    return {"task": task, "schedule": period_s, "options": {"expires": period_s}}


app = Celery("earmark", broker=settings.REDIS_URL or None, include=["core.jobs.celery_tasks"])
app.conf.update(
    task_queues=[Queue(name) for name in QUEUES],
    task_default_queue=QUEUES[0],
    task_routes=["core.jobs.celery_tasks.route"],
    task_ignore_result=True,
    # A message is acknowledged when its job has ended, one at a time; should a worker die, it is delivered again. Both
    # only shorten the wait: the claim makes a repeated message harmless, and beat replaces a lost one.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    broker_transport_options={
        "priority_steps": list(range(len(QUEUES))),
        "visibility_timeout": 2 * settings.JOB_LEASE_S,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
    },
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    worker_hijack_root_logger=False,
    beat_schedule={
        "schedule": _every(TICK_S, "core.add_scheduled_jobs"),
        "requeue": _every(TICK_S, "core.requeue_expired_jobs"),
        "prune": _every(3600, "core.prune_jobs"),
    },
    beat_schedule_filename=str(settings.DATA_DIR / "celery-beat"),
)
