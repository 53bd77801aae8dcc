"""Notifier: sends a Celery message for each job. A lost one does no harm, because beat sends another."""

import logging
import time
from functools import cached_property
from typing import TYPE_CHECKING

from django.conf import settings

from core.models import Job

if TYPE_CHECKING:
    from celery import Celery

logger = logging.getLogger(__name__)

# After a failed notification none is tried for a while: an absent Redis must not slow every request down.
BACKOFF_S = 5.0
# Where one worker serves several queues, Redis hands out messages by these priorities: interactive, results, bulk.
PRIORITY_STEPS = Job.Queue.values


class Notifier:
    """Celery client with short timeouts; workers keep connections of their own, whose reads may block for long."""

    def __init__(self) -> None:
        self._silent_until = float("-inf")

    def notify(self, job: Job, *, expires_s: float | None = None) -> bool:
        """Send the task of this job; False when it could not be sent. Never raises, never waits."""
        if not settings.REDIS_URL or self.backing_off:
            return False
        to = Job.Queue(job.queue)
        try:
            self._client.send_task(
                job.name, [str(job.pk)], queue=to.label, priority=to.value, expires=expires_s, retry=False
            )
        except Exception as problem:
            self._silent_until = time.monotonic() + BACKOFF_S
            logger.warning("Celery was not notified of job %s (%s); the next beat finds it.", job.pk, problem)
            return False
        return True

    @property
    def backing_off(self) -> bool:
        return time.monotonic() < self._silent_until

    @cached_property
    def _client(self) -> "Celery":
        from celery import Celery

        client = Celery("notifier", broker=settings.REDIS_URL, set_as_current=False)
        client.conf.update(
            task_ignore_result=True,
            task_publish_retry=False,
            broker_connection_timeout=1,
            broker_transport_options={
                "priority_steps": PRIORITY_STEPS,
                "socket_timeout": 1,
                "socket_connect_timeout": 1,
                "max_retries": 0,
                "interval_start": 0,
                "interval_step": 0,
                "interval_max": 0,
            },
        )
        return client


notify = Notifier().notify
