"""Models and querysets of stimuli: recordings, collections and imports."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.models import BaseModel, User


class CollectionQuerySet(models.QuerySet["Collection"]):
    def visible_to(self, user: User) -> "CollectionQuerySet":
        """Own collections and those of shared experiments; an admin sees all."""
        readable = self.model.readers.through.objects.filter(user=user).values("collection")
        return self if user.is_admin else self.filter(models.Q(owner=user) | models.Q(pk__in=readable))

    def search(self, words: str) -> "CollectionQuerySet":
        """Those whose title, short name or owner has every word."""
        found = self
        for word in words.split():
            found = found.filter(
                Q(title__icontains=word) | Q(slug__icontains=word) | Q(owner__username__icontains=word)
            )
        return found

    def with_counts(self) -> "CollectionQuerySet":
        return self.annotate(
            item_count=models.Count("items", distinct=True), condition_count=models.Count("conditions", distinct=True)
        )


class StimulusQuerySet(models.QuerySet["Stimulus"]):
    def offered(self) -> "StimulusQuerySet":
        """What new designs and seats may hear: everything but excluded items."""
        return self.filter(item__excluded_at__isnull=True)


class ImportQuerySet(models.QuerySet["Import"]):
    def visible_to(self, user: User) -> "ImportQuerySet":
        """Imports are seen by those who made them, and by admins."""
        return self if user.is_admin else self.filter(owner=user)

    def unfinished(self) -> "ImportQuerySet":
        states = self.model.State
        open_states = [states.RECEIVING, states.CHECKING, states.HAS_ERRORS, states.PROPOSED, states.IMPORTING]
        return self.filter(state__in=open_states)


class ImportFileQuerySet(models.QuerySet["ImportFile"]):
    def incomplete(self) -> "ImportFileQuerySet":
        return self.filter(received_bytes__lt=models.F("byte_count"))


# --- Recordings -------------------------------------------------------------------------------------------------------


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
    # The form of the whole for small waveforms (audio.outline); empty until the last sample was seen.
    outline = models.CharField(max_length=64, blank=True)
    # From file time to clock time as detected (audio.clock.Stretch), counted from the start; empty
    # for a sound without hour separators. Each stimulus may say when it started, and correct it.
    clock = models.JSONField(default=list)
    error = models.TextField(blank=True)
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


# --- Collections ------------------------------------------------------------------------------------------------------


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
    # Set where the item is left out of new designs; what was laid out before stays.
    excluded_at = models.DateTimeField(null=True)
    excluded_reason = models.CharField(max_length=500, blank=True)

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
        TRAP = "trap", _("Trap")  # asks the listener for a particular answer
        GOLD = "gold", _("Gold")  # of a quality that nobody can mistake

        @property
        def usual_start_s(self) -> float | None:
            """Default start of a recording of this role: midnight for a full-length one, none for a clip."""
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
                name="condition_role_known",
                condition=Q(role__in=["test", "reference", "anchor", "full-length", "trap", "gold"]),
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
    # When the recording began, in seconds after midnight; empty where it is not known. It belongs to the cell and
    # not to the recording, which other collections share: what one experimenter says must not move another's clock.
    starts_at_s = models.FloatField(null=True)
    # The corrected way from file time to clock time (audio.clock.Stretch), counted from the start;
    # empty where what was detected in the recording holds.
    clock = models.JSONField(null=True)

    objects = StimulusQuerySet.as_manager()

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


class FormerRecording(BaseModel):
    """A recording that a stimulus had until another took its place; it stays as it came."""

    stimulus = models.ForeignKey(Stimulus, on_delete=models.CASCADE, related_name="former_recordings")
    recording = models.ForeignKey(Recording, on_delete=models.PROTECT, related_name="+")
    # The version of the collection in which it was replaced.
    version = models.PositiveIntegerField()
    replaced_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(name="former_recording_once", fields=["stimulus", "version"])]

    def __str__(self) -> str:
        return f"{self.stimulus} until {self.version}"


# --- Imports ----------------------------------------------------------------------------------------------------------


class Import(BaseModel):
    """One import: the files that were announced, what was understood of them, and what became of it."""

    class State(models.TextChoices):
        RECEIVING = "receiving", _("Receiving files")
        CHECKING = "checking", _("Checking files")
        HAS_ERRORS = "errors", _("Errors found")
        PROPOSED = "proposed", _("Waiting for confirmation")
        IMPORTING = "importing", _("Importing")
        DONE = "done", _("Imported")
        CANCELLED = "cancelled", pgettext_lazy("import", "Cancelled")

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="imports")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="imports")
    # Set where the import replaces the sound of one stimulus.
    stimulus = models.ForeignKey(Stimulus, on_delete=models.CASCADE, null=True, related_name="imports")
    state = models.CharField(max_length=20, choices=State, default=State.RECEIVING)
    # The layout that was asked for; once it is imported, the one that was recognised (stimuli.imports.layouts).
    layout = models.CharField(max_length=40, default="auto")
    # What would be imported (stimuli.imports.plans.Plan); shown before it is done.
    plan = models.JSONField(default=dict)
    # What was found, for people: findings and counts (stimuli.imports.reports.Report).
    report = models.JSONField(default=dict)
    # The files that were left out or replaced after a check: which, by whom, when and why
    # (stimuli.services.corrections).
    corrections = models.JSONField(default=list)
    # The empty collection that gets a copy of every clip at one loudness once the import is committed, where that was
    # asked for (stimuli.services.normalisation).
    copy_into = models.ForeignKey(Collection, on_delete=models.SET_NULL, null=True, related_name="copied_by")
    copy_lufs = models.FloatField(null=True)
    # The version of the collection that this import made.
    version = models.PositiveIntegerField(null=True)
    # Unfinished uploads are thrown away then.
    expires_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    objects = ImportQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                name="import_state_known",
                condition=Q(
                    state__in=["receiving", "checking", "errors", "proposed", "importing", "done", "cancelled"]
                ),
            ),
            models.UniqueConstraint(name="import_version_once", fields=["collection", "version"]),
        ]

    def __str__(self) -> str:
        return f"{self.collection} {self.state}"


class ImportFile(BaseModel):
    """One announced file and how much of it has arrived; the bytes lie under a name that the server made."""

    parent = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="files")
    # As the sender calls it, for people and for recognising layouts; never a name on the server's disk.
    path = models.CharField(max_length=500)
    byte_count = models.PositiveBigIntegerField()
    # Bytes that are certainly on the disk: written, fsynced, committed.
    received_bytes = models.PositiveBigIntegerField(default=0)
    # What the sender says the whole file's digest is; empty until the sender knows it.
    claimed_sha256 = models.CharField(max_length=64, blank=True)
    # What the server found it to be.
    sha256 = models.CharField(max_length=64, blank=True)

    objects = ImportFileQuerySet.as_manager()

    class Meta:
        ordering = ["path"]
        constraints = [
            models.UniqueConstraint(name="import_path_once", fields=["parent", "path"]),
            models.CheckConstraint(name="import_file_within_length", condition=Q(received_bytes__lte=F("byte_count"))),
        ]

    def __str__(self) -> str:
        return self.path
