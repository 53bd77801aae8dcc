"""manage.py plan_orders: lay out the orders of one panel without an experiment, to be looked at or checked."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from listening.design.base import DEFAULT_PRESET, Design, LayoutRequest
from listening.design.orders.presets import PRESETS, preset
from listening.design.report.summary import Finding, design_report
from listening.management.experiments import listed


class Command(BaseCommand):
    help = "Lay out the orders of one panel without an experiment. Nothing is read or written."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--items", type=int, required=True, metavar="N", help="how many items")
        parser.add_argument("--conditions", required=True, metavar="A,B,C", help="their names")
        parser.add_argument("--listeners", type=int, required=True, metavar="L")
        parser.add_argument("--sessions", type=int, default=1, metavar="S")
        parser.add_argument("--seed", default="0", help="the same seed makes the same orders")
        parser.add_argument("--preset", choices=PRESETS, default=DEFAULT_PRESET)
        parser.add_argument("--json", dest="as_json", action="store_true", help="print orders and findings as JSON")

    def handle(self, **options: Any) -> None:
        request = LayoutRequest(
            subsets=[[str(number) for number in range(options["items"])]],
            conditions=[name.strip() for name in options["conditions"].split(",") if name.strip()],
            seats=options["listeners"],
            sessions=options["sessions"],
            seed=options["seed"],
        )
        try:
            design = preset(options["preset"]).lay_out(request)
        except AppError as error:
            raise CommandError(str(error)) from error
        findings = design_report(design)
        if options["as_json"]:
            self.stdout.write(json.dumps(_told(design, findings), ensure_ascii=False))
            return
        for line in listed([finding.to_json() for finding in findings]):
            self.stdout.write(line)


def _told(design: Design, findings: list[Finding]) -> dict[str, Any]:
    return {
        "listeners": [
            [
                {"item": int(showing.item), "condition": showing.condition, "session": showing.session}
                for showing in sequence.showings
            ]
            for sequence in design.sequences
        ],
        "findings": {finding.key: _plain(finding) for finding in findings},
    }


def _plain(finding: Finding) -> dict[str, Any]:
    told = finding.to_json()
    return {name: told[name] for name in ("title", "value", "verdict", "sentence", "numbers")}
