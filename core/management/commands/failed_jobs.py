"""manage.py failed_jobs: list the jobs that failed for good, and return them to the queue."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from core.jobs import queue
from core.models import Job


class Command(BaseCommand):
    help = "List the failed jobs with their errors; with --retry, return them all to the queue."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--retry", action="store_true", help="return them to the queue")

    def handle(self, *, retry: bool, **options: Any) -> None:
        failed = list(Job.objects.filter(state=Job.State.FAILED))
        for job in failed:
            self.stdout.write(f"{job.pk} {job.name} {job.arguments} after {job.attempts} attempts:\n{job.error}\n")
            if retry:
                queue.retry(job=job, actor=None)
        said = f"{len(failed)} failed jobs"
        self.stdout.write(f"{said}, returned to the queue." if retry else f"{said}.")
