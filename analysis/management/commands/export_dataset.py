"""manage.py export_dataset EXPERIMENT --out FILE.zip: everything that was answered and computed, as one zip."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.services.dataset.anonymity import USUAL_K
from analysis.services.dataset.archive import export_dataset
from core.errors import AppError
from listening.management.experiments import experiment_called


class Command(BaseCommand):
    help = "Write the dataset of an experiment as a zip; conditions are letters until the experiment is unblinded."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("experiment", metavar="EXPERIMENT", help="the experiment's short name")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE.zip")
        parser.add_argument("--simulated", action="store_true", help="with simulated listeners")
        parser.add_argument("--anonymous", action="store_true", help="the edition in which nobody can be told apart")
        parser.add_argument(
            "--k",
            type=int,
            default=USUAL_K,
            metavar="N",
            help=f"so many listeners share each combination of answers about a person ({USUAL_K})",
        )

    def handle(self, **options: Any) -> None:
        place: Path = options["out"]
        how = {name: options[name] for name in ("simulated", "anonymous", "k")}
        try:
            pieces = export_dataset(experiment=experiment_called(options["experiment"]), actor=None, **how)
            unfinished = place.with_name(f"{place.name}.part")
            with unfinished.open("wb") as file:
                for piece in pieces:
                    file.write(piece)
            unfinished.replace(place)
        except AppError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"'{place}' cannot be written: {error.strerror}.") from error
        self.stdout.write(f"Wrote '{place}'.")
