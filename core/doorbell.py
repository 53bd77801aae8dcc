"""Tells Celery that a job waits; a ring may be lost, because the job's row is the truth and the next tick finds it."""

import logging
import time
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings

if TYPE_CHECKING:
    from celery import Celery

logger = logging.getLogger(__name__)

QUEUE = "earmark"
# After a failed ring nobody tries again for a while: an absent Redis must not slow every request down.
REST_S = 5.0


class Doorbell:
    """A sender with short patience; workers keep connections of their own, whose reads may block for long."""

    def __init__(self) -> None:
        self._rests_until = float("-inf")

    def ring(self, job_id: UUID, *, expires_s: float | None = None) -> bool:
        """Ring once, for this job or a more important one; False when nobody hears it. Never raises, never waits."""
        if not settings.REDIS_URL or self.rests:
            return False
        try:
            self._sender.send_task("core.run_job", queue=QUEUE, expires=expires_s, retry=False)
        except Exception as problem:
            self._rests_until = time.monotonic() + REST_S
            logger.warning("The doorbell for job %s is silent (%s); the next tick finds the job.", job_id, problem)
            return False
        return True

    @property
    def rests(self) -> bool:
        return time.monotonic() < self._rests_until

    @cached_property
    def _sender(self) -> "Celery":
        from celery import Celery

        sender = Celery("doorbell", broker=settings.REDIS_URL, set_as_current=False)
        sender.conf.update(
            task_ignore_result=True,
            task_publish_retry=False,
            broker_connection_timeout=1,
            broker_transport_options={
                "socket_timeout": 1,
                "socket_connect_timeout": 1,
                "max_retries": 0,
                "interval_start": 0,
                "interval_step": 0,
                "interval_max": 0,
            },
        )
        return sender


ring = Doorbell().ring
