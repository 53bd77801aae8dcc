"""Celery's two tasks: run one job by its id, and tick; neither holds any truth of its own."""

from datetime import timedelta
from uuid import UUID

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
def run_job(job_id: str) -> bool:
    """Claim and run the job; False when it is taken, done or not yet due, which is no cause for concern."""
    job = jobs.claim(worker=worker_name(), names=list(declared_jobs()), job_id=UUID(job_id))
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
    for job_id in unanswered.order_by("not_before").values_list("pk", flat=True)[:RINGS_PER_TICK]:
        doorbell.ring(job_id, expires_s=TICK_S)
