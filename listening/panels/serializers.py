"""Serializers of designs, panels, seats, links, session settings and the monitor."""

from typing import Any

from rest_framework import serializers

from core.serializers import JobSerializer
from listening.design.orders.presets import PRESETS
from listening.models import LONGEST_LABEL, LONGEST_STATED_MIN, Invitation, Seat, SessionSettings
from listening.panels.forms import MOST_LINKS
from listening.panels.services.panels import LINK_DAYS
from listening.panels.services.session_settings import CHANGEABLE, LONGEST_URL

# --- Designs ----------------------------------------------------------------------------------------------------------


class DesignFieldsSerializer(serializers.Serializer[Any]):
    """A design by its fields; what is left out is what the page Design proposes."""

    preset = serializers.ChoiceField(choices=list(PRESETS), required=False)
    panels = serializers.IntegerField(min_value=1, max_value=99, required=False)
    seats = serializers.IntegerField(min_value=1, max_value=1000, required=False, help_text="Listeners per panel.")
    size = serializers.IntegerField(min_value=1, max_value=10_000, required=False, help_text="Items per panel.")
    factors = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Factors to balance across panels."
    )
    sessions = serializers.IntegerField(min_value=1, max_value=99, required=False)
    seed = serializers.CharField(max_length=64, required=False)


class ApplyDesignSerializer(DesignFieldsSerializer):
    sha256 = serializers.CharField(max_length=64, help_text="Of the preview: no other design is applied.")


class FindingSerializer(serializers.Serializer[Any]):
    verdict = serializers.ChoiceField(choices=["ok", "warn", "bad"])
    title = serializers.CharField()
    sentence = serializers.CharField()


class DesignReportSerializer(serializers.Serializer[Any]):
    sentence = serializers.CharField()
    findings = FindingSerializer(many=True)


class DesignPreviewSerializer(serializers.Serializer[Any]):
    settings = serializers.DictField()
    sha256 = serializers.CharField()
    report = DesignReportSerializer()


class DesignSerializer(serializers.Serializer[Any]):
    settings = serializers.DictField(allow_null=True, help_text="Null: no design is applied.")
    sha256 = serializers.CharField(allow_blank=True)
    report = DesignReportSerializer(allow_null=True)
    job = JobSerializer(allow_null=True, help_text="The job that lays a design out, as long as it is not done.")


# --- Panels and seats -------------------------------------------------------------------------------------------------


class PanelSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    total = serializers.IntegerField(help_text="Seats that count.")
    open = serializers.IntegerField()
    taken = serializers.IntegerField()
    lapsed = serializers.IntegerField()
    finished = serializers.IntegerField()
    abandoned = serializers.IntegerField()
    simulated = serializers.IntegerField()
    links = serializers.IntegerField(help_text="Links that nobody has used.")
    needed = serializers.IntegerField(help_text="Links that are missing for the open seats.")


class NewPanelSerializer(serializers.Serializer[Any]):
    seats = serializers.IntegerField(min_value=1, max_value=500)
    group = serializers.CharField(max_length=20, default="", allow_blank=True)


class SeatSerializer(serializers.ModelSerializer[Seat]):
    panel = serializers.IntegerField(source="panel.number")

    class Meta:
        model = Seat
        fields = ["panel", "number", "occupancy", "state", "taken_at", "leased_until"]
        read_only_fields = fields


class RemovalSerializer(serializers.Serializer[Any]):
    designs = serializers.IntegerField()
    panels = serializers.IntegerField()
    seats = serializers.IntegerField()
    links = serializers.IntegerField()
    begun = serializers.IntegerField(help_text="Previews and rehearsals that were opened.")


class SessionSettingsSerializer(serializers.ModelSerializer[SessionSettings]):
    rest_s = serializers.IntegerField(min_value=0, max_value=600, required=False)
    lease_hours = serializers.IntegerField(min_value=1, max_value=8760, required=False)
    stated_minutes = serializers.IntegerField(
        min_value=1, max_value=LONGEST_STATED_MIN, required=False, allow_null=True
    )
    # A place such as {code} is no part of an address for the framework; the service checks the rest.
    completion_url = serializers.CharField(max_length=LONGEST_URL, required=False, allow_blank=True)
    full_url = serializers.CharField(max_length=LONGEST_URL, required=False, allow_blank=True)
    screen_out_url = serializers.CharField(max_length=LONGEST_URL, required=False, allow_blank=True)

    class Meta:
        model = SessionSettings
        fields = list(CHANGEABLE)


# --- Links ------------------------------------------------------------------------------------------------------------


class LinkSerializer(serializers.ModelSerializer[Invitation]):
    panel = serializers.IntegerField(source="panel.number")
    seat = serializers.IntegerField(source="seat.number", default=None, allow_null=True)
    state = serializers.ChoiceField(choices=Invitation.State.choices)

    class Meta:
        model = Invitation
        fields = [
            *("id", "panel", "seat", "label", "state", "many", "service"),
            *("created_at", "expires_at", "opened_at", "revoked_at"),
        ]
        read_only_fields = fields


class NewLinksSerializer(serializers.Serializer[Any]):
    panel = serializers.IntegerField(min_value=1, max_value=32767)
    count = serializers.IntegerField(min_value=1, max_value=MOST_LINKS, default=1)
    labels = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_LABEL),
        max_length=MOST_LINKS,
        default=list,
        help_text="One link is made for each; `count` is not needed then.",
    )
    days = serializers.IntegerField(min_value=1, max_value=730, default=LINK_DAYS)

    def validate_labels(self, labels: list[str]) -> list[str]:
        for label in labels:
            if labels.count(label) > 1:
                raise serializers.ValidationError(f"{label} is there twice.")
        return labels


class NewLinkSerializer(serializers.Serializer[Any]):
    link = serializers.URLField(help_text="Shown once; its secret is not kept.")
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # the framework collects it as a field
    panel = serializers.IntegerField(allow_null=True)
    expires_at = serializers.DateTimeField()


class MadeLinksSerializer(serializers.Serializer[Any]):
    links = NewLinkSerializer(many=True)


class OpenLinkSerializer(serializers.Serializer[Any]):
    service = serializers.ChoiceField(choices=Invitation.Service.choices, default="", allow_blank=True)


class RehearsalsSerializer(serializers.Serializer[Any]):
    count = serializers.IntegerField(min_value=1, max_value=20, default=1)


class LabelSerializer(serializers.Serializer[Any]):
    label = serializers.CharField(max_length=LONGEST_LABEL, allow_blank=True)  # type: ignore[assignment]  # the framework collects it as a field


class ClosedLinksSerializer(serializers.Serializer[Any]):
    closed = serializers.IntegerField()


# --- Monitor ----------------------------------------------------------------------------------------------------------


class ListenerProgressSerializer(serializers.Serializer[Any]):
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    session = serializers.IntegerField(allow_null=True)
    session_done = serializers.IntegerField()
    session_total = serializers.IntegerField()


class MonitorLineSerializer(serializers.Serializer[Any]):
    panel = serializers.IntegerField()
    seat = serializers.IntegerField()
    occupancy = serializers.IntegerField()
    who = serializers.CharField(allow_blank=True, help_text="The pseudonym.")
    state = serializers.CharField()
    progress = ListenerProgressSerializer()
    last_seen_at = serializers.DateTimeField(allow_null=True)
    pace_s = serializers.FloatField(allow_null=True)
    panel_pace_s = serializers.FloatField(allow_null=True)
    minutes_left = serializers.IntegerField(allow_null=True)
    flags = serializers.ListField(child=serializers.CharField())


class MonitorPanelSerializer(PanelSerializer):
    running = serializers.IntegerField()
    paused = serializers.IntegerField()


class CoverageSerializer(serializers.Serializer[Any]):
    panel = serializers.IntegerField()
    scale = serializers.CharField()
    cells = serializers.IntegerField()
    target = serializers.IntegerField()
    fewest = serializers.IntegerField()
    median = serializers.FloatField()
    most = serializers.IntegerField()
    short = serializers.IntegerField()


class ShortCellSerializer(serializers.Serializer[Any]):
    panel = serializers.IntegerField()
    item = serializers.CharField()
    scale = serializers.CharField()
    missing = serializers.IntegerField()
    fewest = serializers.IntegerField()
    conditions = serializers.IntegerField()
    names = serializers.ListField(child=serializers.CharField())


class ShortCellsSerializer(serializers.Serializer[Any]):
    rows = ShortCellSerializer(many=True)
    more = serializers.IntegerField()


class ClientErrorSerializer(serializers.Serializer[Any]):
    message = serializers.CharField(allow_null=True)
    count = serializers.IntegerField()
    seats = serializers.IntegerField()
    newest = serializers.DateTimeField()


class MonitorSerializer(serializers.Serializer[Any]):
    now = serializers.DateTimeField()
    panels = MonitorPanelSerializer(many=True)
    lines = MonitorLineSerializer(many=True)
    coverage = CoverageSerializer(many=True)
    short = ShortCellsSerializer()
    errors = ClientErrorSerializer(many=True)  # type: ignore[assignment]  # the framework collects it as a field
    remaining = serializers.IntegerField()
    planned = serializers.IntegerField()
    recent = serializers.IntegerField(help_text="Answers of the last 24 hours.")
    finish_at = serializers.DateTimeField(allow_null=True)


class MonitorAlertSerializer(serializers.Serializer[Any]):
    by_email = serializers.BooleanField()
    address = serializers.EmailField(allow_blank=True, default="")


class StatusSerializer(serializers.Serializer[Any]):
    experiment = serializers.CharField(source="experiment.slug")
    title = serializers.CharField(source="experiment.title")
    state = serializers.CharField(source="experiment.state")
    total = serializers.IntegerField()
    open = serializers.IntegerField()
    taken = serializers.IntegerField()
    running = serializers.IntegerField()
    finished = serializers.IntegerField()
    last_seen_at = serializers.DateTimeField(allow_null=True)
