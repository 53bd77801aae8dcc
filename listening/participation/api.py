"""API of a visit: upcoming pages, votes, sounds, reports, sound checks, the receipt."""

from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api import AnonymousWithCsrf
from core.http_errors import error_message
from core.permissions import Audience, requires
from listening.models import Seat, SetupStep, Visit
from listening.panels.services.seats import touch
from listening.participation.access import seat_abandoned, visit_for, voting_visit_for
from listening.participation.serializers import (
    MOST_BYTES,
    MOST_REPORT_BYTES,
    ReportSerializer,
    VoteBatchSerializer,
    read_votes,
)
from listening.participation.services import media, questionnaires, reports, setup, visits
from listening.participation.services.verification import completion_root
from listening.participation.throttles import AddressThrottle, VisitThrottle
from rating.questions import Place
from rating.services.pages import every_page, pages
from rating.services.votes import Receipt
from stimuli import responses
from stimuli.services import delivery
from stimuli.services.sources import Source, source_for_participant

PAGES_AHEAD = 6


class VisitApi(APIView):
    """A view inside one visit. The browser shows that the visit is its own by the session cookie and CSRF token."""

    audience = Audience.PARTICIPANT
    authentication_classes = [AnonymousWithCsrf]
    throttle_classes = [VisitThrottle, AddressThrottle]

    def visit(self, request: Request, visit_id: UUID) -> Visit:
        return visit_for(request._request, visit_id)

    def held_visit(self, request: Request, visit_id: UUID) -> Visit:
        """The visit, unless its seat was released."""
        visit = self.visit(request, visit_id)
        if visit.seat.state == Seat.State.ABANDONED:
            raise seat_abandoned()
        return visit


class Upcoming(VisitApi):
    @extend_schema(operation_id="upcoming", responses={200: dict})
    def get(self, request: Request, visit_id: UUID) -> Response:
        """Return the next pages of the visit, without a name of anything that is heard."""
        visit, now = self.held_visit(request, visit_id), timezone.now()
        touch(visit=visit, now=now)
        ballot = visit.seat.ballot
        return Response(
            {
                "trials": _told(visit, pages(ballot=ballot, limit=PAGES_AHEAD), now),
                "sessions": visits.sessions_of(ballot=ballot),
                "receipt": visits.receipt(ballot=ballot),
                "finished": visit.seat.state == Seat.State.FINISHED,
                **visits.progress(visit=visit),
            }
        )


class Pages(VisitApi):
    @extend_schema(operation_id="pages", responses={200: dict})
    def get(self, request: Request, visit_id: UUID) -> Response:
        """Return every page with the answers that this participant gave, where they may be changed until the end.

        Texts of pages that were not begun are left out, except of the page `?open=`.
        """
        visit, now = self.held_visit(request, visit_id), timezone.now()
        told = every_page(ballot=visit.seat.ballot, opened=request.query_params.get("open", ""))
        return Response({"trials": _told(visit, told, now)})


class Votes(VisitApi):
    largest_body_bytes = MOST_BYTES

    @extend_schema(operation_id="cast_votes", request=VoteBatchSerializer, responses={200: dict})
    def post(self, request: Request, visit_id: UUID) -> Response:
        """Take a batch of answers; each gets a word of its own, and the same answer again the same word.

        `sound_missing` is not final: fetch what `fetch` lists, and send the answer again.
        """
        visit = voting_visit_for(request._request, visit_id)
        events, now = read_votes(request.data), timezone.now()
        receipts = visits.submit_votes(visit=visit, events=events, now=now)
        results = [_said(receipt, visit, now) for receipt in receipts]
        return Response({"results": results, "saved_at": now.isoformat(), **visits.progress(visit=visit)})


class Finish(VisitApi):
    @extend_schema(operation_id="finish", request=None, responses={200: dict})
    def post(self, request: Request, visit_id: UUID) -> Response:
        """Issue the receipt if the server holds every vote; where questions are left, say where they are asked."""
        visit = self.held_visit(request, visit_id)
        if questionnaires.after_is_due(visit.seat):
            return Response({"questions_url": reverse("listening:questionnaire", args=[visit_id, Place.AFTER])})
        completion = visits.finish_visit(visit=visit, now=timezone.now())
        return Response(
            {
                "code": completion.code,
                "vote_count": completion.vote_count,
                "chain": completion.chain,
                "root": completion_root(completion.seat.ballot),
                "receipt_url": reverse("listening:receipt", args=[visit_id]),
            }
        )


class QuestionSerializer(serializers.Serializer[Any]):
    """One answer; several choices are a list."""

    question = serializers.CharField(max_length=40)
    value = serializers.JSONField()


class Questionnaire(VisitApi):
    largest_body_bytes = MOST_REPORT_BYTES

    @extend_schema(operation_id="save_question", request=QuestionSerializer, responses={200: dict})
    def post(self, request: Request, visit_id: UUID) -> Response:
        """Keep the answer to one question as a draft; the page hands all of them in together."""
        visit, now = self.held_visit(request, visit_id), timezone.now()
        given = QuestionSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        answer = given.validated_data
        questionnaires.save_answer(visit=visit, key=answer["question"], given=answer["value"], now=now)
        return Response({"saved_at": now.isoformat()})


class Reports(VisitApi):
    largest_body_bytes = MOST_REPORT_BYTES

    @extend_schema(operation_id="report", request=ReportSerializer, responses={200: dict})
    def post(self, request: Request, visit_id: UUID) -> Response:
        """Take a report of what went wrong; a clip that failed comes again later, or is `skipped` for good.

        `enough` means that it failed again and stays, because as many pages as may be were left out before.
        """
        visit = self.held_visit(request, visit_id)
        report = ReportSerializer(data=request.data)
        report.is_valid(raise_exception=True)
        outcome = reports.receive_report(visit=visit, event=report.report(), now=timezone.now())
        return Response(asdict(outcome))


@require_safe
@requires(Audience.PARTICIPANT)
def clip(request: HttpRequest, visit_id: UUID, media_key: str) -> HttpResponseBase:
    """Serve one short sound of the visit under headers that are the same for every sound."""
    return responses.send_clip(request, delivery.clip_name(source=_fetched(request, visit_id, media_key)))


@require_safe
@requires(Audience.PARTICIPANT)
def manifest(request: HttpRequest, visit_id: UUID, media_key: str) -> HttpResponseBase:
    """Say what there is to see and hear of one sound, and under which address it goes on when this one expires."""
    source = _fetched(request, visit_id, media_key, manifest_only=True)
    key = media.renewed(visit=visit_for(request, visit_id), key=media_key, now=timezone.now())
    base = reverse("api:media", args=[visit_id, key])
    return responses.send_manifest(source, base=base, expires_s=settings.MEDIA_URL_EXPIRES_S)


@require_safe
@requires(Audience.PARTICIPANT)
def peaks(request: HttpRequest, visit_id: UUID, media_key: str, level: int) -> HttpResponseBase:
    return responses.send_peaks(request, _source(request, visit_id, media_key), level)


@require_safe
@requires(Audience.PARTICIPANT)
def tile(
    request: HttpRequest, visit_id: UUID, media_key: str, statistic: str, level: int, index: int
) -> HttpResponseBase:
    return responses.send_tile(_source(request, visit_id, media_key), statistic, level, index)


@require_safe
@requires(Audience.PARTICIPANT)
def slice_(request: HttpRequest, visit_id: UUID, media_key: str) -> HttpResponseBase:
    return responses.send_slice(request, _fetched(request, visit_id, media_key))


def _source(request: HttpRequest, visit_id: UUID, media_key: str) -> Source:
    visit = visit_for(request, visit_id)
    return source_for_participant(media.stimulus_for(visit=visit, key=media_key, now=timezone.now()))


def _fetched(request: HttpRequest, visit_id: UUID, media_key: str, *, manifest_only: bool = False) -> Source:
    """The same source, recorded as fetched, except for HEAD requests."""
    if request.method == "HEAD":
        return _source(request, visit_id, media_key)
    visit, now = visit_for(request, visit_id), timezone.now()
    stimulus = media.fetched_stimulus(visit=visit, key=media_key, now=now, manifest_only=manifest_only)
    return source_for_participant(stimulus)


def _told(visit: Visit, trials: list[dict[str, Any]], now: datetime) -> list[dict[str, Any]]:
    """Add where each page stands, and the addresses of its sounds for this visit and for a while."""
    visits.add_places(ballot=visit.seat.ballot, pages=trials)
    for trial in trials:
        for sound in trial["media"].values():
            key = media.key_for(visit=visit, media_id=UUID(sound.pop("id")), now=now)
            sound["url"] = reverse("api:media", args=[visit.id, key])
    return trials


def _said(receipt: Receipt, visit: Visit, now: datetime) -> dict[str, Any]:
    said: dict[str, Any] = {
        "event_id": str(receipt.event_id),
        "status": receipt.status,
        "revision": receipt.revision,
    }
    if receipt.error is not None:
        said |= {"code": receipt.error.code, "detail": error_message(receipt.error)}
    if receipt.unfetched:
        said["fetch"] = media.addresses_to_fetch(visit=visit, media=receipt.unfetched, now=now)
    return said


# --- Sound checks -----------------------------------------------------------------------------------------------------


MOST_ANSWERS = 10


class SetupSerializer(serializers.Serializer[Any]):
    """Either a level or the answers of a screening."""

    step = serializers.ChoiceField(choices=SetupStep.Step.choices)
    level_db = serializers.FloatField(required=False)
    screening = serializers.CharField(max_length=20, required=False)
    answers = serializers.ListField(child=serializers.CharField(max_length=10), max_length=MOST_ANSWERS, required=False)
    sample_rate_hz = serializers.IntegerField(min_value=1, max_value=1_000_000, required=False)
    output_latency_s = serializers.FloatField(min_value=0, max_value=10, required=False)
    plays = serializers.ListField(child=serializers.IntegerField(min_value=0), max_length=MOST_ANSWERS, required=False)

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        wanted = ["level_db"] if data["step"] == SetupStep.Step.LEVEL else ["screening", "answers"]
        if missing := [name for name in wanted if name not in data]:
            raise serializers.ValidationError(dict.fromkeys(missing, "This is needed for the step."))
        return data


class Setup(VisitApi):
    @extend_schema(operation_id="setup", responses={200: dict})
    def get(self, request: Request, visit_id: UUID) -> Response:
        """Return the checks that are still to be done; `?again=level` adds one that was done before."""
        visit = self.visit(request, visit_id)
        touch(visit=visit, now=timezone.now())
        return Response(_state(visit, again=request.query_params.get("again", "")))

    @extend_schema(operation_id="record_setup", request=SetupSerializer, responses={200: dict})
    def post(self, request: Request, visit_id: UUID) -> Response:
        """Keep the outcome of one check, and say whether it was passed and what comes next."""
        visit = self.visit(request, visit_id)
        touch(visit=visit, now=timezone.now())
        given = SetupSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        data = given.validated_data
        if data["step"] == SetupStep.Step.LEVEL:
            device = {name: data[name] for name in ("sample_rate_hz", "output_latency_s", "plays") if name in data}
            row = setup.record_level(visit=visit, level_db=data["level_db"], device=device)
        else:
            row = setup.record_screening(
                visit=visit, slug=data["screening"], answers=data["answers"], now=timezone.now()
            )
        return Response({"passed": row.passed, **_state(visit)})


@require_safe
@requires(Audience.PARTICIPANT)
def setup_sound(request: HttpRequest, visit_id: UUID, screening: str, attempt: int, number: int) -> HttpResponseBase:
    visit = visit_for(request, visit_id)
    if screening == setup.LEVEL and 1 <= number <= len(clips := setup.practice_clips(visit)):
        return responses.send_clip(request, delivery.clip_name(source=source_for_participant(clips[number - 1])))
    content = setup.screening_sound(visit=visit, slug=screening, attempt=attempt, number=number)
    return HttpResponse(content, content_type="audio/wav", headers={"Cache-Control": "private, no-store"})


def _state(visit: Visit, *, again: str = "") -> dict[str, Any]:
    away = setup.is_turned_away(visit.seat)
    return {
        "steps": [] if away else setup.pending_steps(visit=visit, again=again),
        "turned_away": away,
        "level_db": setup.level_db(visit=visit),
    }
