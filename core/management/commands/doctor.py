"""manage.py doctor: each missing or misconfigured part of the installation in one line."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from core.check_result import Level
from core.doctor import examine


class Command(BaseCommand):
    help = "Examine this installation, one line a piece; exit 1 if anything is a problem."
    # The doctor is called when something is wrong, so the checks that would stop other commands must not stop it.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", dest="as_json", action="store_true", help="print the findings as JSON")

    def handle(self, *, as_json: bool, **options: Any) -> None:
        findings = examine()
        if as_json:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2))
        else:
            self.stdout.write("\n".join(str(finding) for finding in findings))
        if any(finding.level is Level.PROBLEM for finding in findings):
            raise SystemExit(1)
