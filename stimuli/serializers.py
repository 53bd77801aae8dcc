"""Serializers of collections, imports and uploads."""

from typing import Any
from uuid import UUID

from django.db.models import Count
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.serializers import JobSerializer
from stimuli.imports.layouts import LAYOUTS
from stimuli.models import Collection, Condition, Import, ImportFile, ImportFileQuerySet, Item, Stimulus
from stimuli.services.corrections import LONGEST_REASON
from stimuli.services.imports import arrival, job_of
from stimuli.services.normalisation import HIGHEST_LUFS, LOWEST_LUFS
from stimuli.uploads.manifest import MOST_FILES, DeclaredFile

LARGEST_FILE_BYTES = 2**53 - 1  # beyond, a browser's numbers are no longer exact


class CollectionSerializer(serializers.ModelSerializer[Collection]):
    owner = serializers.CharField(source="owner.username", read_only=True)
    item_count = serializers.IntegerField(read_only=True)
    condition_count = serializers.IntegerField(read_only=True)

    class Meta:
        model = Collection
        fields = ["slug", "title", "owner", "version", "item_count", "condition_count", "created_at"]
        read_only_fields = ["version", "created_at"]
        # That a short name is taken is for the service to say, as an error.
        extra_kwargs = {"slug": {"validators": [], "max_length": 50, "required": False}}


class ConditionSerializer(serializers.ModelSerializer[Condition]):
    factors = serializers.DictField(child=serializers.CharField())
    stimulus_count = serializers.IntegerField()

    class Meta:
        model = Condition
        fields = ["name", "role", "factors", "stimulus_count"]
        read_only_fields = fields


class CollectionDetailSerializer(CollectionSerializer):
    """A collection with its matrix in short."""

    item_count = serializers.IntegerField(source="items.count", read_only=True)
    condition_count = serializers.IntegerField(source="conditions.count", read_only=True)
    conditions = serializers.SerializerMethodField()
    missing_count = serializers.SerializerMethodField()

    class Meta(CollectionSerializer.Meta):
        fields = [*CollectionSerializer.Meta.fields, "conditions", "missing_count"]

    @extend_schema_field(ConditionSerializer(many=True))
    def get_conditions(self, collection: Collection) -> Any:
        counted = collection.conditions.annotate(stimulus_count=Count("stimuli")).order_by("name")
        return ConditionSerializer(counted, many=True).data

    def get_missing_count(self, collection: Collection) -> int:
        """How many cells of items crossed with conditions are empty."""
        cells = collection.items.count() * collection.conditions.count()
        return cells - Stimulus.objects.filter(item__collection=collection).count()


class DeclaredFileSerializer(serializers.Serializer[Any]):
    path = serializers.CharField(max_length=1000, trim_whitespace=False)
    byte_count = serializers.IntegerField(min_value=0, max_value=LARGEST_FILE_BYTES)


class FilesSerializer(serializers.Serializer[Any]):
    files = serializers.ListField(child=DeclaredFileSerializer(), allow_empty=False, max_length=MOST_FILES)

    def declared_files(self) -> list[DeclaredFile]:
        return [DeclaredFile(**file) for file in self.validated_data["files"]]


class NewImportSerializer(FilesSerializer):
    layout = serializers.ChoiceField(choices=LAYOUTS, default="auto")
    stimulus = serializers.UUIDField(
        default=None, allow_null=True, help_text="The stimulus whose sound the one file replaces."
    )


class SubmitSerializer(serializers.Serializer[Any]):
    digests = serializers.DictField(child=serializers.CharField(max_length=64), default=dict)


class ConfirmSerializer(serializers.Serializer[Any]):
    replace = serializers.BooleanField(default=False, help_text="Replace stimuli that are in the collection already.")


class LeaveOutSerializer(serializers.Serializer[Any]):
    paths = serializers.ListField(child=serializers.CharField(max_length=1000, trim_whitespace=False), default=list)
    reason = serializers.CharField(max_length=LONGEST_REASON, default="", allow_blank=True)


class TakeBackSerializer(serializers.Serializer[Any]):
    paths = serializers.ListField(
        child=serializers.CharField(max_length=1000, trim_whitespace=False), allow_empty=False
    )


class ReplacementSerializer(FilesSerializer):
    reason = serializers.CharField(max_length=LONGEST_REASON, default="", allow_blank=True)


UPLOAD_COLUMNS = ["path", "byte_count", "received_bytes", "sha256"]


class UploadSerializer(serializers.ModelSerializer[ImportFile]):
    upload_url = serializers.SerializerMethodField()

    class Meta:
        model = ImportFile
        fields = [*UPLOAD_COLUMNS, "upload_url"]
        read_only_fields = fields

    def get_upload_url(self, file: ImportFile) -> str:
        return reverse("api:upload", args=[file.pk])


def listed_files(files: ImportFileQuerySet) -> list[dict[str, Any]]:
    """The same shape for thousands of files, without a model and a serializer for each."""
    placeholder = UUID(int=0)
    address = reverse("api:upload", args=[placeholder]).replace(str(placeholder), "{}")
    rows = files.values_list("pk", *UPLOAD_COLUMNS)
    return [dict(zip(UPLOAD_COLUMNS, known, strict=True), upload_url=address.format(pk)) for pk, *known in rows]


class ArrivalSerializer(serializers.Serializer[Any]):
    files = serializers.IntegerField()
    complete = serializers.IntegerField()
    bytes = serializers.IntegerField()
    received = serializers.IntegerField()


class ImportSerializer(serializers.ModelSerializer[Import]):
    collection = serializers.CharField(source="collection.slug", read_only=True)
    arrival = serializers.SerializerMethodField()
    job = serializers.SerializerMethodField()
    report = serializers.DictField(read_only=True)
    plan = serializers.DictField(read_only=True, allow_null=True)
    corrections = serializers.ListField(child=serializers.DictField(), read_only=True)

    class Meta:
        model = Import
        fields = [
            *("id", "collection", "stimulus", "state", "layout", "created_at", "expires_at", "finished_at", "version"),
            *("arrival", "job", "report", "plan", "corrections"),
        ]
        read_only_fields = fields

    @extend_schema_field(ArrivalSerializer)
    def get_arrival(self, import_: Import) -> dict[str, int]:
        return arrival(import_)

    @extend_schema_field(JobSerializer(allow_null=True))
    def get_job(self, import_: Import) -> dict[str, Any] | None:
        job = job_of(import_)
        return JobSerializer(job).data if job else None


class NewImportAnswerSerializer(ImportSerializer):
    """A new import, with the address of every file."""

    files = serializers.SerializerMethodField()

    class Meta(ImportSerializer.Meta):
        fields = [*ImportSerializer.Meta.fields, "files"]
        read_only_fields = fields

    @extend_schema_field(UploadSerializer(many=True))
    def get_files(self, import_: Import) -> list[dict[str, Any]]:
        return listed_files(import_.files.all())


class TitleSerializer(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=200)


class ConfirmedNameSerializer(serializers.Serializer[Any]):
    typed = serializers.CharField(max_length=50, help_text="The short name, typed as a confirmation.")


class CopyAtLevelSerializer(serializers.Serializer[Any]):
    """A copy at one loudness; names that are left out are those that the page proposes."""

    target_lufs = serializers.FloatField(min_value=LOWEST_LUFS, max_value=HIGHEST_LUFS)
    title = serializers.CharField(max_length=200, required=False)
    slug = serializers.SlugField(max_length=50, required=False)


class ItemSerializer(serializers.ModelSerializer[Item]):
    factors = serializers.DictField(child=serializers.CharField())

    class Meta:
        model = Item
        fields = ["id", "name", "factors", "excluded_at", "excluded_reason"]
        read_only_fields = fields


class ItemExclusionSerializer(serializers.Serializer[Any]):
    excluded = serializers.BooleanField()
    reason = serializers.CharField(max_length=500, default="", allow_blank=True)


class ClipSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    item = serializers.CharField()
    condition = serializers.CharField()
    role = serializers.CharField()
    duration_s = serializers.FloatField(allow_null=True)
    integrated_lufs = serializers.FloatField(allow_null=True)
    true_peak_dbtp = serializers.FloatField(allow_null=True)
    snr_estimate_db = serializers.FloatField(allow_null=True)


class SoundFindingSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    severity = serializers.CharField(help_text="error, warning or note")
    sentence = serializers.CharField()
    item = serializers.CharField(allow_blank=True)
    condition = serializers.CharField(allow_blank=True)
    stimulus = serializers.UUIDField(allow_null=True)
    data = serializers.DictField()  # type: ignore[assignment]  # the framework collects it as a field


class ChecksSerializer(serializers.Serializer[Any]):
    collection = serializers.CharField()
    version = serializers.IntegerField()
    stimuli = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]  # the framework collects it as a field
    warnings = serializers.IntegerField()
    notes = serializers.IntegerField()
    unmeasured = serializers.IntegerField()
    findings = SoundFindingSerializer(many=True)
