"""Serializers of experiments, their options, texts and shares."""

from typing import Any

from django.conf import settings
from rest_framework import serializers

from rating.forms import LONGEST_TEXT
from rating.models import Collaborator, Experiment, TextVersion
from rating.options import Kind


class ExperimentSerializer(serializers.ModelSerializer[Experiment]):
    owner = serializers.CharField(source="owner.username", read_only=True)
    collection = serializers.CharField(source="collection.slug", read_only=True)
    options = serializers.DictField(read_only=True)

    class Meta:
        model = Experiment
        fields = [
            "slug",
            "title",
            "state",
            "protocol",
            "label_set",
            "language",
            "options",
            "collection",
            "owner",
            "seed",
            "design_sha256",
            "unblinded_at",
            "archived_at",
            "is_simulation",
            "created_at",
        ]
        read_only_fields = fields


class ExperimentDetailSerializer(ExperimentSerializer):
    """An experiment with the texts that participants read."""

    class Meta(ExperimentSerializer.Meta):
        fields = [*ExperimentSerializer.Meta.fields, "consent_text", "instructions", "debrief", "contact"]
        read_only_fields = fields


class NewExperimentSerializer(serializers.Serializer[Any]):
    slug = serializers.SlugField(max_length=50, default="", allow_blank=True)
    title = serializers.CharField(max_length=200)
    collection = serializers.SlugField()
    protocol = serializers.SlugField()
    label_set = serializers.CharField(
        max_length=100,
        default="",
        allow_blank=True,
        help_text="Empty: approved labels, in the language if there are any.",
    )
    language = serializers.CharField(max_length=10, default=settings.LANGUAGE_CODE)
    consent_text = serializers.CharField(
        max_length=LONGEST_TEXT, default="", allow_blank=True, help_text="Empty: the standard text."
    )
    instructions = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    debrief = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    contact = serializers.CharField(max_length=200, default="", allow_blank=True)
    options = serializers.DictField(default=dict)
    seed = serializers.CharField(max_length=64, default="", allow_blank=True)


class EditSerializer(serializers.Serializer[Any]):
    """What is given changes: all of it in a draft, afterwards the texts, with a reason."""

    slug = serializers.SlugField(max_length=50, required=False)
    title = serializers.CharField(max_length=200, required=False)
    collection = serializers.SlugField(required=False)
    protocol = serializers.SlugField(required=False)
    label_set = serializers.CharField(max_length=100, required=False)
    language = serializers.CharField(max_length=10, required=False)
    consent_text = serializers.CharField(max_length=LONGEST_TEXT, required=False)
    instructions = serializers.CharField(max_length=LONGEST_TEXT, required=False, allow_blank=True)
    debrief = serializers.CharField(max_length=LONGEST_TEXT, required=False, allow_blank=True)
    contact = serializers.CharField(max_length=200, required=False, allow_blank=True)
    reason = serializers.CharField(max_length=500, default="", allow_blank=True)


class OptionsSerializer(serializers.Serializer[Any]):
    options = serializers.DictField()


class ReasonSerializer(serializers.Serializer[Any]):
    # That a reason is missing is for the service to say, as an error.
    reason = serializers.CharField(max_length=500, default="", allow_blank=True)


class UnblindingSerializer(ReasonSerializer):
    confirm = serializers.BooleanField(
        default=False, help_text="Needed while the experiment is live or paused: people can still listen."
    )


class NewStateSerializer(ReasonSerializer):
    state = serializers.ChoiceField(choices=Experiment.State.choices)


class StateSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=Experiment.State.choices)
    ready = serializers.BooleanField(help_text="Whether a draft or a paused experiment could go live now.")
    problem = serializers.CharField(allow_blank=True, help_text="Why it could not; empty where it could.")


class ArchiveSerializer(serializers.Serializer[Any]):
    archived = serializers.BooleanField(default=True)


class TypedSerializer(serializers.Serializer[Any]):
    typed = serializers.CharField(max_length=50, help_text="The short name, typed as a confirmation.")


class LossSerializer(serializers.Serializer[Any]):
    lost = serializers.DictField(child=serializers.IntegerField())
    days_in_bin = serializers.IntegerField()


class ColleagueSerializer(serializers.Serializer[Any]):
    colleague = serializers.CharField(max_length=150)


class ShareSerializer(serializers.Serializer[Any]):
    colleague = serializers.CharField(source="user.username", max_length=150)
    role = serializers.ChoiceField(choices=Collaborator.Role.choices, default=Collaborator.Role.EDITOR)


class TextVersionSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    published_at = serializers.DateTimeField()
    reason = serializers.CharField(allow_blank=True)
    title = serializers.CharField()
    consent_text = serializers.CharField()
    instructions = serializers.CharField(allow_blank=True)
    debrief = serializers.CharField(allow_blank=True)
    contact = serializers.CharField(allow_blank=True)
    consents = serializers.SerializerMethodField()

    def get_consents(self, version: TextVersion) -> int:
        """How many agreed to it."""
        counts: dict[Any, int] = self.context["counts"]
        return counts.get(version.pk, 0)


class ScaleSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class LabelSetNameSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    language = serializers.CharField()
    status = serializers.CharField(help_text="approved, or draft: a draft cannot collect data.")


class OptionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # the framework collects it as a field
    help = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(choices=[kind.value for kind in Kind])
    default = serializers.JSONField()
    choices = serializers.ListField(child=serializers.CharField())


class ProtocolSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()
    scales = ScaleSerializer(many=True)
    label_sets = LabelSetNameSerializer(many=True)
    options = OptionSerializer(many=True)


class LabelSetSerializer(serializers.Serializer[Any]):
    """A label set: by scale a question, what to attend to, one word, and a label for each number."""

    id = serializers.CharField()
    language = serializers.CharField()
    status = serializers.CharField()
    based_on = serializers.CharField()
    sha256 = serializers.CharField()
    scales = serializers.DictField()


class CopyLabelSetSerializer(serializers.Serializer[Any]):
    copy_of = serializers.CharField(max_length=100)
    language = serializers.CharField(max_length=10, default="", allow_blank=True)


class ChangeLabelSetSerializer(serializers.Serializer[Any]):
    language = serializers.CharField(max_length=10)
    scales = serializers.DictField()
    approved = serializers.BooleanField(default=False)
