"""Serializers of what a participant's browser sends; payloads are read by the protocol."""

import re
from contextlib import suppress
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.stored_json import number_in
from listening.models import ClientReport
from listening.participation.services.reports import ReportEvent
from rating.services.votes import VoteEvent

MOST_EVENTS = 50
MOST_BYTES = 48 * 1024
MOST_REPORT_BYTES = 8 * 1024
INTERRUPTIONS = ("hidden", "device", "suspended")
MOST_INTERRUPTIONS = 50
WALL_CLOCK = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)\Z")


class ObjectJson(serializers.JSONField):
    default_error_messages = {"not_an_object": "This must be a JSON object."}

    def to_internal_value(self, data: Any) -> Any:
        value = super().to_internal_value(data)
        if not isinstance(value, dict):
            self.fail("not_an_object")
        return value


@extend_schema_field(float)
class Number(serializers.Field[Any, Any, Any, Any]):
    """A number that is sent as one, kept as it is; a text that looks like a number is none."""

    default_error_messages = {"unfit": "This must be a number of a size that makes sense."}

    def __init__(self, *, whole: bool = False, **options: Any) -> None:
        super().__init__(required=False, **options)
        self.whole = whole

    def to_internal_value(self, data: Any) -> int | float:
        number = number_in(data)
        if number is None or (self.whole and not isinstance(number, int)):
            self.fail("unfit")
        return number


@extend_schema_field(bool)
class Truth(serializers.Field[bool, Any, bool, Any]):
    default_error_messages = {"unfit": "This must be true or false."}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("unfit")
        return data


@extend_schema_field({"type": "array", "items": {"type": "string"}})
class Interruptions(serializers.Field[list[str], Any, list[str], Any]):
    """The first few of those that are known."""

    default_error_messages = {"unfit": "This must be a list."}

    def to_internal_value(self, data: Any) -> list[str]:
        if not isinstance(data, list):
            self.fail("unfit")
        return [one for one in data if one in INTERRUPTIONS][:MOST_INTERRUPTIONS]


class Telemetry(serializers.Serializer[Any]):
    """Telemetry beside an answer. Unknown or invalid values are left out, so that no answer is lost because of them.

    The fields bound what is stored: both kinds together stay below 2 kB.
    """

    default_error_messages = {"not_an_object": "This must be a JSON object."}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("not_an_object")
        kept = {}
        for name, field in self.fields.items():
            if name in data:
                with suppress(serializers.ValidationError):
                    kept[name] = field.run_validation(data[name])
        return kept


class HeardSerializer(Telemetry):
    """Telemetry of what was heard, by the audio clock; frontend/src/player/heard.ts explains each figure."""

    plays = Number(whole=True)
    heard_ms = Number()
    heard_full = Truth(required=False)
    sample_rate_hz = Number()
    started_ms = Number()
    ended_ms = Number()
    stall_ms = Number()
    interruptions = Interruptions(required=False)
    answer_ms = Number()
    level_db = Number()
    latency_ms = Number()


class ClockSerializer(Telemetry):
    wall = serializers.RegexField(WALL_CLOCK, max_length=40, required=False, trim_whitespace=False)
    monotonic_ms = Number()
    counter = Number(whole=True)


class VoteEventSerializer(serializers.Serializer[VoteEvent]):
    event_id = serializers.UUIDField()
    trial = serializers.UUIDField()
    revision = serializers.IntegerField(min_value=0, max_value=100_000)
    payload = serializers.JSONField()
    heard = HeardSerializer(default=dict)
    clock = ClockSerializer(default=dict)


class VoteBatchSerializer(serializers.Serializer[Any]):
    client = serializers.CharField(max_length=20)
    events = serializers.ListField(child=VoteEventSerializer(), allow_empty=False, max_length=MOST_EVENTS)


_BATCH = VoteBatchSerializer()


def read_votes(data: Any) -> list[VoteEvent]:
    """Validate a batch with one shared serializer: copying its fields for each request takes longer than validating."""
    try:
        batch = _BATCH.run_validation(data)
    except serializers.ValidationError:
        VoteBatchSerializer(data=data).is_valid(raise_exception=True)  # raises the error in the usual form
        raise
    return [VoteEvent(**event, client=batch["client"]) for event in batch["events"]]


class ReportSerializer(serializers.Serializer[ReportEvent]):
    event_id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=ClientReport.Kind.choices)
    trial = serializers.UUIDField(required=False, allow_null=True, default=None)
    detail = ObjectJson(default=dict)

    def report(self) -> ReportEvent:
        return ReportEvent(**self.validated_data)
