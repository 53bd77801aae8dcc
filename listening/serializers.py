"""The shape of what a participant's browser sends; what it means is the protocol's to judge."""

from typing import Any

from rest_framework import serializers

from listening.models import ClientReport
from listening.services.reports import ReportEvent
from rating.services.votes import VoteEvent

MOST_EVENTS = 50
MOST_BYTES = 48 * 1024
MOST_REPORT_BYTES = 8 * 1024


class ObjectJson(serializers.JSONField):
    default_error_messages = {"not_an_object": "This must be a JSON object."}

    def to_internal_value(self, data: Any) -> Any:
        value = super().to_internal_value(data)
        if not isinstance(value, dict):
            self.fail("not_an_object")
        return value


class VoteEventSerializer(serializers.Serializer[VoteEvent]):
    event_id = serializers.UUIDField()
    trial = serializers.UUIDField()
    revision = serializers.IntegerField(min_value=0, max_value=100_000)
    payload = serializers.JSONField()
    heard = ObjectJson(default=dict)
    clock = ObjectJson(default=dict)


class VoteBatchSerializer(serializers.Serializer[Any]):
    client = serializers.CharField(max_length=20)
    events = serializers.ListField(child=VoteEventSerializer(), allow_empty=False, max_length=MOST_EVENTS)


_BATCH = VoteBatchSerializer()


def read_votes(data: Any) -> list[VoteEvent]:
    """Judge the shape of a batch. Serializers copy their fields for each request, which takes longer than judging."""
    try:
        batch = _BATCH.run_validation(data)
    except serializers.ValidationError:
        VoteBatchSerializer(data=data).is_valid(raise_exception=True)  # says it in the words of every other view
        raise
    return [VoteEvent(**event, client=batch["client"]) for event in batch["events"]]


class ReportSerializer(serializers.Serializer[ReportEvent]):
    event_id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=ClientReport.Kind.choices)
    trial = serializers.UUIDField(required=False, allow_null=True, default=None)
    detail = ObjectJson(default=dict)

    def report(self) -> ReportEvent:
        return ReportEvent(**self.validated_data)
