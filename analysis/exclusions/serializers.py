"""Serializers of exclusions."""

from typing import Any

from rest_framework import serializers

from analysis.statistics.rules import RULES
from listening.models import Exclusion
from listening.panels.services.exclusions import LONGEST_REASON, name_of_listener


class ExclusionSerializer(serializers.ModelSerializer[Exclusion]):
    listener = serializers.SerializerMethodField()
    panel = serializers.IntegerField(source="seat.panel.number", read_only=True)
    seat = serializers.IntegerField(source="seat.number", read_only=True)
    position = serializers.SerializerMethodField()
    made_at = serializers.DateTimeField(source="created_at", read_only=True)
    made_by = serializers.CharField(source="made_by.username", read_only=True)
    lifted_by = serializers.SerializerMethodField()

    class Meta:
        model = Exclusion
        fields = [
            *("id", "kind", "listener", "panel", "seat", "position"),
            *("reason", "rule", "scale", "figure", "threshold"),
            *("made_at", "made_by", "after_unblinding"),
            *("lifted_at", "lifted_by", "lifted_reason", "lifted_after_unblinding"),
        ]

    def get_listener(self, entry: Exclusion) -> str:
        return name_of_listener(entry.seat)

    def get_position(self, entry: Exclusion) -> int | None:
        return entry.trial.position if entry.trial else None

    def get_lifted_by(self, entry: Exclusion) -> str | None:
        return entry.lifted_by.username if entry.lifted_by else None


class NewExclusionSerializer(serializers.Serializer[Any]):
    listener = serializers.CharField(max_length=40, default="", help_text="A pseudonym such as sub-0007.")
    panel = serializers.IntegerField(min_value=1, default=None, help_text="Of a seat, where no listener is named.")
    seat = serializers.IntegerField(min_value=1, default=None)
    position = serializers.IntegerField(min_value=1, default=None, help_text="One trial alone, by its place.")
    reason = serializers.CharField(max_length=LONGEST_REASON)

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        by_seat = fields["panel"] is not None and fields["seat"] is not None
        if bool(fields["listener"]) == by_seat:
            raise serializers.ValidationError({"listener": ["Name a listener, or a panel and a seat."]})
        return fields


class LiftSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=LONGEST_REASON)


class FoundSerializer(serializers.Serializer[Any]):
    listener = serializers.CharField()
    figure = serializers.FloatField()
    scale = serializers.CharField(allow_blank=True)


class ProposalSerializer(serializers.Serializer[Any]):
    rule = serializers.ChoiceField(choices=list(RULES))
    threshold = serializers.FloatField()
    registered = serializers.BooleanField(help_text="Whether it was written down with this threshold.")
    judged = serializers.IntegerField(help_text="Listeners for whom the rule has a figure.")
    found = FoundSerializer(source="new", many=True, help_text="Whom it would exclude.")


class AppliedRuleSerializer(serializers.Serializer[Any]):
    rule = serializers.ChoiceField(choices=list(RULES))
    threshold = serializers.FloatField(default=None)
