"""Questions asked of seats."""

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from listening.models import Seat


class SeatQuerySet(models.QuerySet["Seat"]):
    def free(self) -> "SeatQuerySet":
        return self.filter(state="open").order_by("number")
