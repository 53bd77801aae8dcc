"""API of designs, panels, seats, links, session settings and the monitor, for experimenters."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.i18n import translate_messages
from core.models import Job
from core.permissions import Audience, staff
from core.serializers import JobSerializer, validated
from listening.design.base import DesignRequest
from listening.design.subsets.in_subprocess import plan_subsets_in_subprocess
from listening.models import Design, Invitation, InvitationQuerySet, MonitorAlert, Seat
from listening.panels.forms import DesignForm, usual
from listening.panels.serializers import (
    ApplyDesignSerializer,
    ClosedLinksSerializer,
    DesignFieldsSerializer,
    DesignPreviewSerializer,
    DesignSerializer,
    LabelSerializer,
    LinkSerializer,
    MadeLinksSerializer,
    MonitorAlertSerializer,
    MonitorSerializer,
    NewLinksSerializer,
    NewPanelSerializer,
    OpenLinkSerializer,
    PanelSerializer,
    RehearsalsSerializer,
    RemovalSerializer,
    SeatSerializer,
    SessionSettingsSerializer,
    StatusSerializer,
)
from listening.panels.services import alerts, designs, links, monitoring, panels, removal, seats
from listening.panels.services.copying import copy_experiment
from listening.panels.services.material import material_of
from listening.panels.services.session_settings import change_session_settings, session_settings_of
from listening.panels.views.design import design_zip
from listening.panels.views.people import codes_file
from listening.participation.recruitment import service_address
from rating.models import Experiment
from rating.serializers import ExperimentDetailSerializer, ReasonSerializer
from rating.services.access import Access, experiment_of

SEARCH = OpenApiParameter("search", str, description="A part of the label.")
STATE = OpenApiParameter("state", str, enum=Invitation.State.values, description="Only links in this state.")


class PanelsApi(APIView):
    audience = Audience.STAFF


class Copies(PanelsApi):
    @extend_schema(operation_id="copy_experiment", request=None, responses={201: ExperimentDetailSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Copy an experiment that you can see: without seats and answers, with a seed of its own."""
        made = copy_experiment(experiment=experiment_of(request, slug, need=Access.VIEW), actor=staff(request))
        return Response(ExperimentDetailSerializer(made).data, status=status.HTTP_201_CREATED)


# --- Designs ----------------------------------------------------------------------------------------------------------


class Designs(PanelsApi):
    @extend_schema(operation_id="design", responses=DesignSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the applied design with its report, and the job that lays one out."""
        experiment = experiment_of(request, slug)
        applied, job = Design.objects.filter(experiment=experiment).first(), designs.job_for(experiment)
        return Response(
            {
                "settings": applied.settings if applied else None,
                "sha256": applied.sha256 if applied else "",
                "report": _report(applied.report) if applied else None,
                "job": JobSerializer(job).data if job and job.state != Job.State.DONE else None,
            }
        )

    @extend_schema(operation_id="apply_design", request=ApplyDesignSerializer, responses={202: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Apply the design that was previewed, and no other: its hash is sent along."""
        experiment, asked = experiment_of(request, slug), validated(ApplyDesignSerializer, request)
        sha256, wanted = asked.pop("sha256"), _wanted(experiment, asked)
        job = designs.ask_for_design(experiment=experiment, wanted=wanted, sha256=sha256, actor=staff(request))
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class DesignPreview(PanelsApi):
    @extend_schema(operation_id="preview_design", request=DesignFieldsSerializer, responses=DesignPreviewSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Lay out a design and judge it; nothing is changed."""
        experiment = experiment_of(request, slug)
        wanted = _wanted(experiment, validated(DesignFieldsSerializer, request))
        draft = designs.draft_design(experiment=experiment, wanted=wanted, planner=plan_subsets_in_subprocess)
        return Response({"settings": wanted.to_json(), "sha256": draft.sha256, "report": _report(draft.report)})


def _wanted(experiment: Experiment, asked: Mapping[str, Any]) -> DesignRequest:
    """What is asked for, and for the rest what the page proposes; the form of the page judges both."""
    material = material_of(experiment)
    return DesignForm({**usual(material), **asked}, material=material).wanted()


def _report(report: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "sentence": translate_messages(report, gettext)["sentence"],
        "findings": [translate_messages(finding, gettext) for finding in report["findings"]],
    }


class DesignFiles(PanelsApi):
    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str, suffix: str) -> HttpResponseBase:
        """Return every seat's sequence in the published shape; conditions are letters until unblinding."""
        return design_zip(experiment_of(request, slug), suffix, actor=staff(request))


# --- Panels, seats and session settings -------------------------------------------------------------------------------


class Panels(PanelsApi):
    @extend_schema(operation_id="panels", responses=PanelSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return how full each panel is, and how many links it still needs."""
        rows = panels.overview(experiment=experiment_of(request, slug), now=timezone.now())
        return Response(PanelSerializer(rows, many=True).data)

    @extend_schema(operation_id="add_panel", request=NewPanelSerializer, responses={202: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Add a panel; its seats are made in the background."""
        experiment, asked = experiment_of(request, slug), validated(NewPanelSerializer, request)
        job = panels.ask_for_panel(experiment=experiment, actor=staff(request), **asked)
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class Seats(PanelsApi):
    @extend_schema(operation_id="seats", responses=SeatSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the seats that count."""
        counted = Seat.objects.main().filter(panel__experiment=experiment_of(request, slug))
        rows = counted.select_related("panel").order_by("panel__number", "number", "occupancy")
        return Response(SeatSerializer(rows, many=True).data)

    @extend_schema(operation_id="remove_seats", responses={200: RemovalSerializer})
    def delete(self, request: Request, slug: str) -> Response:
        """Remove a draft's design, seats and links; the answer says what was removed."""
        removed = removal.remove_seats(experiment=experiment_of(request, slug), actor=staff(request))
        return Response(asdict(removed))


class Release(PanelsApi):
    @extend_schema(operation_id="release_seat", request=ReasonSerializer, responses=SeatSerializer)
    def post(self, request: Request, slug: str, number: int, place: int) -> Response:
        """Release a taken seat to the next person; the answer is the seat that is open now."""
        experiment, asked = experiment_of(request, slug), validated(ReasonSerializer, request)
        panel = panels.panel_of(experiment=experiment, number=number)
        seat = panel.seats.main().select_related("panel").filter(number=place).first()
        if seat is None:
            raise seats.seat_unknown(panel=number, seat=place)
        opened = seats.reissue_seat(seat=seat, now=timezone.now(), actor=staff(request), **asked)
        return Response(SeatSerializer(opened).data)


class SessionSettings(PanelsApi):
    @extend_schema(operation_id="session_settings", responses=SessionSettingsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the checks, breaks and redirects of the sessions."""
        return Response(SessionSettingsSerializer(session_settings_of(experiment_of(request, slug))).data)

    @extend_schema(
        operation_id="change_session_settings",
        request=SessionSettingsSerializer,
        responses=SessionSettingsSerializer,
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change what is given; checks and breaks stay as they are while the experiment is live."""
        experiment = experiment_of(request, slug)
        asked = SessionSettingsSerializer(data=request.data, partial=True)
        asked.is_valid(raise_exception=True)
        changed = change_session_settings(experiment=experiment, actor=staff(request), **asked.validated_data)
        return Response(SessionSettingsSerializer(changed).data)


class CompletionCodes(PanelsApi):
    @extend_schema(operation_id="completion_codes_csv", responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Return the completion codes of all finished seats, to pay people by."""
        return codes_file(experiment_of(request, slug), actor=staff(request))


# --- Links ------------------------------------------------------------------------------------------------------------


@extend_schema_view(get=extend_schema(operation_id="links", parameters=[SEARCH, STATE]))
class Links(generics.ListAPIView[Invitation]):
    """Links that people were given, newest first; POST makes links for one panel."""

    audience = Audience.STAFF
    serializer_class = LinkSerializer

    def get_queryset(self) -> InvitationQuerySet:
        asked = self.request.query_params
        experiment = experiment_of(self.request, self.kwargs["slug"])
        chosen = {"state": asked.get("state", ""), "search": asked.get("search", "")}
        return links.links_of(experiment=experiment, now=timezone.now(), **chosen)

    @extend_schema(operation_id="make_links", request=NewLinksSerializer, responses={201: MadeLinksSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Make links to any free seat of a panel. Their secrets are returned once and kept nowhere."""
        experiment, asked = experiment_of(request, slug), validated(NewLinksSerializer, request)
        panel = panels.panel_of(experiment=experiment, number=asked.pop("panel"))
        tokens = panels.invite(panel=panel, now=timezone.now(), actor=staff(request), **asked)
        made = [panels.link(token) for token in tokens]
        return _new_links(made, labels=asked["labels"], panel=panel.number, days=asked["days"])


def _new_links(
    made: Sequence[str], *, labels: Sequence[str] = (), panel: int | None = None, days: int = panels.LINK_DAYS
) -> Response:
    expires_at = timezone.now() + timedelta(days=days)
    rows = [
        {"link": link, "label": label, "panel": panel, "expires_at": expires_at}
        for link, label in zip(made, labels or [""] * len(made), strict=True)
    ]
    return Response(MadeLinksSerializer({"links": rows}).data, status=status.HTTP_201_CREATED)


class Link(PanelsApi):
    @extend_schema(operation_id="rename_link", request=LabelSerializer, responses=LinkSerializer)
    def patch(self, request: Request, slug: str, link_id: UUID) -> Response:
        """Change the label of a link."""
        experiment, asked = experiment_of(request, slug), validated(LabelSerializer, request)
        link = links.link_of(experiment=experiment, link_id=link_id, now=timezone.now())
        return Response(LinkSerializer(links.rename_link(link=link, actor=staff(request), **asked)).data)


class LinkRevocation(PanelsApi):
    @extend_schema(operation_id="revoke_link", request=None, responses=LinkSerializer)
    def post(self, request: Request, slug: str, link_id: UUID) -> Response:
        """Let a link no longer open anything."""
        experiment, now = experiment_of(request, slug), timezone.now()
        link = links.link_of(experiment=experiment, link_id=link_id, now=now)
        links.revoke_link(link=link, now=now, actor=staff(request))
        return Response(LinkSerializer(links.link_of(experiment=experiment, link_id=link_id, now=now)).data)


class OpenLinks(PanelsApi):
    @extend_schema(operation_id="make_open_link", request=OpenLinkSerializer, responses={201: MadeLinksSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Make one link for many people, in the form that a recruiting service needs where one is named."""
        experiment, asked = experiment_of(request, slug), validated(OpenLinkSerializer, request)
        service = asked["service"]
        token = panels.invite_many(experiment=experiment, now=timezone.now(), actor=staff(request), service=service)
        link = panels.link(token)
        return _new_links([service_address(link, service) if service else link])

    @extend_schema(operation_id="close_open_links", responses={200: ClosedLinksSerializer})
    def delete(self, request: Request, slug: str) -> Response:
        """Close all links for many; seats that are taken stay taken."""
        experiment = experiment_of(request, slug)
        closed = panels.close_links_for_many(experiment=experiment, now=timezone.now(), actor=staff(request))
        return Response({"closed": closed})


class Rehearsals(PanelsApi):
    @extend_schema(
        operation_id="make_rehearsal_links",
        request=RehearsalsSerializer,
        responses={201: MadeLinksSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make links for colleagues who rehearse the whole test; their answers never count."""
        experiment, asked = experiment_of(request, slug), validated(RehearsalsSerializer, request)
        tokens = panels.rehearse(experiment=experiment, now=timezone.now(), actor=staff(request), **asked)
        return _new_links([panels.link(token) for token in tokens])


# --- Monitor ----------------------------------------------------------------------------------------------------------


class Monitor(PanelsApi):
    @extend_schema(operation_id="monitor", responses=MonitorSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return how far everybody is, and never what anybody answered."""
        seen = monitoring.experiment_status(experiment=experiment_of(request, slug), now=timezone.now())
        return Response(MonitorSerializer(seen).data)


class MonitorAlerts(PanelsApi):
    @extend_schema(operation_id="monitor_alert", responses=MonitorAlertSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return whether you are told by e-mail when something needs attention."""
        return _alert(alerts.alert_of(experiment=experiment_of(request, slug), user=staff(request)))

    @extend_schema(operation_id="set_monitor_alert", request=MonitorAlertSerializer, responses=MonitorAlertSerializer)
    def put(self, request: Request, slug: str) -> Response:
        """Have yourself told by e-mail, or no longer; without an address, at the one of your account."""
        experiment, asked = experiment_of(request, slug, need=Access.VIEW), validated(MonitorAlertSerializer, request)
        user = staff(request)
        address = asked["address"] or user.email
        made = alerts.set_alert(experiment=experiment, user=user, by_email=asked["by_email"], address=address)
        return _alert(made)


def _alert(alert: MonitorAlert | None) -> Response:
    told = {"by_email": alert is not None, "address": alert.address if alert else ""}
    return Response(MonitorAlertSerializer(told).data)


class MonitorAll(PanelsApi):
    @extend_schema(operation_id="monitor_all", responses=StatusSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Return one row for each experiment where people may be listening."""
        running = Experiment.objects.visible_to(staff(request)).for_people().exclude(state=Experiment.State.DRAFT)
        rows = monitoring.all_statuses(experiments=running.select_related("owner").newest_first(), now=timezone.now())
        return Response(StatusSerializer(rows, many=True).data)
