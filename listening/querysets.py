"""Questions asked of panels, seats and links."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models.functions import Now

if TYPE_CHECKING:
    from listening.models import Invitation, Seat


class SeatQuerySet(models.QuerySet["Seat"]):
    def free(self) -> "SeatQuerySet":
        return self.filter(state="open").order_by("number")


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def unexpired(self) -> "InvitationQuerySet":
        return self.filter(expires_at__gt=Now())
