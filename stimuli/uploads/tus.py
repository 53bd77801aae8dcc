"""Upload API by tus 1.0.0, with creation, checksum, expiration and termination."""

import base64
import binascii
import contextlib
import threading
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.http import http_date
from django.utils.translation import gettext_noop as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import AppError
from core.permissions import Audience, staff
from stimuli.models import Import
from stimuli.serializers import UploadSerializer
from stimuli.services import imports, uploads
from stimuli.services.uploads import CHECKSUMS, Checksum, Incoming
from stimuli.uploads.manifest import DeclaredFile

VERSION = "1.0.0"
EXTENSIONS = "creation,checksum,expiration,termination"
MEDIA_TYPE = "application/offset+octet-stream"
OVERRIDING = {"PATCH", "DELETE"}  # tus: for clients that can only post
RETRY_AFTER_S = {423: 2, 503: 2, 507: 30}
# A sender that is silent for so long has lost the connection; it must not keep a thread and the file.
READ_TIMEOUT_S = 20
# An error is read only by a sender that was let finish; chunks of the page are 8 MiB.
MOST_DRAINED_BYTES = 16 * 1024 * 1024
# Senders without a proxy in front occupy a thread each; the others (deploy/gunicorn.conf.py has four) are for votes.
_slots = threading.BoundedSemaphore(2)


class TusView(APIView):
    """Base of the tus views: the version in every response, errors included."""

    audience = Audience.STAFF
    admitted = False

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        wanted = request.headers.get("X-HTTP-Method-Override", "").upper()
        if request.method == "POST" and wanted in OVERRIDING:
            request.method = wanted
        return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.admitted = True
        if request.method not in {"GET", "OPTIONS"} and request.headers.get("Tus-Resumable") != VERSION:
            raise AppError(
                "upload.version", 412, _("This server speaks tus 1.0.0; say so in the header Tus-Resumable.")
            )

    def handle_exception(self, exc: Exception) -> Response:
        code = exc.code if isinstance(exc, AppError) else ""
        # The body of an unknown sender is not read.
        if (self.admitted or code == "request.csrf") and code != "upload.cut":
            drain(self.request._request)
        return super().handle_exception(exc)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        answer = super().finalize_response(request, response, *args, **kwargs)
        answer["Tus-Resumable"] = VERSION
        answer["Cache-Control"] = "no-store"
        if answer.status_code == HTTPStatus.PRECONDITION_FAILED:
            answer["Tus-Version"] = VERSION
        if answer.status_code in RETRY_AFTER_S:
            answer["Retry-After"] = str(RETRY_AFTER_S[answer.status_code])
        return answer

    @extend_schema(exclude=True)
    def options(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:  # type: ignore[override]
        """Return the supported version and extensions."""
        headers = {
            "Tus-Version": VERSION,
            "Tus-Extension": EXTENSIONS,
            "Tus-Checksum-Algorithm": ",".join(CHECKSUMS),
            "Tus-Max-Size": str(int(settings.UPLOAD_QUOTA_GB * imports.GB)),
        }
        return HttpResponse(status=204, headers=headers)


VERSION_HEADER = OpenApiParameter("Tus-Resumable", str, OpenApiParameter.HEADER, required=True, enum=[VERSION])


class Uploads(TusView):
    """Announce one more file of an import (tus creation)."""

    @extend_schema(
        operation_id="create_upload",
        request=None,
        responses={201: None},
        parameters=[
            VERSION_HEADER,
            OpenApiParameter("Upload-Length", int, OpenApiParameter.HEADER, required=True),
            OpenApiParameter(
                "Upload-Metadata",
                str,
                OpenApiParameter.HEADER,
                required=True,
                description="`import_id` and `path`, each followed by its value in base64.",
            ),
        ],
    )
    def post(self, request: Request) -> HttpResponse:
        if "Upload-Defer-Length" in request.headers:
            raise AppError(
                "upload.length_deferred",
                400,
                _("The length of a file must be known when it is announced; send it as Upload-Length."),
            )
        import_id, path = read_metadata(request.headers.get("Upload-Metadata", ""))
        declared = DeclaredFile(path, whole_number(request, "Upload-Length"))
        import_ = imports.import_for(staff(request), import_id)
        upload = imports.add_files(import_=import_, files=[declared], now=timezone.now())[0]
        location = request.build_absolute_uri(reverse("api:upload", args=[upload.pk]))
        return HttpResponse(status=201, headers={"Location": location, **expiry(upload.parent)})


class Upload(TusView):
    """One file on its way: ask where it stands (HEAD), send on from there (PATCH), or forget it (DELETE)."""

    @extend_schema(operation_id="upload", responses={200: UploadSerializer})
    def get(self, request: Request, upload_id: UUID) -> Response:
        return Response(UploadSerializer(uploads.upload_for(staff(request), upload_id)).data)

    def head(self, request: Request, upload_id: UUID) -> HttpResponse:
        upload = uploads.settle(upload=uploads.upload_for(staff(request), upload_id), now=timezone.now())
        metadata = {"import_id": str(upload.parent_id), "path": upload.path}
        headers = {
            "Upload-Offset": str(upload.received_bytes),
            "Upload-Length": str(upload.byte_count),
            "Upload-Metadata": ",".join(f"{key} {encode(value)}" for key, value in metadata.items()),
        }
        return HttpResponse(headers=headers | expiry(upload.parent))

    @extend_schema(
        operation_id="send_chunk",
        request={MEDIA_TYPE: OpenApiTypes.BINARY},
        responses={204: None},
        parameters=[
            VERSION_HEADER,
            OpenApiParameter("Upload-Offset", int, OpenApiParameter.HEADER, required=True),
            OpenApiParameter("Upload-Checksum", str, OpenApiParameter.HEADER, description="Of this chunk."),
            OpenApiParameter("Repr-Digest", str, OpenApiParameter.HEADER, description="Of the whole file (RFC 9530)."),
        ],
    )
    def patch(self, request: Request, upload_id: UUID) -> HttpResponse:
        upload = uploads.upload_for(staff(request), upload_id)
        incoming = read_chunk(request)
        with upload_slot(), read_timeout(request._request):
            upload = uploads.receive(upload=upload, incoming=incoming, now=timezone.now())
        return HttpResponse(status=204, headers={"Upload-Offset": str(upload.received_bytes), **expiry(upload.parent)})

    @extend_schema(operation_id="forget_upload", parameters=[VERSION_HEADER], responses={204: None})
    def delete(self, request: Request, upload_id: UUID) -> HttpResponse:
        uploads.terminate_upload(upload=uploads.upload_for(staff(request), upload_id), now=timezone.now())
        return HttpResponse(status=204)


def read_chunk(request: Request) -> Incoming:
    """Read the headers of a PATCH; the body is not read yet."""
    if request.content_type != MEDIA_TYPE:
        raise AppError("upload.media_type", 415, _("Bytes of an upload are sent as application/offset+octet-stream."))
    if not request.headers.get("Content-Length"):
        raise AppError(
            "upload.body_length", 411, _("The request does not say how long it is; send it with Content-Length.")
        )
    checksum = request.headers.get("Upload-Checksum")
    return Incoming(
        offset=whole_number(request, "Upload-Offset"),
        byte_count=whole_number(request, "Content-Length"),
        stream=cast(uploads.Reader, request._request),
        checksum=Checksum.read_from(checksum) if checksum is not None else None,
        sha256=read_digest(request.headers.get("Repr-Digest", "")),
    )


def _upload_header_wrong(*, header: str, wanted: str) -> AppError:
    return AppError(
        "upload.header",
        400,
        _("The header {header} is missing or cannot be read; it must hold {wanted}."),
        header=header,
        wanted=wanted,
    )


def whole_number(request: Request, header: str) -> int:
    text = request.headers.get(header, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise _upload_header_wrong(header=header, wanted="a whole number")
    return int(text)


def read_metadata(header: str) -> tuple[UUID, str]:
    """The import and the path out of names with values in base64; what else is told is not needed."""
    try:
        pairs = [pair.strip().partition(" ") for pair in header.split(",")]
        found = {name: base64.b64decode(value, validate=True).decode() for name, _, value in pairs}
        return UUID(found["import_id"]), found["path"]
    except (ValueError, KeyError):
        wanted = "'import_id' and 'path', each with its value in base64"
        raise _upload_header_wrong(header="Upload-Metadata", wanted=wanted) from None


def read_digest(header: str) -> str:
    """The SHA-256 of the whole file out of `sha-256=:base64:`, in hexadecimal; other algorithms may stand beside it."""
    for member in header.split(","):
        name, _, value = member.strip().partition("=")
        if name == "sha-256":
            try:
                digest = base64.b64decode(value.strip(":"), validate=True)
            except binascii.Error:
                digest = b""
            if len(digest) != 32:
                raise _upload_header_wrong(header="Repr-Digest", wanted="sha-256=:the digest in base64:")
            return digest.hex()
    return ""


def encode(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


def expiry(import_: Import) -> dict[str, str]:
    return (
        {"Upload-Expires": http_date(import_.expires_at.timestamp())} if import_.state == Import.State.RECEIVING else {}
    )


@contextlib.contextmanager
def upload_slot() -> Iterator[None]:
    if not _slots.acquire(blocking=False):
        raise AppError(
            "upload.crowded",
            503,
            _("The server receives as many uploads as it can at once; try again in a few seconds."),
        )
    try:
        yield
    finally:
        _slots.release()


@contextlib.contextmanager
def read_timeout(request: HttpRequest) -> Iterator[None]:
    """Limit the time of a read of the body; gunicorn's threads would wait for ever."""
    wire = request.META.get("gunicorn.socket")
    if wire is None:
        yield
        return
    wire.settimeout(READ_TIMEOUT_S)
    try:
        yield
    finally:
        wire.settimeout(None)


def drain(request: HttpRequest) -> None:
    """Read on after an error: a connection that is closed over unread bytes takes the answer with it."""
    drained = 0
    with contextlib.suppress(OSError), read_timeout(request):
        while drained < MOST_DRAINED_BYTES and (data := request.read(uploads.READ_BYTES)):
            drained += len(data)
