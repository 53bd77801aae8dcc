"""Rows of who hears, and when. Nothing below this room knows a participant."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.models import BaseModel
from listening.querysets import SeatQuerySet
from rating.models import Ballot, Experiment


class Panel(BaseModel):
    """A group of seats that hear the same items."""

    experiment = models.ForeignKey(Experiment, on_delete=models.PROTECT, related_name="panels")
    number = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(name="panel_number_once", fields=["experiment", "number"])]

    def __str__(self) -> str:
        return f"{self.experiment.slug} panel {self.number}"


class Participant(BaseModel):
    """Somebody who listens, under a number that means nothing outside the experiment."""

    experiment = models.ForeignKey(Experiment, on_delete=models.PROTECT, related_name="participants")
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(name="participant_number_once", fields=["experiment", "number"])]

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def pseudonym(self) -> str:
        return f"sub-{self.number:04d}"


class Seat(BaseModel):
    """A place in a panel with its frozen ballot; taken by consenting, never by opening a link."""

    class State(models.TextChoices):
        OPEN = "open", _("Open")
        TAKEN = "taken", _("Taken")
        FINISHED = "finished", _("Finished")

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="seats")
    number = models.PositiveSmallIntegerField()
    ballot = models.OneToOneField(Ballot, on_delete=models.PROTECT, related_name="seat")
    participant = models.OneToOneField(Participant, null=True, on_delete=models.SET_NULL, related_name="seat")
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    taken_at = models.DateTimeField(null=True)

    objects = SeatQuerySet.as_manager()

    class Meta:
        ordering = ["panel__number", "number"]
        constraints = [
            models.UniqueConstraint(name="seat_number_once", fields=["panel", "number"]),
            models.CheckConstraint(name="seat_state_known", condition=Q(state__in=["open", "taken", "finished"])),
            models.CheckConstraint(name="seat_open_is_empty", condition=~Q(state="open") | Q(participant__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.panel} seat {self.number}"


class Invitation(BaseModel):
    """A link for one person. Only the digest of its secret is kept; opening it changes nothing, consenting claims."""

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="invitations")
    token_sha256 = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    seat = models.OneToOneField(Seat, null=True, on_delete=models.PROTECT, related_name="invitation")

    class Meta:
        constraints = [
            models.CheckConstraint(name="invitation_expires_later", condition=Q(expires_at__gt=F("created_at")))
        ]

    def __str__(self) -> str:
        return self.token_sha256[:12]


class Visit(BaseModel):
    """One sitting on one device; the same link on another device begins another visit to the same seat."""

    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="visits")
    last_seen_at = models.DateTimeField(auto_now_add=True)
    device = models.JSONField(default=dict)

    class Meta:
        ordering = ["created_at"]

    def __str__(self) -> str:
        return str(self.id)


class Completion(BaseModel):
    """The receipt for a full ballot: it exists only when the server holds every vote."""

    seat = models.OneToOneField(Seat, on_delete=models.PROTECT, related_name="completion")
    code = models.CharField(max_length=20, unique=True)
    vote_count = models.PositiveIntegerField()
    chain = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.code
