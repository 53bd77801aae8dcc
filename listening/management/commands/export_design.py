"""manage.py export_design EXPERIMENT --out DIR: every seat's sequence as a file in the published shape."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from listening.management.experiments import experiment_called
from listening.panels.services.designs import design_files

FORMATS = {"csv": ["csv"], "json": ["json"], "both": ["csv", "json"]}


class Command(BaseCommand):
    help = "Write one file for each listener: subject_1.csv and so on, with subset, session, file and scale."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("experiment", metavar="EXPERIMENT", help="the experiment's short name")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="made if it is not there")
        parser.add_argument("--format", choices=FORMATS, default="csv")

    def handle(self, **options: Any) -> None:
        experiment, folder = experiment_called(options["experiment"]), options["out"]
        if folder.exists() and not folder.is_dir():
            raise CommandError(f"'{folder}' is no folder. Give a folder for the files.")
        written = 0
        try:
            for name, text in design_files(experiment, FORMATS[options["format"]]):
                folder.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8", newline="")
                written += 1
        except AppError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Wrote {written} files into '{folder}'.")
