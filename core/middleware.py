"""Middleware around every view: the permission check before it, and error responses in one shape after it."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, resolve_url
from django.utils.cache import patch_cache_control

from core.errors import AppError
from core.http_errors import (
    audience_missing,
    auth_denied,
    error_response,
    method_not_allowed,
    not_found,
    transient_error,
    wants_json,
)
from core.permissions import Audience, audience_of, check_access, session_has_ended

Answer = Callable[[HttpRequest], HttpResponse]


class ErrorMiddleware:
    """Turns expected errors into responses. Any other exception is a defect and goes on to Django."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed):  # a bare status, made by Django's decorators
            allowed = response.headers["Allow"]
            response = error_response(request, method_not_allowed(method=request.method, allowed=allowed))
            response.headers["Allow"] = allowed
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, AppError):
            return error_response(request, exception)
        if isinstance(exception, Http404):
            return error_response(request, not_found())
        if isinstance(exception, PermissionDenied):
            return error_response(request, auth_denied())
        passing = transient_error(exception)
        return error_response(request, passing) if passing else None


class AccessMiddleware:
    """Opens a view only to the audience that it states."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        personal = getattr(request, "audience", Audience.PUBLIC) != Audience.PUBLIC
        if personal and not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_store=True)
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        match = request.resolver_match
        audience = audience_of(view, match.view_name if match else "")
        request.audience = audience  # type: ignore[attr-defined]
        if audience in {None, Audience.NOBODY}:
            return error_response(request, not_found() if audience else audience_missing())
        if audience in {Audience.PUBLIC, Audience.PARTICIPANT}:
            return None
        if request.user.is_authenticated and session_has_ended(request):
            logout(request)
        if hasattr(view, "cls"):  # the REST framework identifies people itself; HasAudience goes on from here
            return None
        try:
            check_access(request.user, audience)
        except AppError as denied:
            return self._turn_away(request, denied)
        return None

    def _turn_away(self, request: HttpRequest, denied: AppError) -> HttpResponse:
        """Lead people to the page that lets them in, where there is one."""
        if not wants_json(request):
            if denied.code == "auth.required":
                # Coming back with GET to an address that was posted to would fail, so only reading is resumed.
                back = request.get_full_path() if request.method == "GET" else resolve_url(settings.LOGIN_REDIRECT_URL)
                return redirect_to_login(back)
            if denied.code == "auth.second_factor":
                return redirect("mfa_activate_totp")
        return error_response(request, denied)
