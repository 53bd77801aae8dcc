"""Items crossed with conditions."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.models import BaseModel
from stimuli.models.recordings import Recording
from stimuli.querysets import CollectionQuerySet


class Collection(BaseModel):
    """The stimuli of one or more experiments: items crossed with conditions."""

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="collections")
    # Those with whom an experiment that uses the collection was shared.
    readers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="readable_collections", blank=True)
    # Counts the imports that changed the collection; each is all or nothing.
    version = models.PositiveIntegerField(default=0)

    objects = CollectionQuerySet.as_manager()

    class Meta:
        ordering = ["title"]

    def __str__(self) -> str:
        return self.title


class Item(BaseModel):
    """What a stimulus contains: a sentence, a soundscape, an utterance; carries factors such as location or sex."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="items")
    name = models.CharField(max_length=200)
    factors = models.JSONField(default=dict)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(name="item_once", fields=["collection", "name"])]

    def __str__(self) -> str:
        return self.name


class Condition(BaseModel):
    """What was done to an item: a codec, an enhancer, a summariser, or nothing."""

    class Role(models.TextChoices):
        TEST = "test", _("Test")
        REFERENCE = "reference", _("Reference")
        ANCHOR = "anchor", _("Anchor")
        FULL_LENGTH = "full-length", _("Full length")

        @property
        def usual_start_s(self) -> float | None:
            """A day begins at midnight unless somebody says otherwise; a clip has no time of day."""
            return 0.0 if self == Condition.Role.FULL_LENGTH else None

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="conditions")
    name = models.CharField(max_length=200)
    role = models.CharField(max_length=20, choices=Role, default=Role.TEST)
    # What it was made with, such as {"method": "greedy", "z": "0.5"}; methods read trends along numbers from it.
    factors = models.JSONField(default=dict)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(name="condition_once", fields=["collection", "name"]),
            models.CheckConstraint(
                name="condition_role_known", condition=Q(role__in=["test", "reference", "anchor", "full-length"])
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Stimulus(BaseModel):
    """An item under a condition: the thing that is heard, or read."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="stimuli")
    condition = models.ForeignKey(Condition, on_delete=models.CASCADE, related_name="stimuli")
    recording = models.ForeignKey(Recording, on_delete=models.PROTECT, null=True, related_name="stimuli")
    # A caption, a transcript or a list of words instead of sound: {"kind", "text", "tokens"}.
    text = models.JSONField(null=True)
    # The clip as participants get it: bare PCM, of one kind for the whole collection, as long in bytes as its item's
    # other clips. Empty for text and for recordings that are heard in slices.
    served = models.FileField(upload_to="served", max_length=200, blank=True)
    # When the recording began, in seconds after midnight; empty where nobody has said it. It belongs to the cell and
    # not to the recording, which other collections share: what one experimenter says must not move another's clock.
    starts_at_s = models.FloatField(null=True)
    # The corrected way from file time to clock time (audio.clock.Stretch), counted from the start;
    # empty where what was detected in the recording holds.
    clock = models.JSONField(null=True)

    class Meta:
        verbose_name_plural = "stimuli"
        ordering = ["item__name", "condition__name"]
        constraints = [
            models.UniqueConstraint(name="stimulus_once", fields=["item", "condition"]),
            models.CheckConstraint(
                name="stimulus_is_sound_or_text",
                condition=Q(recording__isnull=False, text__isnull=True) | Q(recording__isnull=True, text__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} x {self.condition}"

    @property
    def duration_s(self) -> float:
        """How long it sounds; a text does not sound."""
        return self.recording.duration_s if self.recording else 0.0
