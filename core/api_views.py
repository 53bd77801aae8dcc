"""API views of core: the progress of a job, and the OpenAPI description of the whole API."""

from typing import Any
from uuid import UUID

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.http_errors import not_found
from core.models import Job
from core.permissions import Audience, HasAudience, staff
from core.serializers import JobSerializer


class JobView(APIView):
    """How far a background job has come."""

    audience = Audience.STAFF

    @extend_schema(operation_id="job", responses=JobSerializer)
    def get(self, request: Request, job_id: UUID) -> Response:
        job = Job.objects.visible_to(staff(request)).filter(pk=job_id).first()
        if job is None:
            raise not_found()
        return Response(JobSerializer(job).data)


class SchemaView(SpectacularAPIView):
    """The OpenAPI description of this API."""

    audience = Audience.STAFF
    permission_classes = [HasAudience]


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "core.api.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer"}


class StaffSessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "core.api.StaffSessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}


class VisitScheme(StaffSessionScheme):  # type: ignore[no-untyped-call]
    """The same cookie, standing for a visit instead of a person."""

    target_class = "core.api.AnonymousWithCsrf"
    name = "visit"
