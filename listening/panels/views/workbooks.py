"""Views of workbooks: download a seat's file, enter the returned one, with a report on its cells."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_http_methods

from core.encryption import keep_once, take_kept
from core.errors import AppError
from core.http_errors import error_message
from core.i18n import translate_messages
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from listening.models import Seat
from listening.panels.forms import WorkbookForm
from listening.panels.services import workbooks as services
from listening.panels.services.paper import seat_for_paper, sheets_of
from listening.workbooks.base import Choices, Finding
from rating.services.access import experiment_of

FINDINGS = "workbook_findings"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def _seat_asked_for(request: HttpRequest, slug: str, number: int, place: int) -> Seat:
    experiment = experiment_of(request, slug)
    services.workbook_of(experiment)
    return seat_for_paper(experiment=experiment, panel_number=number, seat_number=place)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def workbook(request: HttpRequest, slug: str, number: int, place: int) -> HttpResponse:
    """The workbook of a seat: to take away, and to bring back."""
    seat = _seat_asked_for(request, slug, number, place)
    form = WorkbookForm(request.POST or None, request.FILES or None)
    entered = None
    if request.method == "POST" and form.is_valid():
        try:
            entered = _entered(request, seat, form.cleaned_data)
        except AppError as error:
            form.add_error(None, error_message(error))
        else:
            if not entered.stands_open:
                _say_stored(request, entered)
                keep_once(request, FINDINGS, [_said(finding) for finding in entered.returned.findings])
                return redirect(request.path)
        seat = seat_for_paper(experiment=seat.ballot.experiment, panel_number=number, seat_number=place)
    if seat.state != Seat.State.OPEN:
        del form.fields["agreed"]
    rated = [sheet for sheet in sheets_of(seat=seat) if sheet.number]
    if entered:
        findings = [_said(finding) for finding in entered.returned.findings]
    else:
        findings = take_kept(request, FINDINGS) or []  # of a workbook that was entered a moment ago
    context = {
        "experiment": seat.ballot.experiment,
        "seat": seat,
        "form": form,
        "entered": entered,
        "findings": findings,
        "answered": sum(sheet.trial.answered for sheet in rated),
        "clips": len(rated),
        "tab": "people",
    }
    status = 422 if request.method == "POST" and (form.errors or (entered and entered.stands_open)) else 200
    return render(request, "listening/workbook.html", context, status=status)


def _entered(request: HttpRequest, seat: Seat, values: dict[str, Any]) -> services.Entered:
    return services.enter_workbook(
        seat=seat,
        file=values["file"].file,
        name=values["file"].name,
        choices=Choices(flip=values["flip"], replace=values["replace"]),
        agreed=values.get("agreed", False),
        now=timezone.now(),
        actor=staff(request),
    )


def _say_stored(request: HttpRequest, entered: services.Entered) -> None:
    said = _("The workbook is entered: %(closed)s clips answered, %(drafts)s kept as drafts.")
    messages.success(request, said % {"closed": entered.closed, "drafts": entered.drafts})


def _said(finding: Finding) -> dict[str, Any]:
    words = {
        "error": _("Error"),
        "positive": _("Positive"),
        "conflict": _("Conflict"),
        "note": pgettext("cell", "Open"),
    }
    return translate_messages(finding.to_json(), _) | {"word": words[finding.kind]}


@posted_from("listening:workbook", "slug", "number", "place")
@requires(Audience.STAFF)
def workbook_file(request: HttpRequest, slug: str, number: int, place: int) -> HttpResponse:
    seat = _seat_asked_for(request, slug, number, place)
    made = services.write_workbook(seat=seat, now=timezone.now(), actor=staff(request))
    return _download(made, services.workbook_name(seat), XLSX)


@posted_from("listening:people", "slug")
@requires(Audience.STAFF)
def workbooks_zip(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    made = services.write_workbooks(experiment=experiment, now=timezone.now(), actor=staff(request))
    return _download(made, f"{slug}-workbooks.zip", "application/zip")


@posted_from("listening:workbook", "slug", "number", "place")
@requires(Audience.STAFF)
def finish_workbook(request: HttpRequest, slug: str, number: int, place: int) -> HttpResponse:
    seat = _seat_asked_for(request, slug, number, place)
    try:
        services.finish_from_workbook(seat=seat, now=timezone.now(), actor=staff(request))
    except AppError as error:
        messages.error(request, error_message(error))
    else:
        messages.success(request, _("Seat %(seat)s is finished.") % {"seat": place})
    return redirect("listening:workbook", slug=slug, number=number, place=place)


def _download(content: bytes, name: str, content_type: str) -> HttpResponse:
    """Download that is not cached, because its links lead to a seat."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return HttpResponse(content, content_type=content_type, headers=headers)
