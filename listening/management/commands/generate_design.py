"""manage.py generate_design EXPERIMENT: lay out panels, subsets and orders together, and give every seat its ballot."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from listening.design.base import DEFAULT_PRESET, DesignRequest
from listening.design.orders.presets import PRESETS
from listening.management.experiments import SeatsWritten, experiment_called, listed
from listening.panels.services import designs


class Command(BaseCommand):
    help = "Lay out panels, subsets and orders together. The experiment must be a draft; its seats are replaced."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("experiment", metavar="EXPERIMENT", help="the experiment's short name")
        parser.add_argument("--preset", choices=PRESETS, default=DEFAULT_PRESET)
        parser.add_argument("--panels", type=int, default=4, metavar="P")
        parser.add_argument("--seats", type=int, default=8, metavar="L", help="listeners per panel (8)")
        parser.add_argument("--size", type=int, default=32, metavar="M", help="items per panel (32)")
        parser.add_argument("--factors", default="", metavar="A,B", help="balanced across the panels")
        parser.add_argument("--conditions", default="", metavar="A,B", help="only these of the rated conditions")
        parser.add_argument("--sessions", type=int, default=4, metavar="S")
        parser.add_argument("--seed", default="0", help="the same seed makes the same design")
        parser.add_argument("--dry-run", action="store_true", help="say what it would be, and write nothing")
        parser.add_argument("--json", dest="as_json", action="store_true", help="print the whole report as JSON")

    def handle(self, **options: Any) -> None:
        experiment = experiment_called(options["experiment"])
        for name in ("panels", "seats", "size", "sessions"):
            if options[name] < 1:
                raise CommandError(f"--{name} takes a whole number from 1 on.")
        wanted = DesignRequest.from_json(
            {**options, "factors": _names(options["factors"]), "conditions": _names(options["conditions"])}
        )
        try:
            draft = designs.draft_design(experiment=experiment, wanted=wanted)
            if not options["dry_run"]:
                designs.adopt_draft(
                    experiment=experiment, draft=draft, actor=experiment.owner, progress=SeatsWritten(self.stderr)
                )
        except AppError as error:
            raise CommandError(str(error)) from error
        self._tell(experiment.slug, draft, options)

    def _tell(self, slug: str, draft: designs.Draft, options: dict[str, Any]) -> None:
        if options["as_json"]:
            told = {
                "experiment": slug,
                "adopted": not options["dry_run"],
                "sha256": draft.sha256,
                "settings": draft.settings,
                "subsets": [list(subset) for subset in draft.plan.subsets],
                "report": draft.report,
            }
            self.stdout.write(json.dumps(told, indent=2, ensure_ascii=False))
            return
        for line in listed(draft.report["findings"]):
            self.stdout.write(line)
        self.stdout.write(str(draft.report["sentence"]))
        seats = len(draft.layout.sequences)
        done = f"Would lay out {seats} seats" if options["dry_run"] else f"Laid out {seats} seats"
        self.stdout.write(f"{done} of '{slug}' under {draft.sha256}.")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
