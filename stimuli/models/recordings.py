"""One sound file with everything derived from it."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.models import BaseModel

# Everything derived depends on the original's bytes and on this number; raise it when a derivative changes.
DERIVATION = 1


class Recording(BaseModel):
    """One sound file as it came, named by its content; the original bytes are the truth and are never altered."""

    class State(models.TextChoices):
        INGESTING = "ingesting", _("Being prepared")
        READY = "ready", _("Ready")
        REFUSED = "refused", _("Refused")

    sha256 = models.CharField(max_length=64, unique=True)
    file = models.FileField(upload_to="recordings", max_length=200)
    byte_count = models.PositiveBigIntegerField()
    format = models.CharField(max_length=20, default="wav")
    sample_rate_hz = models.PositiveIntegerField()
    channels = models.PositiveSmallIntegerField()
    length_samples = models.PositiveBigIntegerField()
    # How many bits of a sample are worth keeping: 16 to 24, or 32 for floating point. A short recording that is stored
    # in more than it needs, such as 16 bits in 24, counts as what it needs.
    bits = models.PositiveSmallIntegerField(default=16)
    state = models.CharField(max_length=20, choices=State, default=State.READY)
    # What was measured (audio.partial_results.Measures); empty until the last sample was seen.
    measures = models.JSONField(default=dict)
    # From file time to clock time as detected (audio.clock.Stretch), counted from the start; empty
    # for a sound without hour separators. Each stimulus may say when it started, and correct it.
    clock = models.JSONField(default=list)
    refusal = models.TextField(blank=True)
    # The recording that this one was made from by a change of level.
    made_from = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="copies")
    gain_db = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(name="recording_not_empty", condition=Q(length_samples__gt=0)),
            models.CheckConstraint(
                name="recording_state_known", condition=Q(state__in=["ingesting", "ready", "refused"])
            ),
            models.CheckConstraint(
                name="recording_copy_has_gain", condition=Q(made_from__isnull=True) | Q(gain_db__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return self.sha256[:12]

    @property
    def duration_s(self) -> float:
        return self.length_samples / self.sample_rate_hz


class Chunk(BaseModel):
    """A finished piece of a long recording: its derivatives stand in storage under a name made of its number."""

    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="chunks")
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(name="chunk_once", fields=["recording", "number"])]

    def __str__(self) -> str:
        return f"{self.recording} {self.number}"
