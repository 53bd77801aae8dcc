"""Views of core: home, health, one's own account, error pages."""

import hashlib
import logging
import sys
import uuid
from functools import cache, partial
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET, require_http_methods, require_safe
from django.views.i18n import JavaScriptCatalog

from core import http_errors
from core.encryption import keep_once, take_kept
from core.errors import AppError
from core.forms import TokenForm
from core.help import help_address
from core.http_errors import error_message, error_response, json_error, transient_error, wants_json
from core.languages import is_draft, language_menu
from core.models import ApiToken
from core.permissions import Audience, has_second_factor, requires, staff
from core.posts import posted_from
from core.services import accounts, readiness

logger = logging.getLogger(__name__)

NEW_TOKEN = "new_token"  # noqa: S105 - a key of the session
A_YEAR_S = 365 * 24 * 3600


def site(request: HttpRequest) -> dict[str, Any]:
    """Context that every template has."""
    language = translation.get_language() or settings.LANGUAGE_CODE
    return {
        "public_url": settings.PUBLIC_URL,
        "second_factor_required": settings.SECOND_FACTOR_REQUIRED,
        "script_texts_url": script_texts_url(language),
        "is_draft_language": is_draft(language),
        "help_url": help_address(request.resolver_match.view_name if request.resolver_match else ""),
        # An experiment's pages have its language, and none to choose.
        "languages": [] if hasattr(request, "experiment_language") else language_menu(),
    }


@requires(Audience.PUBLIC)
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect("rating:experiments")
    return render(request, "core/home.html")


@requires(Audience.PUBLIC)
@never_cache
@require_GET
def healthz(request: HttpRequest) -> JsonResponse:
    """Tell a container or a monitor whether this installation works: the database answers and takes what is written.

    A database that is locked for a moment, or a disk that is nearly full, is told and is no failure here.
    """
    state = readiness.check_readiness()
    return JsonResponse(state.as_json(ok=state.works), status=200 if state.works else 503)


@requires(Audience.PUBLIC)
@never_cache
@require_GET
def readyz(request: HttpRequest) -> JsonResponse:
    """Tell a load balancer whether to send people here: everything that healthz asks for, at once and with room."""
    state = readiness.check_readiness()
    if not state.reason:
        return JsonResponse(state.as_json(ok=True))
    told = {**state.as_json(ok=False), "reason": state.reason}
    return JsonResponse(told, status=503, headers={"Retry-After": str(http_errors.BUSY_RETRY_S)})


# --- Translations of the texts in TypeScript --------------------------------------------------------------------------


@requires(Audience.PUBLIC)
@gzip_page
@require_GET
def script_texts(request: HttpRequest, language: str, version: str) -> HttpResponse:
    """Send Django's JavaScript catalogue of a language; the address has its version, so a browser asks for it once."""
    if language not in dict(settings.LANGUAGES):
        raise http_errors.not_found()
    script, current = _script_texts(language)
    response = HttpResponse(script, content_type="text/javascript; charset=utf-8")
    if version == current:
        patch_cache_control(response, public=True, max_age=A_YEAR_S, immutable=True)
    else:  # the page is of another release, as while servers are replaced one by one
        patch_cache_control(response, no_cache=True)
    return response


def script_texts_url(language: str) -> str:
    """The catalogue that a page in this language loads before its scripts; none for English, which they hold."""
    if language == settings.LANGUAGE_CODE:
        return ""
    _script, version = _script_texts(language)
    return reverse("core:script_texts", kwargs={"language": language, "version": version})


@cache
def _script_texts(language: str) -> tuple[bytes, str]:
    """The catalogue and its version; they stay as long as the process, like all translations that Django has loaded."""
    packages = [app.name for app in apps.get_app_configs() if not app.name.startswith("django.")]
    with translation.override(language):
        script = JavaScriptCatalog(packages=packages).get(HttpRequest()).content
    return script, hashlib.sha256(script).hexdigest()[:12]


# --- One's own account -----------------------------------------------------------------------------------------------


@requires(Audience.STAFF)
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show one's account; a post makes a token, whose secret is shown on the page that follows and never again."""
    user = staff(request)
    form = TokenForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        made = form.carry_out(partial(accounts.create_token, owner=user, now=timezone.now()), field="name")
        if made:
            keep_once(request, NEW_TOKEN, made[1])
            return redirect("core:account")
    context = {
        "form": form,
        "secret": take_kept(request, NEW_TOKEN) or "",
        "tokens": ApiToken.objects.usable().filter(user=user).order_by("-created_at"),
        "second_factor": has_second_factor(user),
    }
    return render(request, "core/account.html", context, status=400 if form.errors else 200)


@requires(Audience.STAFF)
@posted_from("core:account")
def revoke_token(request: HttpRequest, token_id: uuid.UUID) -> HttpResponse:
    token = ApiToken.objects.filter(user=staff(request), pk=token_id).first()
    if token is None:
        raise http_errors.not_found()
    accounts.revoke_token(token=token, actor=staff(request), now=timezone.now())
    messages.success(request, _("The token '%(name)s' is revoked.") % {"name": token.name})
    return redirect("core:account")


# --- Error pages that Django calls outside a view ---------------------------------------------


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return error_response(request, http_errors.request_too_large(most_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE))
    return error_response(request, http_errors.malformed_request())


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, http_errors.auth_denied())


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return error_response(request, http_errors.csrf_failed())


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, http_errors.not_found())


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer what failed outside a view, also when the page itself cannot be rendered."""
    error = transient_error(sys.exception()) or AppError(
        "server.error", 500, gettext_noop("Something went wrong here and has been recorded; try again in a moment.")
    )
    if wants_json(request):
        return json_error(error)
    try:
        return error_response(request, error)
    except Exception:
        logger.exception("The error page cannot be rendered.")
        return HttpResponse(error_message(error), status=error.status, content_type="text/plain; charset=utf-8")
