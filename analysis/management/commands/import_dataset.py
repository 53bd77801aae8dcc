"""manage.py import_dataset FILE.zip --owner ACCOUNT: re-create the experiment of a dataset with all its answers."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.services.dataset.files import opened_dataset
from analysis.services.dataset.restoring import import_dataset
from core.errors import AppError
from listening.management.experiments import account_called


class Command(BaseCommand):
    help = "Re-create an experiment from its dataset; exit 1 and write nothing if anything is wrong or missing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.zip")
        parser.add_argument("--owner", required=True, metavar="ACCOUNT", help="whose experiment it is")
        parser.add_argument(
            "--sounds", type=Path, metavar="DIR", help="a folder with the sounds that this server does not have"
        )

    def handle(self, **options: Any) -> None:
        owner, sounds = account_called(options["owner"]), options["sounds"]
        if sounds and not sounds.is_dir():
            raise CommandError(f"'{sounds}' is no folder. Give the folder that holds the sounds.")
        try:
            with opened_dataset(options["file"]) as files:
                made = import_dataset(files=files, owner=owner, sounds=sounds)
        except OSError as error:
            raise CommandError(f"'{options['file']}' cannot be read: {error.strerror}.") from error
        except AppError as error:
            for row in error.data.get("rows", []):
                self.stderr.write(row)
            raise CommandError(str(error)) from error
        for note in made.notes:
            self.stdout.write(note)
        self.stdout.write(f"Re-created the experiment '{made.experiment.slug}' with {made.votes} answers.")
