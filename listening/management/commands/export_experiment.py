"""manage.py export_experiment EXPERIMENT: the whole experiment as a YAML file, or the JSON schema of such files."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from listening.experiment_file.declaration import json_schema
from listening.management.experiments import experiment_called
from listening.panels.services.experiment_files import export_experiment


class Command(BaseCommand):
    help = "Write an experiment as YAML: protocol, options, texts, settings, design and the hashes of its sounds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("experiment", metavar="EXPERIMENT", nargs="?", help="the experiment's short name")
        parser.add_argument("--out", type=Path, metavar="FILE", help="written here instead of being printed")
        parser.add_argument("--schema", action="store_true", help="the JSON schema of such files instead")

    def handle(self, **options: Any) -> None:
        if options["schema"] == bool(options["experiment"]):
            raise CommandError("Give the short name of an experiment, or --schema alone.")
        try:
            written = (
                json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
                if options["schema"]
                else export_experiment(experiment=experiment_called(options["experiment"]), actor=None)
            )
        except AppError as error:
            raise CommandError(str(error)) from error
        if options["out"] is None:
            self.stdout.write(written, ending="")
            return
        try:
            options["out"].write_text(written, encoding="utf-8", newline="")
        except OSError as error:
            raise CommandError(f"'{options['out']}' cannot be written: {error.strerror}.") from error
        self.stdout.write(f"Wrote '{options['out']}'.")
