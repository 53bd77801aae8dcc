"""The Celery app of a production set-up: a doorbell for jobs, whose truth is the table (docs/decisions/0002)."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings

from core.doorbell import QUEUE

app = Celery("earmark", broker=settings.REDIS_URL or None, include=["core.jobs_celery"])
app.conf.update(
    task_default_queue=QUEUE,
    task_ignore_result=True,
    # A ring is answered when its job has ended, one at a time; should a worker die, the ring is heard again. Both
    # only shorten the wait: the claim makes a repeated ring harmless, and the tick replaces a lost one.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    broker_transport_options={
        "visibility_timeout": 2 * settings.JOB_LEASE_S,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
    },
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    worker_hijack_root_logger=False,
    beat_schedule_filename=str(settings.DATA_DIR / "celery-beat"),
)


@app.on_after_finalize.connect
def _keep_ticking(sender: Celery, **_: object) -> None:
    from core.jobs_celery import TICK_S, tick

    # An unheard tick expires with the next, so that ticks do not pile up behind long jobs.
    sender.add_periodic_task(TICK_S, tick.s(), expires=TICK_S, name="tick")
