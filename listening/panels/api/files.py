"""API of experiments as files: download one, create an experiment from one, and the JSON schema of the format."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_GET
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.permissions import Audience, requires, staff
from listening.experiment_file.declaration import json_schema
from listening.experiment_file.yaml_text import MOST_BYTES
from listening.panels.services.experiment_files import create_from_file, export_experiment
from listening.panels.views.files import yaml_response
from rating.serializers import ExperimentSerializer
from rating.services.access import experiment_of
from stimuli.services.collections import collection_for


class FileSerializer(serializers.Serializer[Any]):
    file = serializers.CharField(trim_whitespace=False, help_text="The YAML text.")
    collection = serializers.SlugField(
        default="", allow_blank=True, help_text="Short name of the collection, where the file names none."
    )


class ExperimentFile(APIView):
    """The whole experiment as YAML."""

    audience = Audience.STAFF

    @extend_schema(operation_id="experiment_file", responses={(200, "application/yaml"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str) -> HttpResponse:
        experiment = experiment_of(request, slug)
        return yaml_response(export_experiment(experiment=experiment, actor=staff(request)), name=f"{slug}.yaml")


class ExperimentFiles(APIView):
    """Create a draft from a file; its seats are made in the background."""

    audience = Audience.STAFF
    largest_body_bytes = 2 * MOST_BYTES  # JSON writes line breaks with two characters

    @extend_schema(operation_id="create_from_file", request=FileSerializer, responses={201: ExperimentSerializer})
    def post(self, request: Request) -> Response:
        asked = FileSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        slug = asked.validated_data["collection"]
        made = create_from_file(
            content=asked.validated_data["file"].encode(),
            owner=staff(request),
            collection=collection_for(staff(request), slug) if slug else None,
            in_background=True,
        )
        return Response(ExperimentSerializer(made).data, status=status.HTTP_201_CREATED)


@require_GET
@requires(Audience.PUBLIC)
def experiment_file_schema(request: HttpRequest) -> JsonResponse:
    """The JSON schema of the format, for editors that check a file while it is written."""
    address = f"{settings.PUBLIC_URL}{reverse('api:experiment_file_schema')}"
    return JsonResponse(json_schema(address), json_dumps_params={"indent": 2, "ensure_ascii": False})
