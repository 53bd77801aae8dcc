"""API of experiments, for experimenters."""

from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.permissions import Audience, staff
from rating.models import Experiment, ExperimentQuerySet
from rating.serializers import ExperimentSerializer, NewExperimentSerializer
from rating.services.access import experiment_of
from rating.services.experiments import create_experiment, unblind
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
