"""Recompute the chain over every ballot's votes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from rating.models import Ballot
from rating.services.votes import chain_holds


class Command(BaseCommand):
    help = "Check that no stored vote was altered, removed, added or swapped. Exit 1 names the ballots where one was."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--experiment", metavar="SLUG", help="Only this experiment; all of them without it.")

    def handle(self, *args: Any, experiment: str | None, **options: Any) -> None:
        ballots = Ballot.objects.filter(vote_count__gt=0).select_related("experiment")
        if experiment:
            ballots = ballots.filter(experiment__slug=experiment)
        broken = [ballot for ballot in ballots if not chain_holds(ballot=ballot)]
        if broken:
            names = ", ".join(str(ballot) for ballot in broken)
            raise CommandError(f"{len(broken)} of {len(ballots)} ballots do not hold: {names}.")
        votes = sum(ballot.vote_count for ballot in ballots)
        self.stdout.write(f"{votes} votes on {len(ballots)} ballots, every chain holds.")
