"""Schedule of jobs that repeat: time is cut into slots by the database's clock, and each slot adds its job once."""

import logging
import uuid
from datetime import datetime

from django.conf import settings

from core.database import clock
from core.jobs import declared_jobs, notify, queue
from core.models import Job

logger = logging.getLogger(__name__)

SLOTS = uuid.UUID("0b7c4a6e-3f0c-5d0e-9a63-2f1d1c0e8a57")


def slot_id(*, name: str, every_s: int, slot: int) -> uuid.UUID:
    """The id of a slot's job: every worker derives the same one, and the primary key admits it once."""
    return uuid.uuid5(SLOTS, f"{name} every {every_s} s, slot {slot}")


def run_due(*, now: datetime | None = None) -> list[str]:
    """Add the jobs of the present slots, and say which were new; slots missed while no worker ran stay missed."""
    now_s = (now or clock()).timestamp()
    slots = {slot_id(name=name, every_s=s, slot=int(now_s // s)): name for name, s in settings.SCHEDULE.items()}
    there = set(Job.objects.filter(pk__in=slots).values_list("pk", flat=True))
    added = []
    for job_id, name in slots.items():
        if name not in declared_jobs():
            logger.error("SCHEDULE names the job '%s', which no app declares.", name)
        elif job_id not in there:
            key = f"{queue.SCHEDULE_PREFIX}{name}"
            job = queue.add_once(job_id=job_id, name=name, key=key, queue=declared_jobs()[name].queue)
            if job is not None:
                notify.notify(job)
                added.append(name)
    return added
