"""The experimenter's API of collections and imports; the bytes themselves go through stimuli.tus."""

from collections.abc import Mapping
from typing import IO, Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api import JsonBody
from core.permissions import Audience, staff
from stimuli.level_reports import table
from stimuli.models import Collection, Intake
from stimuli.querysets import CollectionQuerySet, IntakeQuerySet
from stimuli.serializers import (
    CollectionDetailSerializer,
    CollectionSerializer,
    ConfirmSerializer,
    FilesSerializer,
    IntakeSerializer,
    NewIntakeAnswerSerializer,
    NewIntakeSerializer,
    SealSerializer,
    UploadSerializer,
    listed_files,
)
from stimuli.services import intakes
from stimuli.services.checks import check_collection
from stimuli.services.collections import collection_for

# A list of 20,000 paths with their digests.
LONGEST_LIST_BYTES = 12 * 1024 * 1024


class LongJsonBody(BaseParser):
    """The same JSON, up to the view's own limit: a JSONParser would be handed request.body, which ends at Django's."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        return JsonBody().parse(stream, media_type, parser_context)


class Collections(generics.ListAPIView[Collection]):
    """Own collections and those of shared experiments, newest first; POST makes an empty one."""

    audience = Audience.STAFF
    serializer_class = CollectionSerializer

    def get_queryset(self) -> CollectionQuerySet:
        return Collection.objects.visible_to(staff(self.request)).select_related("owner").with_counts()

    @extend_schema(request=CollectionSerializer, responses={201: CollectionSerializer})
    def post(self, request: Request) -> Response:
        asked = CollectionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        made = intakes.open_collection(owner=staff(request), **asked.validated_data)
        return Response(CollectionSerializer(made).data, status=status.HTTP_201_CREATED)


class CollectionDetail(APIView):
    """A collection with its matrix in short."""

    audience = Audience.STAFF

    @extend_schema(operation_id="collection", responses={200: CollectionDetailSerializer})
    def get(self, request: Request, slug: str) -> Response:
        return Response(CollectionDetailSerializer(collection_for(staff(request), slug)).data)


class CollectionChecks(APIView):
    """What was found about the sounds of a collection, by severity."""

    audience = Audience.STAFF

    @extend_schema(operation_id="collection_checks", responses={200: dict})
    def get(self, request: Request, slug: str) -> Response:
        return Response(check_collection(collection=collection_for(staff(request), slug)))


class CollectionIntakes(generics.ListAPIView[Intake]):
    """Imports into a collection, newest first; POST announces the files of a new one."""

    audience = Audience.STAFF
    serializer_class = IntakeSerializer
    parser_classes = [LongJsonBody]
    largest_body_bytes = LONGEST_LIST_BYTES

    def get_queryset(self) -> IntakeQuerySet:
        collection = collection_for(staff(self.request), self.kwargs["slug"])
        return Intake.objects.visible_to(staff(self.request)).filter(collection=collection).select_related("collection")

    @extend_schema(request=NewIntakeSerializer, responses={201: NewIntakeAnswerSerializer})
    def post(self, request: Request, slug: str) -> Response:
        collection = collection_for(staff(request), slug)
        asked = NewIntakeSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        intake = intakes.begin_intake(
            collection=collection,
            owner=staff(request),
            files=asked.announced(),
            layout=asked.validated_data["layout"],
            now=timezone.now(),
        )
        return Response(NewIntakeAnswerSerializer(intake).data, status=status.HTTP_201_CREATED)


class IntakeApi(APIView):
    """A view of one import."""

    audience = Audience.STAFF
    parser_classes = [LongJsonBody]
    largest_body_bytes = LONGEST_LIST_BYTES

    def intake(self, request: Request, slug: str, intake_id: UUID) -> Intake:
        collection = collection_for(staff(request), slug)
        return intakes.intake_for(staff(request), intake_id, collection=collection)


class IntakeDetail(IntakeApi):
    @extend_schema(operation_id="intake", responses={200: IntakeSerializer})
    def get(self, request: Request, slug: str, intake_id: UUID) -> Response:
        """Return the state of an import, what was found, and what would be imported."""
        return Response(IntakeSerializer(self.intake(request, slug, intake_id)).data)


class IntakeLevels(IntakeApi):
    @extend_schema(operation_id="intake_levels_csv", responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str, intake_id: UUID) -> HttpResponse:
        """Return before and after of every cell whose sound was copied to a level, one a row."""
        lines = table(self.intake(request, slug, intake_id).report.get("levels", []))
        headers = {"Content-Disposition": f'attachment; filename="{slug}-levels.csv"'}
        return HttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


class IntakeFiles(IntakeApi):
    @extend_schema(
        operation_id="intake_files",
        parameters=[OpenApiParameter("missing", bool, description="Only files that have not arrived whole.")],
        responses={200: UploadSerializer(many=True)},
    )
    def get(self, request: Request, slug: str, intake_id: UUID) -> Response:
        """Return every announced file and how much of it has arrived."""
        files = self.intake(request, slug, intake_id).files.all()
        if request.query_params.get("missing") in {"1", "true"}:
            files = files.incomplete()
        return Response(listed_files(files))

    @extend_schema(
        operation_id="add_intake_files", request=FilesSerializer, responses={201: UploadSerializer(many=True)}
    )
    def post(self, request: Request, slug: str, intake_id: UUID) -> Response:
        """Announce more files while the import still receives."""
        intake = self.intake(request, slug, intake_id)
        asked = FilesSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        added = intakes.add_files(intake=intake, files=asked.announced(), now=timezone.now())
        return Response(listed_files(added), status=status.HTTP_201_CREATED)


class SealIntake(IntakeApi):
    @extend_schema(operation_id="seal_intake", request=SealSerializer, responses={202: IntakeSerializer})
    def post(self, request: Request, slug: str, intake_id: UUID) -> Response:
        """Say that everything was sent, and what the SHA-256 of each file must be; the files are then looked at."""
        intake = self.intake(request, slug, intake_id)
        asked = SealSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        sealed = intakes.seal_intake(
            intake=intake, digests=asked.validated_data["digests"], actor=staff(request), now=timezone.now()
        )
        return Response(IntakeSerializer(sealed).data, status=status.HTTP_202_ACCEPTED)


class ConfirmIntake(IntakeApi):
    @extend_schema(operation_id="confirm_intake", request=ConfirmSerializer, responses={202: IntakeSerializer})
    def post(self, request: Request, slug: str, intake_id: UUID) -> Response:
        """Import what is proposed."""
        intake = self.intake(request, slug, intake_id)
        asked = ConfirmSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        confirmed = intakes.confirm_intake(intake=intake, actor=staff(request), **asked.validated_data)
        return Response(IntakeSerializer(confirmed).data, status=status.HTTP_202_ACCEPTED)


class CancelIntake(IntakeApi):
    @extend_schema(operation_id="cancel_intake", request=None, responses={200: IntakeSerializer})
    def post(self, request: Request, slug: str, intake_id: UUID) -> Response:
        """Give the import up; what had arrived is deleted."""
        intake = self.intake(request, slug, intake_id)
        cancelled = intakes.cancel_intake(intake=intake, actor=staff(request), now=timezone.now())
        return Response(IntakeSerializer(cancelled).data)
