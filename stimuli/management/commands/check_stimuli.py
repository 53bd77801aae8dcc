"""manage.py check_stimuli COLLECTION: what is wrong with the sounds of a collection, cell by cell."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audio.quality_checks import Options
from core.errors import AppError
from stimuli.models import Collection
from stimuli.services.quality_checks import check_collection, measure_missing


class Command(BaseCommand):
    help = "Check levels, clipping, silence, lengths and missing cells of a collection; exit 1 if anything is an error."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION")
        parser.add_argument("--lufs", type=float, metavar="LEVEL", help="the loudness that every sound should have")
        parser.add_argument("--tolerance", type=float, default=0.5, metavar="LU", help="how far off is fine (0.5)")
        parser.add_argument("--shortest", type=float, metavar="S", help="how long every sound must last at least")
        parser.add_argument("--longest", type=float, metavar="S", help="how long every sound may last at most")
        parser.add_argument("--json", dest="as_json", action="store_true", help="print the findings as JSON")

    def handle(self, *, collection: str, as_json: bool, **options: Any) -> None:
        chosen = Collection.objects.filter(slug=collection).first()
        if chosen is None:
            known = ", ".join(Collection.objects.values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no collection '{collection}'. Known: {known}.")
        asked = Options(
            target_lufs=options["lufs"],
            level_tolerance_lu=options["tolerance"],
            shortest_s=options["shortest"],
            longest_s=options["longest"],
        )
        try:
            measure_missing(collection=chosen)
        except AppError as error:
            raise CommandError(str(error)) from error
        found = check_collection(collection=chosen, options=asked)
        if as_json:
            self.stdout.write(json.dumps(found, indent=2, ensure_ascii=False))
        else:
            for one in found["findings"]:
                place = " x ".join(name for name in (one["item"], one["condition"]) if name)
                self.stdout.write(f"{one['severity']:<8} {place or collection}: {one['sentence']}")
            counts = f"{found['errors']} errors, {found['warnings']} warnings, {found['notes']} notes"
            self.stdout.write(f"{found['stimuli']} stimuli: {counts}.")
        if found["errors"]:
            raise SystemExit(1)
