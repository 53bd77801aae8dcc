"""manage.py verify_export FILE.zip: check a dataset, one line a check."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.services.dataset.check import verify_dataset
from analysis.services.dataset.files import opened_dataset
from core.errors import AppError


class Command(BaseCommand):
    help = "Check a dataset: checksums, columns, rows, keys, hashes and the chain of votes. Exit 1 names the defects."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.zip")

    def handle(self, **options: Any) -> None:
        try:
            with opened_dataset(options["file"]) as files:
                checks = verify_dataset(files)
        except OSError as error:
            raise CommandError(f"'{options['file']}' cannot be read: {error.strerror}.") from error
        except AppError as error:
            raise CommandError(str(error)) from error
        for check in checks:
            self.stdout.write(check.line)
        if failed := [check.title for check in checks if check.defects]:
            raise CommandError(f"'{options['file']}' has defects: {', '.join(failed)}.")
