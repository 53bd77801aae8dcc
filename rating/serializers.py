"""Serializers of experiments."""

from typing import Any

from django.conf import settings
from rest_framework import serializers

from rating.models import Experiment


class ExperimentSerializer(serializers.ModelSerializer[Experiment]):
    owner = serializers.CharField(source="owner.username", read_only=True)
    collection = serializers.CharField(source="collection.slug", read_only=True)

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
            "created_at",
        ]


class NewExperimentSerializer(serializers.Serializer[Any]):
    slug = serializers.SlugField(max_length=50, default="", allow_blank=True)
    title = serializers.CharField(max_length=200)
    collection = serializers.SlugField()
    protocol = serializers.SlugField()
    label_set = serializers.CharField(max_length=100)
    language = serializers.CharField(max_length=10, default=settings.LANGUAGE_CODE)
    consent_text = serializers.CharField()
    instructions = serializers.CharField(default="", allow_blank=True)
    debrief = serializers.CharField(default="", allow_blank=True)
    contact = serializers.CharField(max_length=200, default="", allow_blank=True)
    options = serializers.DictField(default=dict)
    seed = serializers.CharField(max_length=64, default="", allow_blank=True)


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
