"""API of experiments, for experimenters."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.permissions import Audience, staff
from rating.label_sets import as_label_set, label_sets_of
from rating.models import Experiment, ExperimentQuerySet
from rating.protocol import LabelSet
from rating.serializers import (
    ChangeLabelSetSerializer,
    CopyLabelSetSerializer,
    ExperimentSerializer,
    LabelSetSerializer,
    NewExperimentSerializer,
)
from rating.services.access import experiment_of
from rating.services.experiments import create_experiment, unblind
from rating.services.label_sets import approve_label_set, change_label_set, copy_label_set, scales_of
from stimuli.services.collections import collection_for


class Experiments(generics.ListAPIView[Experiment]):
    """Own and shared experiments, newest first; POST makes one."""

    audience = Audience.STAFF
    serializer_class = ExperimentSerializer

    def get_queryset(self) -> ExperimentQuerySet:
        return Experiment.objects.visible_to(staff(self.request)).select_related("owner", "collection")

    @extend_schema(request=NewExperimentSerializer, responses={201: ExperimentSerializer})
    def post(self, request: Request) -> Response:
        asked = NewExperimentSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        fields = dict(asked.validated_data)
        experiment = create_experiment(
            owner=staff(request),
            collection=collection_for(staff(request), fields.pop("collection")),
            protocol_slug=fields.pop("protocol"),
            **fields,
        )
        return Response(ExperimentSerializer(experiment).data, status=status.HTTP_201_CREATED)


class ExperimentDetail(APIView):
    audience = Audience.STAFF

    @extend_schema(responses={200: ExperimentSerializer})
    def get(self, request: Request, slug: str) -> Response:
        return Response(ExperimentSerializer(experiment_of(request, slug)).data)


class LabelSets(APIView):
    """The words of the scales that the experiment can use, its own last; POST copies a set, to be changed."""

    audience = Audience.STAFF

    @extend_schema(operation_id="label_sets", responses={200: LabelSetSerializer(many=True)})
    def get(self, request: Request, slug: str) -> Response:
        return Response([_label_set(labels) for labels in label_sets_of(experiment_of(request, slug))])

    @extend_schema(operation_id="copy_label_set", request=CopyLabelSetSerializer, responses={201: LabelSetSerializer})
    def post(self, request: Request, slug: str) -> Response:
        experiment, asked = experiment_of(request, slug), CopyLabelSetSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        copied, language = asked.validated_data["copy_of"], asked.validated_data["language"]
        made = copy_label_set(experiment=experiment, actor=staff(request), source=copied, language=language)
        return Response(_label_set(as_label_set(made)), status=status.HTTP_201_CREATED)


class LabelSetDetail(APIView):
    """PUT changes the words of an own label set while the experiment is a draft, and approves it if so asked."""

    audience = Audience.STAFF

    @extend_schema(
        operation_id="change_label_set", request=ChangeLabelSetSerializer, responses={200: LabelSetSerializer}
    )
    def put(self, request: Request, slug: str, label_set: str) -> Response:
        experiment, asked = experiment_of(request, slug), ChangeLabelSetSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        words = dict(asked.validated_data)
        who: dict[str, Any] = {"experiment": experiment, "actor": staff(request), "name": label_set}
        approved = words.pop("approved")
        own = change_label_set(**who, **words)
        if approved:
            own = approve_label_set(**who)
        return Response(_label_set(as_label_set(own)))


def _label_set(labels: LabelSet) -> dict[str, Any]:
    told = {name: getattr(labels, name) for name in ("id", "language", "status", "sha256")}
    return told | {"based_on": labels.source, "scales": scales_of(labels)}


class Unblinding(APIView):
    """POST a reason to see conditions by name; the audit log keeps both."""

    audience = Audience.STAFF
    scopes = {"POST": "unblind"}

    @extend_schema(request={"application/json": {"type": "object"}}, responses={200: ExperimentSerializer})
    def post(self, request: Request, slug: str) -> Response:
        experiment = experiment_of(request, slug)
        reason = request.data.get("reason", "") if isinstance(request.data, dict) else ""
        return Response(
            ExperimentSerializer(unblind(experiment=experiment, actor=staff(request), reason=str(reason))).data
        )
