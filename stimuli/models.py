"""Rows of what is heard."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.models import BaseModel
from stimuli.querysets import CollectionQuerySet


class Collection(BaseModel):
    """The stimuli of one or more experiments: items crossed with conditions."""

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="collections")
    # Those with whom an experiment that uses the collection was shared.
    readers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="readable_collections", blank=True)

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

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="conditions")
    name = models.CharField(max_length=200)
    role = models.CharField(max_length=20, choices=Role, default=Role.TEST)

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


class Recording(BaseModel):
    """One audio file as it is served: PCM without a trace of where it came from, named by its content."""

    sha256 = models.CharField(max_length=64, unique=True)
    file = models.FileField(upload_to="recordings", max_length=200)
    byte_count = models.PositiveBigIntegerField()
    sample_rate_hz = models.PositiveIntegerField()
    channels = models.PositiveSmallIntegerField()
    length_samples = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(name="recording_not_empty", condition=Q(length_samples__gt=0))]

    def __str__(self) -> str:
        return self.sha256[:12]

    @property
    def duration_s(self) -> float:
        return self.length_samples / self.sample_rate_hz


class Stimulus(BaseModel):
    """An item under a condition: the thing that is heard."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="stimuli")
    condition = models.ForeignKey(Condition, on_delete=models.CASCADE, related_name="stimuli")
    recording = models.ForeignKey(Recording, on_delete=models.PROTECT, related_name="stimuli")

    class Meta:
        verbose_name_plural = "stimuli"
        ordering = ["item__name", "condition__name"]
        constraints = [models.UniqueConstraint(name="stimulus_once", fields=["item", "condition"])]

    def __str__(self) -> str:
        return f"{self.item} x {self.condition}"
