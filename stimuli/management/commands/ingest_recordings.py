"""manage.py ingest_recordings: prepare long recordings in this process, without a worker."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from stimuli.management.preparing import counted, prepare_all
from stimuli.models import Recording
from stimuli.services.ingest import begin_ingest


class Command(BaseCommand):
    help = "Prepare the long recordings that wait for it (decode, measure, draw), and show how far it is."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--refused", action="store_true", help="try those again that were refused before")

    def handle(self, *, refused: bool, **options: Any) -> None:
        states = [Recording.State.INGESTING, *([Recording.State.REFUSED] if refused else [])]
        waiting = list(Recording.objects.filter(state__in=states).order_by("created_at"))
        if not waiting:
            self.stdout.write("No long recording waits to be prepared.")
            return
        for recording in waiting:
            begin_ingest(recording=recording)
        failed = prepare_all(waiting, show=self._show, complain=self.stderr.write)
        if failed:
            raise CommandError(
                f"Of {counted(len(waiting))} {failed} cannot be used, see above. Export what is broken again, "
                "and import it in the place of the old one."
            )
        self.stdout.write(f"Prepared {counted(len(waiting))}.")

    def _show(self, name: str, done: int, total: int) -> None:
        self.stdout.write(f"{name}: {done} of {total} chunks")
