"""API of an experiment's attention checks and of its analysis plan."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.permissions import Audience, staff
from core.serializers import validated
from rating.analysis_plan import FIELDS
from rating.attention import written_ranges
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.access import experiment_of
from rating.services.attention import MOST_REPEATS, change_checks, check_clips, expected_by_clip
from rating.services.editing import edit_experiment


class CheckedClipSerializer(serializers.Serializer[Any]):
    item = serializers.CharField(max_length=200)
    condition = serializers.CharField(max_length=200, help_text="Of the role trap or gold.")
    expected = serializers.CharField(
        max_length=200,
        allow_blank=True,
        help_text="Such as 4 to 5, or by scale, in P.835 SIG 1, OVRL 1 to 2; empty: not used.",
    )


class AttentionChecksSerializer(serializers.Serializer[Any]):
    repeats = serializers.IntegerField(min_value=0, max_value=MOST_REPEATS, help_text="Clips that are heard twice.")
    clips = CheckedClipSerializer(many=True)


class PlanSerializer(serializers.Serializer[Any]):
    """As rating/analysis_plan.py reads it; without a scale there is no plan."""

    scale = serializers.CharField(max_length=40, allow_blank=True)
    against = serializers.CharField(max_length=200, allow_blank=True, default="", help_text="Empty: all pairs.")
    margin = serializers.FloatField(allow_null=True, default=None)
    model = serializers.CharField(max_length=40, required=False)
    rules = serializers.DictField(child=serializers.FloatField(), default=dict, help_text="Thresholds, by rule.")


class Checks(APIView):
    """Trap and gold clips with the expected answers, and how many clips are heard twice.

    All clips that could be checks are listed. PUT replaces all of it, while the experiment is a draft without seats;
    a clip that is left out is not used.
    """

    audience = Audience.STAFF

    @extend_schema(operation_id="checks", responses={200: AttentionChecksSerializer})
    def get(self, request: Request, slug: str) -> Response:
        return _told(experiment_of(request, slug))

    @extend_schema(
        operation_id="change_checks", request=AttentionChecksSerializer, responses={200: AttentionChecksSerializer}
    )
    def put(self, request: Request, slug: str) -> Response:
        experiment = experiment_of(request, slug)
        asked = validated(AttentionChecksSerializer, request)
        known = {(clip.item.name, clip.condition.name) for clip in check_clips(experiment)}
        expected = {(clip["item"], clip["condition"]): clip["expected"] for clip in asked["clips"]}
        if unknown := [" x ".join(cell) for cell in expected if cell not in known]:
            raise serializers.ValidationError({"clips": [f"The collection has no trap or gold clip '{unknown[0]}'."]})
        repeats = asked["repeats"]
        return _told(change_checks(experiment=experiment, repeats=repeats, expected=expected, actor=staff(request)))


class AnalysisPlan(APIView):
    """What is written down of the analysis; PUT replaces it while the experiment is a draft."""

    audience = Audience.STAFF

    @extend_schema(operation_id="analysis_plan", responses={200: PlanSerializer})
    def get(self, request: Request, slug: str) -> Response:
        return Response(_plan(experiment_of(request, slug).analysis_plan))

    @extend_schema(operation_id="change_analysis_plan", request=PlanSerializer, responses={200: PlanSerializer})
    def put(self, request: Request, slug: str) -> Response:
        experiment, plan = experiment_of(request, slug), validated(PlanSerializer, request)
        fields = {"analysis_plan": plan if plan["scale"] else {}}
        changed = edit_experiment(experiment=experiment, actor=staff(request), **fields)
        return Response(_plan(changed.analysis_plan))


def _told(experiment: Experiment) -> Response:
    protocol, used = get_protocol(experiment.protocol), expected_by_clip(experiment)
    cells = [(clip.item.name, clip.condition.name) for clip in check_clips(experiment)]
    clips = [
        {"item": item, "condition": condition, "expected": written_ranges(used.get((item, condition), {}), protocol)}
        for item, condition in cells
    ]
    return Response({"repeats": experiment.checks.get("repeats", 0), "clips": clips})


def _plan(plan: Mapping[str, Any]) -> dict[str, Any]:
    """The plan with all its keys, also where nothing is planned."""
    empty: dict[str, Any] = {"scale": "", "against": "", "margin": None, "model": "", "rules": {}}
    return {name: plan.get(name, empty[name]) for name in FIELDS}
