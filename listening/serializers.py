"""The shape of what a participant's browser sends; what it means is the protocol's to judge."""

from typing import Any

from rest_framework import serializers

from rating.services.votes import VoteEvent

MOST_EVENTS = 50
MOST_BYTES = 48 * 1024


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

    def vote_events(self) -> list[VoteEvent]:
        client = self.validated_data["client"]
        return [VoteEvent(**event, client=client) for event in self.validated_data["events"]]
