"""The API of setting up: what is still to be checked, the sounds for it, and what came out."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.permissions import Audience, requires
from listening.access import visit_for
from listening.api import VisitApi
from listening.models import SetupStep, Visit
from listening.services import setup
from listening.services.seats import touch
from stimuli import sound_http
from stimuli.services import delivery
from stimuli.services.sources import source_for_participant

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
            row = setup.record_screening(visit=visit, slug=data["screening"], answers=data["answers"])
        return Response({"passed": row.passed, **_state(visit)})


@require_safe
@requires(Audience.PARTICIPANT)
def setup_sound(request: HttpRequest, visit_id: UUID, screening: str, attempt: int, number: int) -> HttpResponseBase:
    visit = visit_for(request, visit_id)
    if screening == setup.LEVEL and 1 <= number <= len(clips := setup.practice_clips(visit)):
        return sound_http.send_clip(request, delivery.clip_name(source=source_for_participant(clips[number - 1])))
    content = setup.screening_sound(visit=visit, slug=screening, attempt=attempt, number=number)
    return HttpResponse(content, content_type="audio/wav", headers={"Cache-Control": "private, no-store"})


def _state(visit: Visit, *, again: str = "") -> dict[str, Any]:
    return {
        "steps": setup.pending_steps(visit=visit, again=again),
        "level_db": setup.level_db(visit=visit),
    }
