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


def run_due(*, now: datetime | None = None, known: set[uuid.UUID] | None = None) -> list[str]:
    """Add the jobs of the present slots, and say which were new; slots missed while no worker ran stay missed.

    `known` keeps the slots whose jobs exist, so that the database is not asked for them again in the next second.
    """
    known = set() if known is None else known
    slots = _slots((now or clock()).timestamp())
    known.intersection_update(slots)
    if unknown := slots.keys() - known:
        known |= set(Job.objects.filter(pk__in=unknown).values_list("pk", flat=True))
    added = []
    for job_id, name in slots.items():
        if job_id in known:
            continue
        key = f"{queue.SCHEDULE_PREFIX}{name}"
        job = queue.add_once(job_id=job_id, name=name, key=key, queue=declared_jobs()[name].queue)
        if job is not None:
            known.add(job_id)
            notify.notify(job)
            added.append(name)
    return added


def _slots(now_s: float) -> dict[uuid.UUID, str]:
    """The id of the present slot of every job that repeats, with the job's name."""
    slots = {}
    for name, every_s in settings.SCHEDULE.items():
        if name in declared_jobs():
            slots[slot_id(name=name, every_s=every_s, slot=int(now_s // every_s))] = name
        else:
            logger.error("SCHEDULE names the job '%s', which no app declares.", name)
    return slots
