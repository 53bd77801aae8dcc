"""API basics for every app: authentication, JSON bodies up to a size, pagination, one shape of errors.

The REST framework loads these while it is loading itself, so this module imports none of its views.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_noop as _
from rest_framework import exceptions, pagination
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.parsers import JSONParser
from rest_framework.request import Request

from core import http_errors
from core.errors import AppError
from core.http_errors import json_error, transient_error
from core.models import ApiToken, User
from core.services import accounts

DEEPEST_BODY = 32  # levels of nesting; a vote needs four


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer earmark_...`; the digest is looked up, so no comparison leaks how near a guess came."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _space, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        digest = accounts.digest_of(secret.strip().decode("latin-1"))
        token = ApiToken.objects.usable().select_related("user").filter(digest=digest).first()
        if token is None:
            raise AppError(
                "token.invalid",
                401,
                _("The API token is unknown, expired or revoked; make a new one on your account page."),
            )
        accounts.note_token_use(token=token, now=timezone.now())
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class CsrfEnforced(SessionAuthentication):
    """The framework's check of the CSRF cookie, answering in our shape."""

    def enforce_csrf(self, request: Request) -> None:
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied as problem:
            raise http_errors.csrf_failed() from problem


class StaffSessionAuthentication(CsrfEnforced):
    """A person who is signed in to the pages is signed in to the API."""


class AnonymousWithCsrf(CsrfEnforced):
    """For participants: nobody is signed in, the visit is found by its cookie, so a foreign page must not post."""

    def authenticate(self, request: Request) -> None:
        self.enforce_csrf(request)


class JsonBody(JSONParser):
    """JSON up to a size, stated by the view as `largest_body_bytes`, that every database can also store."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        view = (parser_context or {}).get("view")
        largest = getattr(view, "largest_body_bytes", settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        raw = stream.read(largest + 1)
        if len(raw) > largest:
            raise http_errors.request_too_large(most_bytes=largest)
        try:
            value = json.loads(raw.decode(), parse_constant=_reject_constant)
            _reject_unstorable(value)
        except (ValueError, RecursionError) as problem:
            raise http_errors.malformed_request() from problem
        return value


def _reject_constant(name: str) -> None:
    """NaN and Infinity are Python's additions to JSON."""
    raise ValueError(name)


def _reject_unstorable(value: Any) -> None:
    """No database stores 1e999, and PostgreSQL neither NUL nor half a surrogate pair: it would fail later, as ours.

    What is nested beyond reason is read here but cannot be hashed, because writing JSON recurses.
    """
    waiting = [(value, 0)]
    while waiting:
        part, depth = waiting.pop()
        if depth > DEEPEST_BODY:
            raise ValueError("nested too deeply")
        if isinstance(part, dict):
            waiting += [(inner, depth + 1) for inner in (*part.keys(), *part.values())]
        elif isinstance(part, list):
            waiting += [(inner, depth + 1) for inner in part]
        elif (isinstance(part, str) and b"\0" in part.encode()) or part in (math.inf, -math.inf):
            raise ValueError(part)


class CursorPages(pagination.CursorPagination):
    """Pages that neither skip nor repeat a row while rows arrive."""

    page_size = 100
    page_size_query_param = "limit"
    max_page_size = 500
    ordering = ("-created_at", "id")


PLAIN_ERRORS: dict[type[Exception], Callable[[], AppError]] = {
    exceptions.ParseError: http_errors.malformed_request,
    exceptions.NotAuthenticated: http_errors.auth_required,
    exceptions.AuthenticationFailed: http_errors.auth_required,
    exceptions.PermissionDenied: http_errors.auth_denied,
    exceptions.NotFound: http_errors.not_found,
    exceptions.NotAcceptable: http_errors.not_acceptable,
    PermissionDenied: http_errors.auth_denied,
    Http404: http_errors.not_found,
    SuspiciousOperation: http_errors.malformed_request,
}


def render_error(exception: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """Answer in the one JSON shape; what is not an expected error goes on to Django as a defect."""
    request, headers = context["request"], {}
    match exception:
        case AppError():
            error = exception
        case exceptions.ValidationError():
            error = http_errors.invalid_request(fields=exception.detail)
        case exceptions.MethodNotAllowed():
            headers["Allow"] = ", ".join(context["view"].allowed_methods)
            error = http_errors.method_not_allowed(method=request.method, allowed=headers["Allow"])
        case exceptions.UnsupportedMediaType():
            error = AppError(
                "request.media_type",
                415,
                _("This address does not read {media_type}; send application/json."),
                media_type=request.content_type or "this type",
            )
        case RequestDataTooBig():
            error = http_errors.request_too_large(most_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        case exceptions.Throttled():
            wait_s = math.ceil(getattr(exception, "wait", None) or 1)
            headers["Retry-After"] = str(wait_s)
            error = AppError(
                "request.throttled", 429, _("Too many requests; try again in {wait_s} seconds."), wait_s=wait_s
            )
        case _:
            known = next(
                (known_error() for kind, known_error in PLAIN_ERRORS.items() if isinstance(exception, kind)), None
            )
            expected = known or transient_error(exception)
            if expected is None:
                return None
            error = expected
    return json_error(error, headers=headers)
