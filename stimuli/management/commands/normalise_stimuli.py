"""manage.py normalise_stimuli COLLECTION --lufs LEVEL --out NAME: copy a collection to one loudness."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from audio.loudness import PRESETS
from core.errors import AppError
from stimuli.models import Collection, Import
from stimuli.services.normalisation import normalise_collection, summary

TARGETS_LUFS = {preset.slug: preset.target_lufs for preset in PRESETS}


class Command(BaseCommand):
    help = "Copy a collection with every sound at one loudness; the original stays as it is, and clipping is refused."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION")
        level = parser.add_mutually_exclusive_group(required=True)
        level.add_argument("--lufs", type=float, metavar="LEVEL", help="the loudness in LUFS, such as -30")
        level.add_argument("--preset", choices=TARGETS_LUFS, help="a level that others use too")
        parser.add_argument("--out", required=True, metavar="NAME", help="the name of the copy")
        parser.add_argument("--json", dest="as_json", action="store_true", help="print before and after as JSON")

    def handle(self, *, collection: str, out: str, as_json: bool, **options: Any) -> None:
        source = Collection.objects.filter(slug=collection).first()
        if source is None:
            known = ", ".join(Collection.objects.values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no collection '{collection}'. Known: {known}.")
        target = options["lufs"] if options["preset"] is None else TARGETS_LUFS[options["preset"]]
        wanted: dict[str, Any] = {
            "slug": slugify(out)[:50],
            "title": out[:200],
            "actor": source.owner,
            "progress": self._show,
        }
        try:
            made = normalise_collection(source=source, target_lufs=target, **wanted)
        except AppError as error:
            raise CommandError(str(error)) from error
        finally:
            self._show(0, 0, "")
        report = Import.objects.get(collection=made, version=made.version).report
        if as_json:
            self.stdout.write(json.dumps({"collection": made.slug, "target_lufs": target, **report}, indent=2))
            return
        for found in report["findings"]:
            self.stderr.write(f"{found['severity']:<8} {found['sentence']}")
        self.stdout.write(f"Copied '{source.slug}' into '{made.slug}'. {summary(report['levels'], target)}")

    def _show(self, done: int, total: int, note: str) -> None:
        """Overwrite the last progress line, on a terminal."""
        if self.stderr.isatty():
            self.stderr.write(f"\r\033[K{f'sounds {done} of {total}' if total else ''}", ending="")
            self.stderr.flush()
