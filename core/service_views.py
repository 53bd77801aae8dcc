"""Service pages for admins: the health of the installation, its jobs, backups, and the audit log."""

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from core import overview, restoring, tasks
from core.errors import AppError
from core.forms import JobFilterForm, JobGroupForm
from core.http_errors import error_message
from core.jobs import groups
from core.models import Job
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from core.services import backups

ENTRIES_A_PAGE = 50
GROUPS_A_PAGE = 25


@requires(Audience.ADMIN)
@require_GET
def service(request: HttpRequest) -> HttpResponse:
    return render(request, "core/service.html", {"overview": overview.system_status(), "tab": "state"})


@requires(Audience.ADMIN)
@require_GET
def jobs(request: HttpRequest) -> HttpResponse:
    form = JobFilterForm(request.GET)
    state = form.state_chosen()
    page = Paginator(groups.rows(state), GROUPS_A_PAGE).get_page(request.GET.get("page"))
    context = {"form": form, "state": state, "page": page, "groups": groups.groups(list(page)), "tab": "jobs"}
    return render(request, "core/jobs.html", context)


@requires(Audience.ADMIN)
@posted_from("core:jobs")
def retry_jobs(request: HttpRequest) -> HttpResponse:
    form = JobGroupForm(request.POST)
    count = groups.retry(name=form.value("name"), about=form.value("about"), actor=staff(request))
    if count:
        said = ngettext("The job waits for a worker again.", "%(n)s jobs wait for a worker again.", count)
        messages.success(request, said % {"n": count})
    else:
        messages.info(request, _("The job has not failed, or was tried again already."))
    return redirect("core:jobs")


@requires(Audience.ADMIN)
@posted_from("core:jobs")
def cancel_jobs(request: HttpRequest) -> HttpResponse:
    form = JobGroupForm(request.POST)
    taken_back, asked = groups.cancel(name=form.value("name"), about=form.value("about"), actor=staff(request))
    if taken_back:
        said = ngettext("%(n)s job is cancelled.", "%(n)s jobs are cancelled.", taken_back)
        messages.success(request, said % {"n": taken_back})
    if asked:
        said = ngettext("%(n)s running job is asked to stop.", "%(n)s running jobs are asked to stop.", asked)
        messages.info(request, said % {"n": asked})
    if not taken_back and not asked:
        messages.info(request, _("There is nothing to cancel: the work has ended, or was asked to stop already."))
    return redirect("core:jobs")


@requires(Audience.ADMIN)
@require_GET
def copies(request: HttpRequest) -> HttpResponse:
    context = {
        "made_here": backups.are_made_here(),
        "copies": backups.copies(),
        "copy_job": backups.newest_job(tasks.copy_database),
        "trial_job": backups.newest_job(tasks.try_restore),
        "outcome": restoring.last_outcome(),
        "every_hours": settings.BACKUP_EVERY_S / 3600,
        "keep": settings.BACKUP_KEEP,
        "tab": "backups",
    }
    return render(request, "core/backups.html", context)


@requires(Audience.ADMIN)
@posted_from("core:backups")
def make_copy(request: HttpRequest) -> HttpResponse:
    return _asked(request, backups.ask_for_copy, _("The copy is being made."))


@requires(Audience.ADMIN)
@posted_from("core:backups")
def try_restore(request: HttpRequest) -> HttpResponse:
    return _asked(request, backups.ask_for_trial, _("The last copy is being restored elsewhere."))


def _asked(request: HttpRequest, ask: Callable[..., Job], said: str) -> HttpResponse:
    try:
        ask(actor=staff(request))
    except AppError as error:
        messages.error(request, error_message(error))
    else:
        messages.success(request, said)
    return redirect("core:backups")


@requires(Audience.ADMIN)
@posted_from("core:backups")
def download_copy(request: HttpRequest, name: str) -> FileResponse:
    """A post, because the audit log says who took a copy."""
    path = backups.take_copy(name=name, actor=staff(request))
    return FileResponse(path.open("rb"), as_attachment=True, filename=name)


@requires(Audience.ADMIN)
@require_GET
def audit_log(request: HttpRequest) -> HttpResponse:
    pages = Paginator(overview.audit_log(), ENTRIES_A_PAGE)
    return render(request, "core/audit.html", {"page": pages.get_page(request.GET.get("page")), "tab": "audit"})
