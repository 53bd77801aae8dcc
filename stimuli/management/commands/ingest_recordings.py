"""Prepares long recordings here and now, without a worker."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from stimuli.models import Recording
from stimuli.services.ingest import begin_ingest, ingest_at_once


class Command(BaseCommand):
    help = "Prepare the long recordings that wait for it (decode, measure, draw), and show how far it is."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--refused", action="store_true", help="try those again that were refused before")

    def handle(self, *, refused: bool, **options: Any) -> None:
        states = [Recording.State.INGESTING, *([Recording.State.REFUSED] if refused else [])]
        waiting = list(Recording.objects.filter(state__in=states).order_by("created_at"))
        failed = [recording for recording in waiting if not self._ingested(recording)]
        self.stdout.write(f"{len(waiting) - len(failed)} of {len(waiting)} recordings are ready.")
        if failed:
            raise CommandError(f"{len(failed)} cannot be used; see above.")

    def _ingested(self, recording: Recording) -> bool:
        def told(done: int, total: int) -> None:
            self.stdout.write(f"{recording}: {done} of {total} chunks")

        try:
            begin_ingest(recording=recording)
            ingest_at_once(recording=recording, told=told)
        except AppError as refusal:
            self.stderr.write(f"{recording}: {refusal}")
            return False
        return True
