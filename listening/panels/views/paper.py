"""Views of paper sheets: print them, and enter what was drawn on them."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override
from django.views.decorators.http import require_GET, require_http_methods

from core.errors import AppError
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from listening.models import Seat
from listening.panels.forms import PaperConsentForm, SheetForm
from listening.panels.services import paper as services
from listening.panels.services.paper import SheetChanged
from rating.label_sets import labels_of
from rating.registry import get_protocol
from rating.services.access import experiment_of


def _seat_asked_for(request: HttpRequest, slug: str, number: int, place: int) -> Seat:
    experiment = experiment_of(request, slug)
    services.paper_of(experiment)
    return services.seat_for_paper(experiment=experiment, panel_number=number, seat_number=place)


def _about(seat: Seat) -> dict[str, Any]:
    experiment = seat.ballot.experiment
    sheets = services.sheets_of(seat=seat)
    return {
        "experiment": experiment,
        "seat": seat,
        "labels": labels_of(experiment),
        "sheets": sheets,
        "rated": [sheet for sheet in sheets if sheet.number],
        "tab": "people",
        "paper_script": f"dist/paper-{experiment.protocol}.js",
    }


@require_GET
@requires(Audience.STAFF)
def print_sheets(request: HttpRequest, slug: str, number: int, place: int) -> HttpResponse:
    """Everything that a rater needs on paper, in the order of the seat; nothing on it names a condition."""
    about = _about(_seat_asked_for(request, slug, number, place))
    slug = about["experiment"].protocol
    parts = {"sheet_template": f"{slug}/paper.html", "guide_template": f"{slug}/paper_guide.html"}
    with override(about["experiment"].language):
        return render(request, "listening/paper_print.html", about | parts)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def paper(request: HttpRequest, slug: str, number: int, place: int) -> HttpResponse:
    """The recordings of a seat and how far their sheets are entered; posting records the consent."""
    seat = _seat_asked_for(request, slug, number, place)
    form = PaperConsentForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        begin = partial(services.begin_on_paper, seat=seat, now=timezone.now(), actor=staff(request))
        if form.carry_out(begin, field="agreed"):
            return redirect("listening:paper", slug=slug, number=number, place=place)
    context = _about(seat) | {"consent_form": form}
    return render(request, "listening/paper.html", context, status=form.status if form.errors else 200)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def paper_sheet(request: HttpRequest, slug: str, number: int, place: int, sheet_number: int) -> HttpResponse:
    """One sheet: numbers typed in, or read off a scan that stays in the browser."""
    seat = _seat_asked_for(request, slug, number, place)
    services.visit_on_paper(seat)
    about = _about(seat)
    sheet = next((each for each in about["rated"] if each.number == sheet_number), None)
    if sheet is None:
        raise AppError(
            "paper.sheet_unknown",
            404,
            gettext_noop("The seat has {count} recordings and no recording {number}. Choose one of its recordings."),
            number=sheet_number,
            count=len(about["rated"]),
        )
    form = SheetForm(request.POST or None, sheet=sheet, protocol=get_protocol(seat.ballot.experiment.protocol))
    if request.method == "POST" and form.is_valid():
        try:
            services.enter_sheet(
                seat=seat, sheet=sheet, reading=form.reading(), now=timezone.now(), actor=staff(request)
            )
        except SheetChanged as error:
            messages.warning(request, error_message(error))
            return redirect(request.path)
        except AppError as error:
            form.add_error(None, error_message(error))
        else:
            messages.success(request, _("Recording %(number)s is saved.") % {"number": sheet_number})
            return redirect("listening:paper", slug=slug, number=number, place=place)
    context = about | {"sheet": sheet, "form": form}
    return render(request, "listening/paper_sheet.html", context)


@posted_from("listening:paper", "slug", "number", "place")
@requires(Audience.STAFF)
def finish_paper(request: HttpRequest, slug: str, number: int, place: int) -> HttpResponse:
    seat = _seat_asked_for(request, slug, number, place)
    try:
        services.finish_on_paper(seat=seat, now=timezone.now(), actor=staff(request))
    except AppError as error:
        messages.error(request, error_message(error))
    else:
        messages.success(request, _("Seat %(seat)s is finished.") % {"seat": place})
    return redirect("listening:paper", slug=slug, number=number, place=place)
