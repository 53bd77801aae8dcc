"""Celery's two tasks: run the next job, and tick; neither holds any truth of its own."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.db.models.functions import Now

from core import doorbell, schedule
from core.models import Job
from core.services import jobs
from core.tasks import declared_jobs
from core.worker import work, worker_name

TICK_S = float(min([30, *settings.SCHEDULE.values()]))
# Rings that have had no answer for this long are rung again, so many at a time: they may lie in a long queue.
UNANSWERED_S = 5
RINGS_PER_TICK = 100


@shared_task(name="core.run_job")
def run_job() -> bool:
    """Claim and run the most important job that is due; False when none is, which is no cause for concern.

    There is a ring for every job, but Redis hands them out in the order in which they were sent. So a ring says only
    that a job waits, and the table decides which one is next.
    """
    job = jobs.claim(worker=worker_name(), names=list(declared_jobs()))
    if job is None:
        return False
    work(job)
    return True


@shared_task(name="core.tick")
def tick() -> None:
    """Sweep, keep the schedule, prune, and ring again for jobs that nobody came for."""
    jobs.sweep()
    schedule.run_due()
    jobs.prune()
    unanswered = Job.objects.due().filter(not_before__lte=Now() - timedelta(seconds=UNANSWERED_S))
    for job_id in unanswered.values_list("pk", flat=True)[:RINGS_PER_TICK]:
        doorbell.ring(job_id, expires_s=TICK_S)
