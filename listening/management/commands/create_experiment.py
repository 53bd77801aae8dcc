"""manage.py create_experiment --from FILE --owner ACCOUNT: a draft with everything that a YAML file says."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from listening.management.experiments import account_called
from listening.panels.services.experiment_files import ExperimentFileRejected, create_from_file
from rating.models import Ballot
from stimuli.services.collections import collection_for


class Command(BaseCommand):
    help = "Create a draft from a YAML file, with its seats; exit 1 and write nothing if anything is wrong."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--from", dest="file", type=Path, required=True, metavar="FILE")
        parser.add_argument("--owner", required=True, metavar="ACCOUNT", help="whose experiment it is")
        parser.add_argument("--collection", metavar="SLUG", help="needed where the file names no collection")

    def handle(self, **options: Any) -> None:
        owner, slug = account_called(options["owner"]), options["collection"]
        try:
            content = options["file"].read_bytes()
        except OSError as error:
            raise CommandError(f"'{options['file']}' cannot be read: {error.strerror}.") from error
        try:
            collection = collection_for(owner, slug) if slug else None
            made = create_from_file(content=content, owner=owner, collection=collection, in_background=False)
        except ExperimentFileRejected as error:
            for row in error.data["rows"]:
                self.stderr.write(row)
            raise CommandError(f"'{options['file']}' cannot be used. Nothing was created.") from error
        except AppError as error:
            raise CommandError(str(error)) from error
        seats = made.ballots.filter(kind=Ballot.Kind.MAIN).count()
        self.stdout.write(
            f"Created the draft '{made.slug}' with {seats} seats, on the collection '{made.collection.slug}'."
        )
