"""manage.py create_demo: accounts and one experiment for each protocol that has a demo."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from listening.panels.services import demo


class Command(BaseCommand):
    help = "Build the demo: two accounts and one experiment for each protocol that has one. Safe to run twice."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--if-empty", action="store_true", help="Do nothing unless there are no accounts yet.")

        parser.add_argument("--background", action="store_true", help="Leave what takes long to the worker.")

    def handle(self, *args: Any, if_empty: bool, background: bool, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("The demo belongs on a machine of your own; this Earmark runs in production.")
        if if_empty and not demo.is_empty():
            return
        for experiment in demo.create_demo(long_ones=not background):
            self.stdout.write(f"Made the demo experiment '{experiment.title}' ({experiment.slug}).")
        if background:
            demo.build_later()
