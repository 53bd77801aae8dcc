"""Pages that know nothing of listening tests: the front door, health, one's account, the service pages, refusals."""

import logging
import sys
import uuid

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import RequestDataTooBig
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core import overview, refusals
from core.errors import AppError
from core.forms import RoleForm, TokenForm
from core.jobs import queue
from core.models import ApiToken, Job, User
from core.policy import Audience, has_second_factor, open_to, staff
from core.problems import problem, say, show, wants_json
from core.services import accounts, readiness
from core.trouble import passing_trouble

logger = logging.getLogger(__name__)

ENTRIES_A_PAGE = 50


@open_to(Audience.PUBLIC)
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect("rating:experiments")
    return render(request, "core/home.html")


@open_to(Audience.PUBLIC)
@never_cache
@require_GET
def healthz(request: HttpRequest) -> JsonResponse:
    """Tell a container or a monitor whether this installation works: the database answers and takes what is written.

    A database that is locked for a moment, or a disk that is nearly full, is told and is no failure here.
    """
    state = readiness.look()
    return JsonResponse(state.as_json(ok=state.works), status=200 if state.works else 503)


@open_to(Audience.PUBLIC)
@never_cache
@require_GET
def readyz(request: HttpRequest) -> JsonResponse:
    """Tell a load balancer whether to send people here: everything that healthz asks for, at once and with room."""
    state = readiness.look()
    if not state.reason:
        return JsonResponse(state.as_json(ok=True))
    told = {**state.as_json(ok=False), "reason": state.reason}
    return JsonResponse(told, status=503, headers={"Retry-After": str(refusals.ServerBusy.retry_after_s)})


# --- One's own account -----------------------------------------------------------------------------------------------


@open_to(Audience.STAFF)
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show one's account; a post makes a token, whose secret is shown in the answer and never again."""
    user = staff(request)
    form = TokenForm(request.POST if request.method == "POST" else None)
    secret = ""
    if request.method == "POST" and form.is_valid():
        try:
            _token, secret = accounts.create_token(owner=user, now=timezone.now(), **form.cleaned_data)
        except AppError as refusal:
            form.add_error("name", say(refusal))
        else:
            form = TokenForm()
    context = {
        "form": form,
        "secret": secret,
        "tokens": ApiToken.objects.usable().filter(user=user).order_by("-created_at"),
        "second_factor": has_second_factor(user),
    }
    return render(request, "core/account.html", context, status=400 if form.errors else 200)


@open_to(Audience.STAFF)
@require_POST
def revoke_token(request: HttpRequest, token_id: uuid.UUID) -> HttpResponse:
    token = ApiToken.objects.filter(user=staff(request), pk=token_id).first()
    if token is None:
        raise refusals.NotFound
    accounts.revoke_token(token=token, actor=staff(request), now=timezone.now())
    messages.success(request, _("The token '%(name)s' is revoked.") % {"name": token.name})
    return redirect("core:account")


# --- The service pages, for admins -----------------------------------------------------------------------------------


@open_to(Audience.ADMIN)
@require_GET
def service(request: HttpRequest) -> HttpResponse:
    return render(request, "core/service.html", {"overview": overview.system_status(), "tab": "state"})


@open_to(Audience.ADMIN)
@require_POST
def retry_job(request: HttpRequest, job_id: uuid.UUID) -> HttpResponse:
    job = Job.objects.filter(pk=job_id).first()
    if job is None:
        raise refusals.NotFound
    if queue.retry(job=job, actor=staff(request)):
        messages.success(request, _("The job waits for a worker again."))
    else:
        messages.info(request, _("The job has not failed, or was tried again already."))
    return redirect("core:service")


@open_to(Audience.ADMIN)
@require_GET
def audit_log(request: HttpRequest) -> HttpResponse:
    pages = Paginator(overview.audit_log(), ENTRIES_A_PAGE)
    return render(request, "core/audit.html", {"page": pages.get_page(request.GET.get("page")), "tab": "audit"})


@open_to(Audience.ADMIN)
@require_GET
def people(request: HttpRequest) -> HttpResponse:
    people = [(person, has_second_factor(person)) for person in User.objects.order_by("username")]
    return render(request, "core/people.html", {"people": people, "roles": User.Role.choices, "tab": "people"})


@open_to(Audience.ADMIN)
@require_POST
def change_role(request: HttpRequest, user_id: int) -> HttpResponse:
    person = User.objects.filter(pk=user_id).first()
    if person is None:
        raise refusals.NotFound
    form = RoleForm(request.POST)
    accounts.change_role(
        account=person, role=User.Role(form.value("role")), actor=staff(request), reason=form.value("reason")
    )
    messages.success(request, _("The role of '%(name)s' is changed.") % {"name": person.username})
    return redirect("core:people")


# --- What Django calls when something is refused or fails outside a view ---------------------------------------------


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return show(request, refusals.RequestTooLarge(most_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE))
    return show(request, refusals.MalformedRequest())


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return show(request, refusals.AuthDenied())


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return show(request, refusals.CsrfRefused())


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return show(request, refusals.NotFound())


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer what failed outside a view, also when the page itself cannot be rendered."""
    error = passing_trouble(sys.exception()) or refusals.ServerError()
    if wants_json(request):
        return problem(error)
    try:
        return show(request, error)
    except Exception:
        logger.exception("The error page cannot be rendered.")
        return HttpResponse(say(error), status=error.status, content_type="text/plain; charset=utf-8")
