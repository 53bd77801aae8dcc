"""Files on their way into a collection."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.models import BaseModel
from stimuli.models.collections import Collection
from stimuli.querysets import IntakeFileQuerySet, IntakeQuerySet


class Intake(BaseModel):
    """One import: the files that were announced, what was understood of them, and what became of it."""

    class State(models.TextChoices):
        RECEIVING = "receiving", _("Receiving files")
        CHECKING = "checking", _("Checking files")
        PROPOSED = "proposed", _("Waiting for confirmation")
        IMPORTING = "importing", _("Importing")
        DONE = "done", _("Imported")
        REFUSED = "refused", _("Refused")
        CANCELLED = "cancelled", _("Cancelled")

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="intakes")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="intakes")
    state = models.CharField(max_length=20, choices=State, default=State.RECEIVING)
    # The layout that was asked for, "auto" until one was recognised (stimuli.intake.layouts).
    layout = models.CharField(max_length=40, default="auto")
    # What would be imported (stimuli.intake.plans.Plan); shown before it is done.
    plan = models.JSONField(default=dict)
    # What was found, for people: findings and counts (stimuli.intake.reports.Report).
    report = models.JSONField(default=dict)
    # The version of the collection that this import made.
    version = models.PositiveIntegerField(null=True)
    # Unfinished uploads are thrown away then.
    expires_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    objects = IntakeQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                name="intake_state_known",
                condition=Q(
                    state__in=["receiving", "checking", "proposed", "importing", "done", "refused", "cancelled"]
                ),
            ),
            models.UniqueConstraint(name="intake_version_once", fields=["collection", "version"]),
        ]

    def __str__(self) -> str:
        return f"{self.collection} {self.state}"


class IntakeFile(BaseModel):
    """One announced file and how much of it has arrived; the bytes lie under a name that the server made."""

    intake = models.ForeignKey(Intake, on_delete=models.CASCADE, related_name="files")
    # As the sender calls it, for people and for recognising layouts; never a name on the server's disk.
    path = models.CharField(max_length=500)
    byte_count = models.PositiveBigIntegerField()
    # So many bytes are on the disk for certain: written, fsynced, committed.
    received_bytes = models.PositiveBigIntegerField(default=0)
    # What the sender says the whole file's digest is; empty until the sender knows it.
    claimed_sha256 = models.CharField(max_length=64, blank=True)
    # What the server found it to be.
    sha256 = models.CharField(max_length=64, blank=True)

    objects = IntakeFileQuerySet.as_manager()

    class Meta:
        ordering = ["path"]
        constraints = [
            models.UniqueConstraint(name="intake_path_once", fields=["intake", "path"]),
            models.CheckConstraint(name="intake_file_within_length", condition=Q(received_bytes__lte=F("byte_count"))),
        ]

    def __str__(self) -> str:
        return self.path
