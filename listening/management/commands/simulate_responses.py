"""manage.py simulate_responses: simulated listeners take part through the HTTP API."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.utils import timezone

from core.errors import AppError
from listening.panels.services.simulation import simulate
from rating.models import Experiment


class Command(BaseCommand):
    help = "Seat simulated listeners and play their visits through the HTTP API. Their rows never count as data."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--experiment", required=True, metavar="SLUG")
        parser.add_argument("--listeners", type=int, default=8, metavar="N")
        parser.add_argument("--at-once", type=int, default=1, metavar="N", help="So many of them listen side by side.")
        parser.add_argument("--seed", default="0", help="The same seed answers in the same way.")
        parser.add_argument("--server", metavar="URL", help="A running Earmark; without it one is started for this.")

    def handle(
        self, *args: Any, experiment: str, listeners: int, at_once: int, seed: str, server: str | None, **options: Any
    ) -> None:
        if listeners < 1 or at_once < 1:
            raise CommandError("--listeners and --at-once take whole numbers from 1 on.")
        chosen = Experiment.objects.filter(slug=experiment).first()
        if chosen is None:
            known = ", ".join(Experiment.objects.values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no experiment '{experiment}'. Known: {known}.")
        try:
            with _running(server) as address:
                receipts = simulate(
                    experiment=chosen,
                    listeners=listeners,
                    seed=seed,
                    server=address,
                    now=timezone.now(),
                    at_once=at_once,
                )
                for number, receipt in enumerate(receipts, start=1):
                    self.stdout.write(f"{number} of {listeners}: {receipt['vote_count']} answers, {receipt['code']}")
        except AppError as error:
            raise CommandError(str(error)) from error


@contextmanager
def _running(server: str | None) -> Iterator[str]:
    """Yield the address of a server: the given one, or one of this process on a free loopback port."""
    if server:
        yield server
        return
    own = ThreadedWSGIServer(("127.0.0.1", 0), _SilentHandler)
    own.set_app(get_wsgi_application())
    thread = Thread(target=own.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{own.server_address[1]}"
    finally:
        own.shutdown()
        own.server_close()
        thread.join()


class _SilentHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """The command reports progress; the requests behind it are of no interest."""
