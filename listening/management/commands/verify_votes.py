"""manage.py verify_votes: recompute every seal and chain, and compare scores and receipts with the votes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.services import audit
from listening.participation.services.verification import take_root, verify


class Command(BaseCommand):
    help = (
        "Check that no vote, score, plan, receipt or audit entry was altered, removed, added or swapped. "
        "Exit 1 names what was."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--experiment", metavar="SLUG", help="Only this experiment; all of them without it.")
        parser.add_argument(
            "--root",
            metavar="VALUE",
            nargs="?",
            const="",
            help="Compare with a root that was kept elsewhere; without a value, print one to be kept.",
        )

    def handle(self, *args: Any, experiment: str | None = None, root: str | None = None, **options: Any) -> None:
        found = verify(experiment=experiment or "")
        if root and not audit.holds_root(root):
            found.problems.append(f"The root {root} is not in the audit log: entries were removed or rewritten.")
        if found.problems:
            raise CommandError("\n".join([f"{len(found.problems)} problems were found.", *found.problems]))
        self.stdout.write(
            f"{found.votes} votes on {found.ballots} ballots, every chain holds, "
            f"and so does the audit log of {found.entries} entries."
        )
        if root == "":
            self.stdout.write(f"root {take_root()}")
        elif root:
            self.stdout.write(f"The audit log holds the root {root}.")
