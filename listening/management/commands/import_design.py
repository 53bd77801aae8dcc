"""manage.py import_design EXPERIMENT FILE...: take the sequences of seats from files in the published shape."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from listening.design.udase_csv import DesignRowsRejected
from listening.management.experiments import SeatsWritten, experiment_called
from listening.panels.services.designs import import_design


class Command(BaseCommand):
    help = "Give each file a seat: CSV, JSON records, or the script of the original player. Panels follow the subsets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("experiment", metavar="EXPERIMENT", help="the experiment's short name")
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="one for each listener")

    def handle(self, **options: Any) -> None:
        experiment = experiment_called(options["experiment"])
        missing = [str(path) for path in options["files"] if not path.is_file()]
        if missing:
            raise CommandError(f"'{missing[0]}' is no file. Give one CSV or JSON file for each listener.")
        files = [(path.name, path.read_bytes()) for path in options["files"]]
        try:
            design = import_design(
                experiment=experiment, files=files, actor=experiment.owner, progress=SeatsWritten(self.stderr)
            )
        except DesignRowsRejected as error:
            for row in error.data["rows"]:
                self.stderr.write(row)
            raise CommandError(str(error)) from error
        except AppError as error:
            raise CommandError(str(error)) from error
        panels = len(design.subsets)
        self.stdout.write(
            f"Imported {len(files)} seats in {panels} panels of '{experiment.slug}' under {design.sha256}."
        )
