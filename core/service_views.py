"""Service pages for admins: the state of the installation, its jobs, and the audit log."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from core import overview
from core.forms import JobFilterForm, JobGroupForm
from core.jobs import groups
from core.permissions import Audience, requires, staff

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
@require_POST
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
@require_POST
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
def audit_log(request: HttpRequest) -> HttpResponse:
    pages = Paginator(overview.audit_log(), ENTRIES_A_PAGE)
    return render(request, "core/audit.html", {"page": pages.get_page(request.GET.get("page")), "tab": "audit"})
