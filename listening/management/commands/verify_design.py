"""manage.py verify_design EXPERIMENT: check every seat's ballot against the rules and the hash of its design."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from listening.management.experiments import experiment_called, listed
from listening.panels.services.designs import Verification, verify_design


class Command(BaseCommand):
    help = "Check that every seat hears what its design promises, and that nothing changed since; exit 1 otherwise."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("experiment", metavar="EXPERIMENT", help="the experiment's short name")
        parser.add_argument("--json", dest="as_json", action="store_true", help="print the findings as JSON")

    def handle(self, **options: Any) -> None:
        experiment = experiment_called(options["experiment"])
        try:
            found = verify_design(experiment)
        except AppError as error:
            raise CommandError(str(error)) from error
        self._tell(experiment.slug, found, options["as_json"])
        if not found.holds:
            raise SystemExit(1)

    def _tell(self, slug: str, found: Verification, as_json: bool) -> None:
        findings = [finding.to_json() for finding in found.findings]
        if as_json:
            told = {
                "experiment": slug,
                "holds": found.holds,
                "sha256": found.sha256,
                "laid_out_sha256": found.laid_out_sha256,
                "findings": findings,
            }
            self.stdout.write(json.dumps(told, indent=2, ensure_ascii=False))
            return
        for line in listed(findings):
            self.stdout.write(line)
        for finding in found.findings:
            if finding.verdict == "bad":
                self.stderr.write(str(finding.sentence))
        if found.is_unchanged:
            self.stdout.write(f"The seats of '{slug}' are those of the design {found.sha256}.")
        else:
            self.stderr.write(
                f"The seats of '{slug}' have changed: they amount to {found.sha256}, "
                f"and {found.laid_out_sha256} was laid out."
            )
