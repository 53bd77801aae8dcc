"""Questions asked of seats."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from listening.models import Seat


class SeatQuerySet(models.QuerySet["Seat"]):
    def main(self) -> "SeatQuerySet":
        """Seats whose answers count: no previews, rehearsals or simulated ones, and nobody's who dropped out."""
        return self.filter(ballot__kind="main", ballot__abandoned_at__isnull=True)

    def free(self) -> "SeatQuerySet":
        """Open, and not kept for the holder of one particular link."""
        return self.filter(state="open", invitation__isnull=True).order_by("number")

    def lapsed(self, now: datetime) -> "SeatQuerySet":
        """Taken, and not a sign of life for longer than the lease; the longest silence first."""
        return self.filter(state="taken", leased_until__lte=now).order_by("leased_until")
