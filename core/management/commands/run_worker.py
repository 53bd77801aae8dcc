"""manage.py run_worker: run background jobs straight from the job table, without a broker."""

import logging
import os
import signal
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.checks import SETTINGS
from core.jobs.worker import GRACE_S, Worker


class Command(BaseCommand):
    help = "Run background jobs from the job table until SIGTERM or Ctrl-C; a second one gives them back at once."
    # Django's own load every page, which takes longer than the rest of a start; `migrate` makes all of them before it.
    requires_system_checks = [SETTINGS]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--threads", type=int, default=4, help="jobs that run at once, half of them bulk (default 4)"
        )
        parser.add_argument("--poll", type=float, default=settings.JOB_POLL_S, help="seconds between two polls")
        parser.add_argument("--grace", type=float, default=GRACE_S, help="seconds that jobs get to end after SIGTERM")

    def handle(self, *, threads: int, poll: float, grace: float, **options: Any) -> None:
        if threads < 1 or poll <= 0 or grace < 0:
            raise CommandError("--threads must be at least 1, --poll greater than 0, --grace at least 0.")
        worker = Worker(threads=threads, poll_s=poll, grace_s=grace)
        for stop_signal in (signal.SIGTERM, signal.SIGINT):
            signal.signal(stop_signal, lambda *_: worker.stop())
        if not worker.run():
            # Python would wait for the thread pools of unfinished jobs, and for a fork server that is still starting.
            logging.shutdown()
            os._exit(0)
