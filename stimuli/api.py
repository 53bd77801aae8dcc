"""API views of collections and imports for experimenters; file contents go through stimuli.uploads.tus."""

from collections.abc import Mapping
from typing import IO, Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, status
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api import JsonBody
from core.permissions import Audience, staff
from core.serializers import JobSerializer, validated
from stimuli.models import Collection, CollectionQuerySet, Import, ImportQuerySet, Item
from stimuli.serializers import (
    ChecksSerializer,
    ClipSerializer,
    CollectionDetailSerializer,
    CollectionSerializer,
    ConfirmedNameSerializer,
    ConfirmSerializer,
    CopyAtLevelSerializer,
    FilesSerializer,
    ImportSerializer,
    ItemExclusionSerializer,
    ItemSerializer,
    LeaveOutSerializer,
    NewImportAnswerSerializer,
    NewImportSerializer,
    ReplacementSerializer,
    SubmitSerializer,
    TakeBackSerializer,
    TitleSerializer,
    UploadSerializer,
    listed_files,
)
from stimuli.services import collection_editing as editing
from stimuli.services import corrections, imports
from stimuli.services.collections import collection_for, open_collection, stimulus_in
from stimuli.services.copying import copy_collection
from stimuli.services.normalisation import ask_for_copy, copy_title, table
from stimuli.services.quality_checks import StimulusCell, cells_in, check_collection

# A list of 20,000 paths with their digests.
LONGEST_LIST_BYTES = 12 * 1024 * 1024


class LongJsonBody(BaseParser):
    """The same JSON, up to the view's own limit: a JSONParser would be handed request.body, which ends at Django's."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        return JsonBody().parse(stream, media_type, parser_context)


@extend_schema_view(get=extend_schema(operation_id="collections"))
class Collections(generics.ListAPIView[Collection]):
    """Own collections and those of shared experiments, newest first; POST makes an empty one."""

    audience = Audience.STAFF
    serializer_class = CollectionSerializer

    def get_queryset(self) -> CollectionQuerySet:
        return Collection.objects.visible_to(staff(self.request)).select_related("owner").with_counts()

    @extend_schema(
        operation_id="create_collection", request=CollectionSerializer, responses={201: CollectionSerializer}
    )
    def post(self, request: Request) -> Response:
        asked = CollectionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        made = open_collection(owner=staff(request), **asked.validated_data)
        return Response(CollectionSerializer(made).data, status=status.HTTP_201_CREATED)


class CollectionDetail(APIView):
    """A collection with its matrix in short."""

    audience = Audience.STAFF

    @extend_schema(operation_id="collection", responses={200: CollectionDetailSerializer})
    def get(self, request: Request, slug: str) -> Response:
        return Response(CollectionDetailSerializer(collection_for(staff(request), slug)).data)

    @extend_schema(operation_id="rename_collection", request=TitleSerializer, responses=CollectionDetailSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Give the collection another title."""
        collection, asked = collection_for(staff(request), slug), validated(TitleSerializer, request)
        renamed = editing.rename_collection(collection=collection, actor=staff(request), **asked)
        return Response(CollectionDetailSerializer(renamed).data)


class CollectionDeletion(APIView):
    audience = Audience.STAFF

    @extend_schema(operation_id="delete_collection", request=ConfirmedNameSerializer, responses={204: None})
    def post(self, request: Request, slug: str) -> Response:
        """Delete a collection that no experiment uses, once its short name was typed."""
        collection, asked = collection_for(staff(request), slug), validated(ConfirmedNameSerializer, request)
        editing.delete_collection(collection=collection, actor=staff(request), **asked)
        return Response(status=status.HTTP_204_NO_CONTENT)


@extend_schema_view(get=extend_schema(operation_id="collection_items"))
class CollectionItems(generics.ListAPIView[Item]):
    """Items of a collection with their factors, by name."""

    audience = Audience.STAFF
    serializer_class = ItemSerializer

    def get_queryset(self) -> QuerySet[Item]:
        return collection_for(staff(self.request), self.kwargs["slug"]).items.all()


class CollectionItem(APIView):
    audience = Audience.STAFF

    @extend_schema(operation_id="exclude_item", request=ItemExclusionSerializer, responses=ItemSerializer)
    def patch(self, request: Request, slug: str, item_id: UUID) -> Response:
        """Exclude an item from new designs, or include it again."""
        asked = validated(ItemExclusionSerializer, request)
        item = editing.item_in(collection_for(staff(request), slug), item_id)
        if asked["excluded"]:
            reason, now = asked["reason"], timezone.now()
            item = editing.exclude_item(item=item, actor=staff(request), reason=reason, now=now)
        else:
            item = editing.include_item(item=item, actor=staff(request))
        return Response(ItemSerializer(item).data)


class CollectionClips(APIView):
    audience = Audience.STAFF

    @extend_schema(operation_id="collection_clips", responses=ClipSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return every sound of the collection with its duration and what was measured."""
        heard = [cell for cell in cells_in(collection_for(staff(request), slug)) if cell.sound]
        return Response(ClipSerializer([_measured(cell) for cell in heard], many=True).data)


def _measured(cell: StimulusCell) -> dict[str, Any]:
    shape, measures = (cell.sound.shape, cell.sound.measures) if cell.sound else ({}, {})
    return {
        **{name: getattr(cell, name) for name in ("id", "item", "condition", "role")},
        "duration_s": shape["length_samples"] / shape["sample_rate_hz"],
        **{name: measures.get(name) for name in ("integrated_lufs", "true_peak_dbtp", "snr_estimate_db")},
    }


class CollectionCopy(APIView):
    audience = Audience.STAFF

    @extend_schema(operation_id="copy_collection", request=CollectionSerializer, responses={201: CollectionSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Copy the collection as it is, into one of your own; sounds are stored once."""
        source, asked = collection_for(staff(request), slug), CollectionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        made = copy_collection(source=source, actor=staff(request), **asked.validated_data)
        return Response(CollectionSerializer(made).data, status=status.HTTP_201_CREATED)


class CollectionCopies(APIView):
    audience = Audience.STAFF

    @extend_schema(operation_id="normalise_collection", request=CopyAtLevelSerializer, responses={202: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Copy the collection with every clip at one loudness; the original stays as it is."""
        source, asked = collection_for(staff(request), slug), validated(CopyAtLevelSerializer, request)
        level = asked["target_lufs"]
        names = {"title": copy_title(source.title, level), "slug": f"{source.slug[:40]}-{abs(level):g}lufs"}
        job = ask_for_copy(source=source, actor=staff(request), **(names | asked))
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class CollectionChecks(APIView):
    """What was found about the sounds of a collection, by severity."""

    audience = Audience.STAFF

    @extend_schema(operation_id="collection_checks", responses=ChecksSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(check_collection(collection=collection_for(staff(request), slug)))


@extend_schema_view(get=extend_schema(operation_id="imports"))
class CollectionImports(generics.ListAPIView[Import]):
    """Imports into a collection, newest first; POST announces the files of a new one."""

    audience = Audience.STAFF
    serializer_class = ImportSerializer
    parser_classes = [LongJsonBody]
    largest_body_bytes = LONGEST_LIST_BYTES

    def get_queryset(self) -> ImportQuerySet:
        collection = collection_for(staff(self.request), self.kwargs["slug"])
        return Import.objects.visible_to(staff(self.request)).filter(collection=collection).select_related("collection")

    @extend_schema(operation_id="begin_import", request=NewImportSerializer, responses={201: NewImportAnswerSerializer})
    def post(self, request: Request, slug: str) -> Response:
        collection = collection_for(staff(request), slug)
        asked = NewImportSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        wanted: dict[str, Any] = {"owner": staff(request), "files": asked.declared_files(), "now": timezone.now()}
        if replaced := asked.validated_data["stimulus"]:
            import_ = imports.begin_replacement(stimulus=stimulus_in(collection, replaced), **wanted)
        else:
            import_ = imports.begin_import(collection=collection, layout=asked.validated_data["layout"], **wanted)
        return Response(NewImportAnswerSerializer(import_).data, status=status.HTTP_201_CREATED)


class ImportApi(APIView):
    """A view of one import."""

    audience = Audience.STAFF
    parser_classes = [LongJsonBody]
    largest_body_bytes = LONGEST_LIST_BYTES

    def find(self, request: Request, slug: str, import_id: UUID) -> Import:
        collection = collection_for(staff(request), slug)
        return imports.import_for(staff(request), import_id, collection=collection)


class ImportDetail(ImportApi):
    @extend_schema(operation_id="import", responses={200: ImportSerializer})
    def get(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Return the state of an import, what was found, and what would be imported."""
        return Response(ImportSerializer(self.find(request, slug, import_id)).data)


class ImportLevels(ImportApi):
    @extend_schema(operation_id="import_levels_csv", responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str, import_id: UUID) -> HttpResponse:
        """Return before and after of every cell whose sound was copied to a level, one a row."""
        lines = table(self.find(request, slug, import_id).report.get("levels", []))
        headers = {"Content-Disposition": f'attachment; filename="{slug}-levels.csv"'}
        return HttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


class ImportFiles(ImportApi):
    @extend_schema(
        operation_id="import_files",
        parameters=[OpenApiParameter("missing", bool, description="Only files that have not arrived whole.")],
        responses={200: UploadSerializer(many=True)},
    )
    def get(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Return every announced file and how much of it has arrived."""
        files = self.find(request, slug, import_id).files.all()
        if request.query_params.get("missing") in {"1", "true"}:
            files = files.incomplete()
        return Response(listed_files(files))

    @extend_schema(
        operation_id="add_import_files", request=FilesSerializer, responses={201: UploadSerializer(many=True)}
    )
    def post(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Announce more files while the import still receives."""
        import_ = self.find(request, slug, import_id)
        asked = FilesSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        added = imports.add_files(import_=import_, files=asked.declared_files(), now=timezone.now())
        return Response(listed_files(added), status=status.HTTP_201_CREATED)


class SubmitImport(ImportApi):
    @extend_schema(operation_id="submit_import", request=SubmitSerializer, responses={202: ImportSerializer})
    def post(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Submit the import: every file was sent, with its SHA-256. The files are then checked."""
        import_ = self.find(request, slug, import_id)
        asked = SubmitSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        submitted = imports.submit_import(
            import_=import_, digests=asked.validated_data["digests"], actor=staff(request), now=timezone.now()
        )
        return Response(ImportSerializer(submitted).data, status=status.HTTP_202_ACCEPTED)


class LeaveOutFiles(ImportApi):
    @extend_schema(operation_id="leave_out_files", request=LeaveOutSerializer, responses={202: ImportSerializer})
    def post(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Leave files out of a checked import and check the others again; without paths, only check again."""
        import_ = self.find(request, slug, import_id)
        asked = LeaveOutSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        corrected = corrections.leave_out_files(
            import_=import_, actor=staff(request), now=timezone.now(), **asked.validated_data
        )
        return Response(ImportSerializer(corrected).data, status=status.HTTP_202_ACCEPTED)


class TakeBackFiles(ImportApi):
    @extend_schema(operation_id="take_back_files", request=TakeBackSerializer, responses={202: ImportSerializer})
    def post(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Take files that were left out back into the import, and check it again."""
        import_ = self.find(request, slug, import_id)
        asked = TakeBackSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        corrected = corrections.take_back_files(
            import_=import_, actor=staff(request), now=timezone.now(), **asked.validated_data
        )
        return Response(ImportSerializer(corrected).data, status=status.HTTP_202_ACCEPTED)


class ReplaceFiles(ImportApi):
    @extend_schema(
        operation_id="replace_files", request=ReplacementSerializer, responses={201: UploadSerializer(many=True)}
    )
    def post(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Announce new files in the places of some that a check has seen; send them, and submit the import again."""
        import_ = self.find(request, slug, import_id)
        asked = ReplacementSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        announced = corrections.replace_files(
            import_=import_,
            files=asked.declared_files(),
            actor=staff(request),
            reason=asked.validated_data["reason"],
            now=timezone.now(),
        )
        return Response(listed_files(announced), status=status.HTTP_201_CREATED)


class ReopenImport(ImportApi):
    @extend_schema(operation_id="reopen_import", request=None, responses={200: ImportSerializer})
    def post(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Let a checked import receive more files; what has arrived stays."""
        import_ = self.find(request, slug, import_id)
        reopened = corrections.reopen_import(import_=import_, actor=staff(request), now=timezone.now())
        return Response(ImportSerializer(reopened).data)


class ConfirmImport(ImportApi):
    @extend_schema(operation_id="confirm_import", request=ConfirmSerializer, responses={202: ImportSerializer})
    def post(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Import what is proposed."""
        import_ = self.find(request, slug, import_id)
        asked = ConfirmSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        confirmed = imports.confirm_import(import_=import_, actor=staff(request), **asked.validated_data)
        return Response(ImportSerializer(confirmed).data, status=status.HTTP_202_ACCEPTED)


class CancelImport(ImportApi):
    @extend_schema(operation_id="cancel_import", request=None, responses={200: ImportSerializer})
    def post(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Cancel the import and delete the files that have arrived."""
        import_ = self.find(request, slug, import_id)
        cancelled = imports.cancel_import(import_=import_, actor=staff(request), now=timezone.now())
        return Response(ImportSerializer(cancelled).data)
