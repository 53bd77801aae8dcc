"""Views of the pages People and Monitor: panels, links, seats, previews, session settings, live progress."""

import csv
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.errors import AppError
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from listening.models import Seat
from listening.panels.forms import InvitationsForm, OpenLinkForm, PanelForm, PreviewForm, SessionSettingsForm
from listening.panels.services import durations, monitoring, panels, removal, seats
from listening.panels.services.copying import copy_experiment
from listening.panels.services.paper import seats_for_paper
from listening.panels.services.seats import seat_unknown
from listening.panels.services.session_settings import change_session_settings, checks_are_open, session_settings_of
from listening.participation.access import admit, describe_device
from listening.participation.recruitment import service_address
from listening.participation.services.visits import completions_of
from rating.forms import ReasonForm
from rating.models import Experiment
from rating.registry import get_protocol, module_of
from rating.services.access import Access, experiment_of


@require_GET
@requires(Audience.STAFF)
def people(request: HttpRequest, slug: str) -> HttpResponse:
    return _people_page(request, experiment_of(request, slug))


@require_POST
@requires(Audience.STAFF)
def add_panel(request: HttpRequest, slug: str) -> HttpResponse:
    experiment, form = experiment_of(request, slug), PanelForm(request.POST)
    panels.ask_for_panel(
        experiment=experiment, seats=form.value("seats"), group=form.value("group"), actor=staff(request)
    )
    return redirect("listening:people", slug=slug)


@require_POST
@requires(Audience.STAFF)
def add_invitations(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Make links and show them in the answer and nowhere else: their secrets are not kept."""
    experiment, now = experiment_of(request, slug), timezone.now()
    form = InvitationsForm(request.POST)
    tokens = panels.invite(
        panel=panels.panel_of(experiment=experiment, number=number),
        count=form.value("count"),
        now=now,
        actor=staff(request),
    )
    links = [panels.link(token) for token in tokens]
    if form.value("as_csv"):
        expires = (now + timedelta(days=panels.LINK_DAYS)).date().isoformat()
        rows = [[number, link, expires] for link in links]
        return _csv(f"{slug}-panel-{number}-links", ["panel", "link", "expires"], rows)
    return _people_page(request, experiment, links=links)


@require_POST
@requires(Audience.STAFF)
def open_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Make one link for many, in the form that a recruiting service needs where one is given; shown once."""
    experiment, service = experiment_of(request, slug), OpenLinkForm(request.POST).value("service")
    token = panels.invite_many(experiment=experiment, now=timezone.now(), actor=staff(request), service=service)
    link = panels.link(token)
    return _people_page(request, experiment, links=[service_address(link, service) if service else link])


@require_POST
@requires(Audience.STAFF)
def close_links(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    panels.close_links_for_many(experiment=experiment, now=timezone.now(), actor=staff(request))
    return redirect("listening:people", slug=slug)


@require_POST
@requires(Audience.STAFF)
def rehearse(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    tokens = panels.rehearse(
        experiment=experiment,
        count=InvitationsForm(request.POST).value("count"),
        now=timezone.now(),
        actor=staff(request),
    )
    return _people_page(request, experiment, links=[panels.link(token) for token in tokens])


@require_POST
@requires(Audience.STAFF)
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Open a copy of one seat for the experimenter, as its listener will see it."""
    experiment, form = experiment_of(request, slug), PreviewForm(request.POST)
    visit = seats.open_preview(
        panel=panels.panel_of(experiment=experiment, number=form.value("panel")),
        seat_number=form.value("seat"),
        from_session=form.value("from_session"),
        now=timezone.now(),
        device=describe_device(request.headers.get("User-Agent", "")),
    )
    admit(request, visit)
    return redirect("listening:visit", visit_id=visit.id)


@require_POST
@requires(Audience.STAFF)
def reissue(request: HttpRequest, slug: str, number: int, place: int) -> HttpResponse:
    """Release a taken seat to the next person."""
    experiment = experiment_of(request, slug)
    reason = ReasonForm(request.POST).value("reason")
    panel = panels.panel_of(experiment=experiment, number=number)
    seat = panel.seats.main().select_related("panel").filter(number=place).first()
    if seat is None:
        raise seat_unknown(panel=number, seat=place)
    seats.reissue_seat(seat=seat, now=timezone.now(), actor=staff(request), reason=reason)
    messages.success(request, _("Seat %(seat)s is open again. The next person gets the same plan.") % {"seat": place})
    return redirect("listening:people", slug=slug)


@require_POST
@requires(Audience.STAFF)
def copy(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a copy of an experiment that the reader can see."""
    experiment = experiment_of(request, slug, need=Access.VIEW)
    try:
        made = copy_experiment(experiment=experiment, actor=staff(request))
    except AppError as error:
        messages.error(request, error_message(error))
        return redirect("rating:settings", slug=slug)
    messages.success(request, _("This is the copy: without seats and answers, with a seed of its own."))
    return redirect("rating:settings", slug=made.slug)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def remove_seats(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what would be lost (GET), and remove a draft's design, seats and links (POST)."""
    experiment, error = experiment_of(request, slug), ""
    try:
        removal.check_removable(experiment)
        if request.method == "POST":
            removal.remove_seats(experiment=experiment, actor=staff(request))
            messages.success(request, _("The seats and links are removed."))
            return redirect("rating:settings", slug=slug)
    except AppError as problem:
        error = error_message(problem)
    lost = removal.would_remove(experiment)
    context = {"experiment": experiment, "lost": lost, "error": error, "tab": "settings"}
    return render(request, "listening/remove_seats.html", context)


@require_POST
@requires(Audience.STAFF)
def session_settings(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    form = SessionSettingsForm(request.POST, checks_open=checks_are_open(experiment))
    change_session_settings(experiment=experiment, actor=staff(request), **form.values())
    messages.success(request, _("The session settings are saved."))
    return redirect("listening:people", slug=slug)


@require_GET
@requires(Audience.STAFF)
def completion_codes(request: HttpRequest, slug: str) -> HttpResponse:
    """Completion codes of all finished seats, to pay people by; ids of recruiting services are not kept."""
    experiment = experiment_of(request, slug)
    rows = completions_of(experiment=experiment, actor=staff(request))
    return _csv(
        f"{slug}-completion-codes", ["completion_code", "subject_id", "finished_at", "answers", "withdrawn_at"], rows
    )


def _people_page(request: HttpRequest, experiment: Experiment, *, links: Sequence[str] = ()) -> HttpResponse:
    now, stored = timezone.now(), session_settings_of(experiment)
    held = Seat.objects.main().filter(panel__experiment=experiment, state=Seat.State.TAKEN).select_related("panel")
    shown, protocol = panels.overview(experiment=experiment, now=now), get_protocol(experiment.protocol)
    seat_jobs = panels.seat_jobs(experiment)
    context = {
        "experiment": experiment,
        "panels": [panel | {"job": seat_jobs.get(panel["number"])} for panel in shown],
        "seat_jobs": seat_jobs,
        "reload": not links,  # links are shown this once: a page with them must not be loaded anew by itself
        "needed": [panel for panel in shown if panel["needed"]],
        "held": held.select_related("participant").order_by("panel__number", "number"),
        "now": now,
        "groups": protocol.groups.names,
        "paper_seats": seats_for_paper(experiment) if module_of(protocol.slug, "paper") else (),
        "workbook_seats": seats_for_paper(experiment) if module_of(protocol.slug, "workbook") else (),
        "designed": panels.is_designed(experiment),
        "open_links": panels.links_for_many(experiment=experiment, now=now).count(),
        "checks_open": checks_are_open(experiment),
        "planned_minutes": durations.planned_minutes(experiment),
        "misleading_minutes": durations.misleading_minutes(experiment),
        "session_settings_form": SessionSettingsForm(initial=vars(stored), checks_open=checks_are_open(experiment)),
        "preview_form": PreviewForm(),
        "links": links,
        "finished": any(panel["finished"] for panel in shown),
        "tab": "people",
    }
    return render(request, "listening/people.html", context)


def _csv(name: str, columns: list[str], rows: list[list[Any]]) -> HttpResponse:
    """CSV download that is not cached: links for a mail merge, codes to pay by."""
    answer = HttpResponse(
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"},
    )
    csv.writer(answer).writerows([columns, *rows])
    return answer


# --- Monitor ----------------------------------------------------------------------------------------------------------


@require_GET
@requires(Audience.STAFF)
def monitor(request: HttpRequest, slug: str) -> HttpResponse:
    """Panels, seats, flags and missing cells; the page asks for `?part=live` again and again."""
    experiment = experiment_of(request, slug)
    seen, names = monitoring.experiment_status(experiment=experiment, now=timezone.now()), _flag_names()
    lines = [line | {"flags": [names[flag] for flag in line["flags"]]} for line in seen["lines"]]
    context = {"experiment": experiment, "seen": seen | {"lines": lines}, "tab": "monitor"}
    return render(request, _template(request, "monitor"), context)


@require_GET
@requires(Audience.STAFF)
def monitor_all(request: HttpRequest) -> HttpResponse:
    """Every experiment that the reader may see and where people may be listening; an admin sees all."""
    running = Experiment.objects.visible_to(staff(request)).exclude(state=Experiment.State.DRAFT)
    rows = monitoring.all_statuses(experiments=running.select_related("owner").newest_first(), now=timezone.now())
    return render(request, _template(request, "monitor_all"), {"rows": rows})


def _template(request: HttpRequest, name: str) -> str:
    return f"listening/_{name}.html" if request.GET.get("part") == "live" else f"listening/{name}.html"


def _flag_names() -> dict[str, str]:
    return {
        "fast": _("Too fast"),
        "sooner": _("Answered before the clip could end"),
        "flat": _("Same rating throughout"),
        "level": _("Level at its limit"),
        "muted": _("Heard nothing"),
        "hidden": _("Often hidden"),
        "stalls": _("Sound stalls"),
        "lost": _("Lost connection"),
        "clips": _("Clips failed"),
        "checks": _("Check not passed"),
        "lapsed": _("Seat expired"),
    }
