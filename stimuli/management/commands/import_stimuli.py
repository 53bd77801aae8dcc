"""manage.py import_stimuli DIR --collection NAME: bring a folder of sound into a collection, all of it or nothing."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from core.errors import AppError
from core.models import User
from stimuli.imports.layouts import LAYOUTS
from stimuli.imports.pipeline import ImportDraft
from stimuli.management.preparing import counted, prepare_all
from stimuli.models import Collection, Import, Recording
from stimuli.services.imports import drafted_folder, import_draft, unready_recordings

MOST_SHOWN = 40
NOW = "Prepared {count}; everything in '{slug}' can be heard and seen."
LATER = (
    "The worker still has to prepare {count}; the pages of these sounds in '{slug}' show how far it is.\n"
    "If no worker runs, start one (manage.py run_worker), or prepare them here (manage.py ingest_recordings)."
)
FAILED = (
    "Everything was imported, but of {count} {failed} cannot be used, see above. "
    "Export what is broken again, and import it with --replace."
)


class Command(BaseCommand):
    help = (
        "Import a folder of sound, tables and Audacity projects into a collection; exit 1 and write nothing if refused."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument("--collection", required=True, metavar="NAME", help="made if there is none of that name")
        parser.add_argument("--metadata", type=Path, metavar="FILE", help="a CSV or XLSX whose columns become factors")
        parser.add_argument("--layout", choices=LAYOUTS, default="auto")
        parser.add_argument(
            "--owner", metavar="ACCOUNT", help="whose collection a new one is; the oldest admin's if not given"
        )
        parser.add_argument(
            "--replace", action="store_true", help="put new sounds in the place of those that are there"
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would be imported, and write nothing")
        parser.add_argument(
            "--wait", action="store_true", help="prepare long recordings at once, not in the background"
        )
        parser.add_argument("--json", dest="as_json", action="store_true", help="print the report as JSON")

    def handle(self, **options: Any) -> None:
        folder, metadata = options["folder"], options["metadata"]
        if not folder.is_dir():
            raise CommandError(f"'{folder}' is no folder. Give the folder that holds the files.")
        if metadata and not metadata.is_file():
            raise CommandError(f"'{metadata}' is no file. Give a CSV or XLSX table.")
        collection, is_new = self._collection(options["collection"], options["owner"])
        try:
            with drafted_folder(
                folder=folder, layout=options["layout"], metadata=metadata, progress=self._show
            ) as drafted:
                self._carry_out(drafted, collection, is_new, options)
        except AppError as error:
            self._show(0, 0, "")
            raise CommandError(str(error)) from error

    def _carry_out(self, drafted: ImportDraft, collection: Collection, is_new: bool, options: dict[str, Any]) -> None:
        import_ = None
        if not drafted.is_rejected and not options["dry_run"]:
            chosen = {"replace": options["replace"], "is_new": is_new, "progress": self._show}
            import_ = import_draft(drafted=drafted, collection=collection, actor=collection.owner, **chosen)
        self._show(0, 0, "")
        self._tell(drafted, collection, import_, options)
        if drafted.is_rejected:
            raise SystemExit(1)
        waiting = unready_recordings(collection=collection) if import_ else []
        ending = self._prepared(waiting) if options["wait"] else LATER
        if waiting and not options["as_json"]:
            self.stdout.write(ending.format(count=counted(len(waiting)), slug=collection.slug))

    def _prepared(self, waiting: list[Recording]) -> str:
        """Prepare all that can be; what cannot is in the collection all the same."""

        def complain(text: str) -> None:
            self._show(0, 0, "")
            self.stderr.write(text)

        failed = prepare_all(
            waiting, show=lambda name, done, total: self._show(done, total, f"{name}: chunk"), complain=complain
        )
        self._show(0, 0, "")
        if failed:
            raise CommandError(FAILED.format(failed=failed, count=counted(len(waiting))))
        return NOW

    def _tell(
        self, drafted: ImportDraft, collection: Collection, import_: Import | None, options: dict[str, Any]
    ) -> None:
        report, plan = drafted.report.to_json(), drafted.plan
        if options["as_json"]:
            told = {"collection": collection.slug, "imported": import_ is not None, "layout": plan.layout}
            version = {"version": import_.version if import_ else None}
            self.stdout.write(json.dumps({**told, **version, **report}, indent=2, ensure_ascii=False))
            return
        for found in report["findings"][:MOST_SHOWN]:
            place = f" ({found['path']})" if found["path"] and found["path"] not in found["sentence"] else ""
            self.stderr.write(f"{found['severity']:<8} {found['sentence']}{place}")
        if len(report["findings"]) > MOST_SHOWN:
            self.stderr.write(f"... and {len(report['findings']) - MOST_SHOWN} more; --json shows all.")
        self.stdout.write(_summary(drafted, collection, import_, report))

    def _collection(self, name: str, owner: str | None) -> tuple[Collection, bool]:
        """The collection of that name, or a new one that is not saved yet."""
        slug = slugify(name)
        if not slug:
            raise CommandError(f"'{name}' is no name for a collection. Use letters and digits.")
        found = Collection.objects.filter(slug=slug).first()
        if found is not None:
            return found, False
        return Collection(slug=slug[:50], title=name[:200], owner=_owner(owner)), True

    def _show(self, done: int, total: int, note: str) -> None:
        """Overwrite the last progress line, on a terminal."""
        if self.stderr.isatty():
            text = f"{note or 'sounds'} {done} of {total}" if total else ""
            self.stderr.write(f"\r\033[K{text}", ending="")
            self.stderr.flush()


def _owner(name: str | None) -> User:
    accounts = User.objects.filter(is_active=True).order_by("date_joined")
    if name:
        chosen = accounts.filter(username=name).first()
        problem = f"There is no account '{name}'. Make it with create_account."
    else:
        chosen = accounts.filter(role=User.Role.ADMIN).first() or accounts.first()
        problem = "There is no account yet that could own the collection. Make one with create_account."
    if chosen is None:
        raise CommandError(problem)
    return chosen


def _summary(drafted: ImportDraft, collection: Collection, import_: Import | None, report: dict[str, Any]) -> str:
    counts = report["counts"]
    what = (
        f"{counts['stimuli']} stimuli ({counts['items']} items, {counts['conditions']} conditions, "
        f"layout {drafted.plan.layout}, {counts['duration_s'] / 3600:.2f} h of sound)"
    )
    if drafted.is_rejected:
        return f"Refused: {report['errors']} problems; nothing was written."
    if import_ is None:
        return f"Would import {what} into '{collection.slug}'."
    return f"Imported {what} into '{collection.slug}', version {import_.version}."
