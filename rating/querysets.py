"""Questions asked of what is asked and answered."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from core.models import User
    from rating.models import Ballot, Experiment, Trial

# Of a trial: neither answered as a whole nor left out.
UNANSWERED = Q(answered=False, skipped_at__isnull=True)


class ExperimentQuerySet(models.QuerySet["Experiment"]):
    def visible_to(self, user: "User") -> "ExperimentQuerySet":
        """Own and shared experiments; an admin sees all."""
        # A join with the collaborators would repeat rows, and with them every sum that is taken over the rows.
        shared = Q(pk__in=user.shared_experiments.values("pk"))
        return self if user.is_admin else self.filter(Q(owner=user) | shared)

    def newest_first(self) -> "ExperimentQuerySet":
        """An order of its own for lists: grouping, as counts do, drops the model's, and that leaves ties open."""
        return self.order_by("-created_at", "pk")

    def with_counts(self) -> "ExperimentQuerySet":
        """Add how many seats there are and how many answers have come in, of those ballots that count."""
        main = Q(ballots__kind="main", ballots__abandoned_at__isnull=True)
        return self.annotate(
            ballot_count=models.Count("ballots", filter=main, distinct=True),
            answer_count=models.Sum("ballots__vote_count", filter=main, default=0),
        )


class BallotQuerySet(models.QuerySet["Ballot"]):
    def counts_by_kind(self) -> dict[str, dict[str, int]]:
        rows = (
            self.filter(abandoned_at__isnull=True)
            .values_list("kind")
            .annotate(models.Count("id"), models.Count("closed_at"), models.Sum("vote_count"))
        )
        return {kind: {"ballots": total, "closed": closed, "votes": votes} for kind, total, closed, votes in rows}


class TrialQuerySet(models.QuerySet["Trial"]):
    def unanswered(self) -> "TrialQuerySet":
        """What is still to be asked, in the order of asking: postponed pages wait for the end of their session."""
        return self.filter(UNANSWERED).order_by("session", "postponed", "position")
