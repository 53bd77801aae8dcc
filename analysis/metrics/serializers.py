"""Serializers of objective metrics."""

from typing import Any

from rest_framework import serializers

from analysis.models import MetricTable


class NewMetricsSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200, default="metrics.csv", help_text="The name of the file, for people.")
    table = serializers.CharField(trim_whitespace=False, help_text="The text of the CSV file.")


class MetricTableSerializer(serializers.ModelSerializer[MetricTable]):
    uploaded_by = serializers.CharField(source="uploaded_by.username")
    uploaded_at = serializers.DateTimeField(source="created_at")
    metrics = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.DictField(), help_text="Each with name, and values by metric.")

    class Meta:
        model = MetricTable
        fields = ["file_name", "sha256", "uploaded_by", "uploaded_at", "after_unblinding", "by", "metrics", "rows"]
        read_only_fields = fields


class MetricPartSerializer(serializers.Serializer[Any]):
    scale = serializers.CharField()
    level = serializers.ChoiceField(choices=["file", "condition"])
    points = serializers.ListField(child=serializers.DictField())
    left_out = serializers.ListField(child=serializers.DictField())
    correlations = serializers.ListField(child=serializers.DictField())
    prediction_errors = serializers.ListField(child=serializers.DictField())
    pairs = serializers.ListField(child=serializers.DictField())


class MetricsSerializer(serializers.Serializer[Any]):
    blind = serializers.BooleanField(help_text="While it is true, there are no figures.")
    table = MetricTableSerializer(allow_null=True)
    unmatched = serializers.ListField(child=serializers.CharField(), help_text="Names that fit no clip or condition.")
    figures = MetricPartSerializer(many=True)
