"""Views that nobody should write, and a few plain ones, to see what the policy and the error page make of them."""

import errno
from typing import Any

from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from django.utils import timezone
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from config.urls import handler400, handler403, handler404, handler500
from core.api import AnonymousWithCsrf
from core.errors import AppError
from core.permissions import Audience, requires

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


def unlisted(request: HttpRequest) -> HttpResponse:
    return HttpResponse("secret")


@requires(Audience.PUBLIC)
def refusing(request: HttpRequest) -> HttpResponse:
    raise AppError("tea.refused", 418, "There is no tea for {name}; ask for coffee.", name="Ada")


@requires(Audience.PUBLIC)
def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("the colour of the database password is blue")


@requires(Audience.PUBLIC)
def writing(request: HttpRequest) -> HttpResponse:
    """Write more than fits into a page of the database."""
    Session.objects.create(session_key="odd", session_data="x" * 100_000, expire_date=timezone.now())
    return HttpResponse("written")


@requires(Audience.PUBLIC)
def remembering(request: HttpRequest) -> HttpResponse:
    """Leave something that is written after the view, by the session's middleware."""
    request.session["odd"] = True
    return HttpResponse("remembered")


@requires(Audience.PUBLIC)
def storing(request: HttpRequest) -> HttpResponse:
    raise OSError(errno.ENOSPC, "No space left on device")


@requires(Audience.PUBLIC)
def form(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{len(request.POST)} fields")


class Odd(APIView):
    def get(self, request: Request) -> Response:
        return Response("secret")

    def post(self, request: Request) -> Response:
        return Response({"heard": request.data})


class Unlisted(Odd):
    """States no audience."""


class Unguarded(Odd):
    """States an audience that nothing enforces."""

    audience = Audience.ADMIN
    permission_classes = [AllowAny]


class Echo(Odd):
    audience = Audience.PUBLIC
    authentication_classes: list[Any] = []
    largest_body_bytes = 1000


class ForParticipants(Odd):
    audience = Audience.PARTICIPANT
    authentication_classes = [AnonymousWithCsrf]


class ForStaff(Odd):
    audience = Audience.STAFF


class ForAdmins(Odd):
    audience = Audience.ADMIN


class Unblinding(Odd):
    audience = Audience.STAFF
    scopes = {"POST": "unblind"}


class Writing(Odd):
    audience = Audience.PUBLIC

    def get(self, request: Request) -> Response:
        writing(request._request)
        return Response("written")


class Full(BaseThrottle):
    def allow_request(self, request: Request, view: APIView) -> bool:
        return False

    def wait(self) -> float:
        return 6.5


class Throttled(Odd):
    audience = Audience.PUBLIC
    throttle_classes = [Full]


class Broken(Odd):
    audience = Audience.PUBLIC

    def get(self, request: Request) -> Response:
        raise RuntimeError("the colour of the database password is blue")


urlpatterns = [
    path("odd/unlisted/", unlisted),
    path("odd/refusing/", refusing),
    path("odd/broken/", broken),
    path("odd/form/", form),
    path("odd/writing/", writing),
    path("odd/remembering/", remembering),
    path("odd/storing/", storing),
    path("api/odd/storing/", storing),
    path("api/odd/writing/", Writing.as_view()),
    path("api/odd/function/", unlisted),
    path("api/odd/refusing/", refusing),
    path("api/odd/unlisted/", Unlisted.as_view()),
    path("api/odd/unguarded/", Unguarded.as_view()),
    path("api/odd/echo/", Echo.as_view()),
    path("api/odd/participants/", ForParticipants.as_view()),
    path("api/odd/staff/", ForStaff.as_view()),
    path("api/odd/admins/", ForAdmins.as_view()),
    path("api/odd/unblinding/", Unblinding.as_view()),
    path("api/odd/throttled/", Throttled.as_view()),
    path("api/odd/broken/", Broken.as_view()),
    path("", include("config.urls")),
]
