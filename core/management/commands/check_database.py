"""manage.py check_database: fail when the database is damaged or would lose what it acknowledges."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import database
from core.check_result import Level


class Command(BaseCommand):
    # It must speak for itself where the database is too damaged for the checks that open it.
    requires_system_checks = []
    help = "Check that the database is whole and flushes what it acknowledges; exit 1 with the remedy otherwise."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--thorough", action="store_true", help="read every index too; slower on large files")

    def handle(self, *, thorough: bool, **options: Any) -> None:
        findings = [database.integrity(thorough=thorough)]
        if findings[0].level is Level.OK:  # A damaged file may not even let itself be asked.
            findings += database.durability()
        problems = [finding for finding in findings if finding.level is Level.PROBLEM]
        if problems:
            raise CommandError("\n".join(str(problem) for problem in problems))
        if options["verbosity"] > 0:
            self.stdout.write("\n".join(str(finding) for finding in findings))
