"""manage.py import_experiment PATH --owner ACCOUNT: drafts of a test for webMUSHRA or the P.808 toolkit."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from core.models import User
from listening.elsewhere.base import Converted
from listening.management.experiments import account_called
from listening.panels.services import elsewhere
from stimuli.services.collections import collection_for


class Command(BaseCommand):
    help = "Create drafts of a test for webMUSHRA or the P.808 toolkit, and list what is not carried over."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH", help="a zip, a folder, or the configuration alone")
        parser.add_argument("--owner", required=True, metavar="ACCOUNT", help="whose experiments they are")
        parser.add_argument(
            "--collection", metavar="SLUG", help="where the sounds are, if not beside the configuration"
        )
        parser.add_argument("--protocol", default="", metavar="NAME", help="of P.808 tables; the first that fits")
        parser.add_argument("--dry-run", action="store_true", help="say what would be created, and write nothing")

    def handle(self, **options: Any) -> None:
        owner, path = account_called(options["owner"]), options["path"]
        try:
            with ExitStack() as stack:
                material = self._material(path, stack)
                collection = collection_for(owner, options["collection"]) if options["collection"] else None
                found = elsewhere.read_elsewhere(material, collection=collection, protocol=options["protocol"])
                for line in elsewhere.listed(found):
                    self.stdout.write(line)
                self._create(found, owner, path, dry_run=options["dry_run"])
        except AppError as error:
            for row in error.data.get("rows", []):
                self.stderr.write(row)
            raise CommandError(str(error)) from error

    def _material(self, path: Path, stack: ExitStack) -> elsewhere.Material:
        if path.is_dir():
            return elsewhere.material_in(path)
        try:
            return elsewhere.material_from(stack.enter_context(path.open("rb")), name=path.name)
        except OSError as error:
            raise CommandError(f"'{path}' cannot be read: {error.strerror}.") from error

    def _create(self, found: Converted, owner: User, path: Path, *, dry_run: bool) -> None:
        if dry_run:
            for part in found.parts:
                self.stdout.write(f"Would create a draft of {part.protocol.title} with {len(part.placed)} sounds.")
            return
        for made in elsewhere.create_from_elsewhere(found=found, owner=owner, file_name=path.name, at_once=True):
            self.stdout.write(f"Created the draft '{made.slug}' on the collection '{made.collection.slug}'.")
