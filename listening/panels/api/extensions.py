"""API of extensions: those that were made, a preview of one, and adding it."""

from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.i18n import translate_messages
from core.permissions import Audience, staff
from core.serializers import JobSerializer
from listening.design.subsets.in_subprocess import plan_subsets_in_subprocess
from listening.models import Extension
from listening.panels.services import extensions, panels
from rating.services.access import experiment_of


class ExtensionSerializer(serializers.ModelSerializer[Extension]):
    class Meta:
        model = Extension
        fields = [
            "number",
            "created_at",
            "reason",
            "panels_before",
            "panels",
            "listeners_before",
            "listeners",
            "sha256",
        ]
        read_only_fields = fields


class WantedSerializer(serializers.Serializer[Any]):
    """More listeners in each panel and more panels of a design."""

    listeners = serializers.IntegerField(min_value=0, max_value=500, default=0)
    panels = serializers.IntegerField(min_value=0, max_value=99, default=0)


class NewExtensionSerializer(WantedSerializer):
    """What to add. `sha256` is that of the preview; without a design, `panel` says where, and none is a new panel."""

    panel = serializers.IntegerField(min_value=1, allow_null=True, default=None)
    reason = serializers.CharField(max_length=500, default="", allow_blank=True)
    sha256 = serializers.CharField(max_length=64, default="", allow_blank=True)


class ChangedFindingSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()
    before = serializers.CharField(allow_null=True)
    after = serializers.CharField()
    verdict_before = serializers.CharField(allow_null=True)
    verdict = serializers.CharField()


class PreviewSerializer(serializers.Serializer[Any]):
    sha256 = serializers.CharField()
    panels_before = serializers.IntegerField()
    panels = serializers.IntegerField()
    listeners_before = serializers.IntegerField()
    listeners = serializers.IntegerField()
    sentence = serializers.CharField()
    findings = ChangedFindingSerializer(many=True)


class Extensions(APIView):
    """Extensions of an experiment; POST adds listeners in the background and answers with the job."""

    audience = Audience.STAFF

    @extend_schema(responses={200: ExtensionSerializer(many=True)})
    def get(self, request: Request, slug: str) -> Response:
        return Response(ExtensionSerializer(experiment_of(request, slug).extensions.all(), many=True).data)

    @extend_schema(request=NewExtensionSerializer, responses={202: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        experiment, actor = experiment_of(request, slug), staff(request)
        asked = NewExtensionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        wanted = dict(asked.validated_data)
        panel = wanted.pop("panel")
        if panels.is_designed(experiment):
            job = extensions.ask_for_extension(experiment=experiment, actor=actor, **wanted)
        else:
            seats, reason = wanted["listeners"], wanted["reason"]
            job = extensions.ask_for_seats(experiment=experiment, panel=panel, seats=seats, reason=reason, actor=actor)
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class ExtensionPreview(APIView):
    """The balance of a design before and after an extension. Nothing is written."""

    audience = Audience.STAFF

    @extend_schema(parameters=[WantedSerializer], responses={200: PreviewSerializer})
    def get(self, request: Request, slug: str) -> Response:
        asked = WantedSerializer(data=request.query_params)
        experiment = experiment_of(request, slug)
        asked.is_valid(raise_exception=True)
        draft = extensions.draft_extension(
            experiment=experiment, planner=plan_subsets_in_subprocess, **asked.validated_data
        )
        known = {finding["key"]: finding for finding in draft.before["findings"]}
        findings = [
            {
                "key": finding["key"],
                "title": translate_messages(finding, gettext)["title"],
                "before": known.get(finding["key"], {}).get("value"),
                "after": finding["value"],
                "verdict_before": known.get(finding["key"], {}).get("verdict"),
                "verdict": finding["verdict"],
            }
            for finding in draft.report["findings"]
        ]
        told = {"sha256": draft.sha256, **draft.sizes, "findings": findings}
        told["sentence"] = translate_messages(draft.report, gettext)["sentence"]
        return Response(PreviewSerializer(told).data)
