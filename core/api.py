"""What every room's API stands on: who is asking, how much may be sent, pages of lists, one shape of refusal.

The REST framework loads these while it is loading itself, so this module imports none of its views.
"""

import json
import math
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpResponse
from django.utils import timezone
from rest_framework import exceptions, pagination
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.parsers import JSONParser
from rest_framework.request import Request

from core import refusals
from core.errors import AppError
from core.models import ApiToken, User
from core.problems import problem
from core.services import accounts
from core.trouble import passing_trouble

DEEPEST_BODY = 32  # levels of nesting; a vote needs four


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer earmark_...`; the digest is looked up, so no comparison leaks how near a guess came."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        digest = accounts.digest_of(secret.strip().decode("latin-1"))
        token = ApiToken.objects.usable().select_related("user").filter(digest=digest).first()
        if token is None:
            raise refusals.TokenInvalid
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
            raise refusals.CsrfRefused from problem


class StaffSessionAuthentication(CsrfEnforced):
    """Whoever is signed in to the pages is signed in to the API."""


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
            raise refusals.RequestTooLarge(most_bytes=largest)
        try:
            value = json.loads(raw.decode(), parse_constant=_refuse_constant)
            _refuse_unstorable(value)
        except (ValueError, RecursionError) as problem:
            raise refusals.MalformedRequest from problem
        return value


def _refuse_constant(name: str) -> None:
    """NaN and Infinity are Python's additions to JSON."""
    raise ValueError(name)


def _refuse_unstorable(value: Any) -> None:
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


PLAIN_REFUSALS: dict[type[Exception], type[AppError]] = {
    exceptions.ParseError: refusals.MalformedRequest,
    exceptions.NotAuthenticated: refusals.AuthRequired,
    exceptions.AuthenticationFailed: refusals.AuthRequired,
    exceptions.PermissionDenied: refusals.AuthDenied,
    exceptions.NotFound: refusals.NotFound,
    exceptions.NotAcceptable: refusals.NotAcceptableRequest,
    PermissionDenied: refusals.AuthDenied,
    Http404: refusals.NotFound,
    SuspiciousOperation: refusals.MalformedRequest,
}


def render_error(error: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """Answer in the one JSON shape; what is not an expected refusal goes on to Django as a defect."""
    request, headers = context["request"], {}
    match error:
        case AppError():
            refusal = error
        case exceptions.ValidationError():
            refusal = refusals.InvalidRequest(fields=error.detail)
        case exceptions.MethodNotAllowed():
            headers["Allow"] = ", ".join(context["view"].allowed_methods)
            refusal = refusals.MethodRefused(method=request.method, allowed=headers["Allow"])
        case exceptions.UnsupportedMediaType():
            refusal = refusals.MediaTypeRefused(media_type=request.content_type or "this type")
        case RequestDataTooBig():
            refusal = refusals.RequestTooLarge(most_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        case exceptions.Throttled():
            wait_s = math.ceil(getattr(error, "wait", None) or 1)
            headers["Retry-After"] = str(wait_s)
            refusal = refusals.TooManyRequests(wait_s=wait_s)
        case _:
            known = next((refusal() for kind, refusal in PLAIN_REFUSALS.items() if isinstance(error, kind)), None)
            expected = known or passing_trouble(error)
            if expected is None:
                return None
            refusal = expected
    return problem(refusal, headers=headers)
