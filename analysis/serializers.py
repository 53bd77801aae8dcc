"""Serializers of results, their tables and files."""

from typing import Any

from rest_framework import serializers

from rating.serializers import ScaleSerializer


class ResultFileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    content_type = serializers.CharField()
    address = serializers.CharField()


class ResultIndexSerializer(serializers.Serializer[Any]):
    method = serializers.CharField()
    title = serializers.CharField()
    computed_at = serializers.DateTimeField(allow_null=True)
    stale = serializers.BooleanField()
    files = ResultFileSerializer(many=True)
    tables = ResultFileSerializer(many=True)


class ResultSerializer(serializers.Serializer[Any]):
    method = serializers.CharField()
    version = serializers.CharField()
    simulated = serializers.BooleanField()
    blind = serializers.BooleanField()
    vote_count = serializers.IntegerField()
    stale = serializers.BooleanField(help_text="Some figures do not count the newest votes yet.")
    main_current = serializers.BooleanField(help_text="All but adjusted models and screening counts them.")
    computed_at = serializers.DateTimeField(allow_null=True)
    edition = serializers.CharField(help_text="Changes when the figures do.")
    counts = serializers.DictField()
    scales = ScaleSerializer(many=True)
    table = serializers.DictField(help_text="The tables of the method, each a list of rows.")


class ResultStateSerializer(serializers.Serializer[Any]):
    vote_count = serializers.IntegerField()
    stale = serializers.BooleanField(help_text="Some figures do not count the newest votes yet.")
    main_current = serializers.BooleanField(help_text="All but adjusted models and screening counts them.")
    computed_at = serializers.DateTimeField(allow_null=True)
    edition = serializers.CharField(help_text="Changes when the figures do.")


class ResultRowsSerializer(serializers.Serializer[Any]):
    total = serializers.IntegerField()
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    rows = serializers.ListField(child=serializers.DictField())


class ResultTableSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    title = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.DictField())


class OrdinalModelSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(
        choices=["none", "queued", "running", "failed", "cancelled", "current", "outdated"],
        help_text="Outdated: votes or exclusions have changed since it was fitted. Queued to cancelled: of the job.",
    )
    refused = serializers.CharField(allow_blank=True, help_text="Why it cannot be asked for.")
    job = serializers.UUIDField(allow_null=True)
    progress = serializers.FloatField(allow_null=True, help_text="The share of the job that is done.")
    fitted_at = serializers.DateTimeField(allow_null=True)
    vote_count = serializers.IntegerField()
    warnings = serializers.ListField(child=serializers.CharField())
    tables = ResultTableSerializer(many=True)
