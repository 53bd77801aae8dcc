"""Service pages for admins: the state of the installation, its jobs, and the audit log."""

import uuid

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from core import http_errors, overview
from core.jobs import queue
from core.models import Job
from core.permissions import Audience, requires, staff

ENTRIES_A_PAGE = 50


@requires(Audience.ADMIN)
@require_GET
def service(request: HttpRequest) -> HttpResponse:
    return render(request, "core/service.html", {"overview": overview.system_status(), "tab": "state"})


@requires(Audience.ADMIN)
@require_POST
def retry_job(request: HttpRequest, job_id: uuid.UUID) -> HttpResponse:
    job = Job.objects.filter(pk=job_id).first()
    if job is None:
        raise http_errors.not_found()
    if queue.retry(job=job, actor=staff(request)):
        messages.success(request, _("The job waits for a worker again."))
    else:
        messages.info(request, _("The job has not failed, or was tried again already."))
    return redirect("core:service")


@requires(Audience.ADMIN)
@require_GET
def audit_log(request: HttpRequest) -> HttpResponse:
    pages = Paginator(overview.audit_log(), ENTRIES_A_PAGE)
    return render(request, "core/audit.html", {"page": pages.get_page(request.GET.get("page")), "tab": "audit"})
