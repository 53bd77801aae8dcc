"""Shows the jobs that failed for good, and gives them another chance."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from core.models import Job
from core.services import jobs


class Command(BaseCommand):
    help = "List the parked jobs with their errors; with --retry, return them all to the queue."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--retry", action="store_true", help="return them to the queue")

    def handle(self, *, retry: bool, **options: Any) -> None:
        parked = list(Job.objects.filter(state=Job.State.PARKED))
        for job in parked:
            self.stdout.write(f"{job.pk} {job.name} {job.arguments} after {job.attempts} attempts:\n{job.error}\n")
            if retry:
                jobs.retry(job=job, actor=None)
        said = f"{len(parked)} parked jobs"
        self.stdout.write(f"{said}, returned to the queue." if retry else f"{said}.")
