"""The experimenter's API of exclusions: list, make and lift them, and what the rules propose."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from analysis.exclusions.rules import apply_rule, proposals
from analysis.exclusions.serializers import (
    AppliedRuleSerializer,
    ExclusionSerializer,
    LiftSerializer,
    NewExclusionSerializer,
    ProposalSerializer,
)
from analysis.tasks import keep_current
from core.permissions import Audience, staff
from listening.models import Exclusion, ExclusionQuerySet
from listening.panels.services import exclusions
from listening.panels.services.exclusions import Target
from rating.services.access import experiment_of


class Exclusions(generics.ListAPIView[Exclusion]):
    """The ledger, newest entries first, lifted ones included; POST makes one.

    A listener is named by pseudonym, a seat by panel and number; with `position`, one trial of either.
    """

    audience = Audience.STAFF
    serializer_class = ExclusionSerializer

    def get_queryset(self) -> ExclusionQuerySet:
        return exclusions.ledger_of(experiment_of(self.request, self.kwargs["slug"]))

    @extend_schema(request=NewExclusionSerializer, responses={201: ExclusionSerializer})
    def post(self, request: Request, slug: str) -> Response:
        experiment = experiment_of(request, slug)
        asked = NewExclusionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        fields: dict[str, Any] = dict(asked.validated_data)
        reason = fields.pop("reason")
        entry = exclusions.exclude(experiment=experiment, actor=staff(request), target=Target(**fields), reason=reason)
        return Response(ExclusionSerializer(entry).data, status=status.HTTP_201_CREATED)


class LiftedExclusion(APIView):
    """POST a reason to let excluded answers count again; the entry stays in the ledger."""

    audience = Audience.STAFF

    @extend_schema(operation_id="lift_exclusion", request=LiftSerializer, responses={200: ExclusionSerializer})
    def post(self, request: Request, slug: str, entry_id: UUID) -> Response:
        experiment = experiment_of(request, slug)
        asked = LiftSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        entry = exclusions.lift(
            experiment=experiment, entry_id=entry_id, actor=staff(request), reason=asked.validated_data["reason"]
        )
        return Response(ExclusionSerializer(entry).data)


class ExclusionRules(APIView):
    """Whom each rule would exclude; POST a rule, with a threshold or the registered or usual one, to exclude them."""

    audience = Audience.STAFF

    @extend_schema(operation_id="exclusion_rules", responses={200: ProposalSerializer(many=True)})
    def get(self, request: Request, slug: str) -> Response:
        experiment = experiment_of(request, slug)
        keep_current(experiment=experiment, reader=staff(request))
        return Response(ProposalSerializer(proposals(experiment), many=True).data)

    @extend_schema(
        operation_id="apply_exclusion_rule",
        request=AppliedRuleSerializer,
        responses={201: ExclusionSerializer(many=True)},
    )
    def post(self, request: Request, slug: str) -> Response:
        experiment = experiment_of(request, slug)
        asked = AppliedRuleSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        made = apply_rule(experiment=experiment, actor=staff(request), **asked.validated_data)
        return Response(ExclusionSerializer(made, many=True).data, status=status.HTTP_201_CREATED)
