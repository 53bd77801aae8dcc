"""Views of the pages People and Monitor: panels, seats, previews, session settings, live progress."""

import csv
from collections.abc import Mapping
from functools import partial
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from core.errors import AppError
from core.forms import ValidatedForm
from core.http_errors import error_message
from core.mail import sends_mail
from core.models import User
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from listening.durations import minutes_text
from listening.models import Seat, Visit
from listening.panels.forms import (
    InvitationsForm,
    MonitorAlertForm,
    OpenLinkForm,
    PanelForm,
    PreviewForm,
    RehearsalsForm,
    SessionSettingsForm,
)
from listening.panels.services import alerts, durations, monitoring, panels, removal, seats, simulated_copies
from listening.panels.services.copying import copy_experiment
from listening.panels.services.extensions import ask_for_seats
from listening.panels.services.links import links_of
from listening.panels.services.paper import seats_for_paper
from listening.panels.services.seats import seat_unknown
from listening.panels.services.session_settings import change_session_settings, checks_are_open, session_settings_of
from listening.participation.access import admit, describe_device
from listening.participation.services.visits import completions_of
from rating.forms import ReasonForm
from rating.models import Ballot, Experiment
from rating.protocol import Designable
from rating.registry import get_protocol, module_of
from rating.services.access import Access, experiment_of

# The field that an error is shown beside.
PREVIEW_FIELDS = {"panel.unknown": "panel", "seat.unknown": "seat", "preview.session": "from_session"}


@require_GET
@requires(Audience.STAFF)
def people(request: HttpRequest, slug: str) -> HttpResponse:
    return people_page(request, experiment_of(request, slug))


@posted_from("listening:people", "slug")
@requires(Audience.STAFF)
def add_panel(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    form = _panel_form(experiment, request.POST)
    if form.carry_out(partial(ask_for_seats, experiment=experiment, actor=staff(request)), field="seats"):
        return redirect("listening:people", slug=slug)
    return people_page(request, experiment, refused=form)


@posted_from("listening:people", "slug")
@requires(Audience.STAFF)
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Open a copy of one seat for the experimenter, as its listener will see it."""
    experiment, form = experiment_of(request, slug), PreviewForm(request.POST, auto_id="preview_%s")

    def open_preview(*, panel: int, seat: int, from_session: int) -> Visit:
        return seats.open_preview(
            panel=panels.panel_of(experiment=experiment, number=panel),
            seat_number=seat,
            from_session=from_session,
            now=timezone.now(),
            device=describe_device(request.headers.get("User-Agent", "")),
        )

    if visit := form.carry_out(open_preview, by_code=PREVIEW_FIELDS):
        admit(request, visit)
        return redirect("listening:visit", visit_id=visit.id)
    return people_page(request, experiment, refused=form)


@posted_from("listening:people", "slug")
@requires(Audience.STAFF)
def reissue(request: HttpRequest, slug: str, number: int, place: int) -> HttpResponse:
    """Release a taken seat to the next person."""
    experiment = experiment_of(request, slug)
    panel = panels.panel_of(experiment=experiment, number=number)
    seat = panel.seats.main().select_related("panel").filter(number=place).first()
    if seat is None:
        raise seat_unknown(panel=number, seat=place)
    form = _reason_form(seat, request.POST)
    release = partial(seats.reissue_seat, seat=seat, now=timezone.now(), actor=staff(request))
    if form.carry_out(release, field="reason"):
        said = _("Seat %(seat)s is open again. The next person gets the same plan.")
        messages.success(request, said % {"seat": place})
        return redirect("listening:people", slug=slug)
    if seat.state != Seat.State.TAKEN:  # it is no longer in the table, so there is no control to stand beside
        messages.error(request, form.problems())
        return redirect("listening:people", slug=slug)
    return people_page(request, experiment, refused=form)


@posted_from("rating:settings", "slug")
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


@posted_from("listening:people", "slug")
@requires(Audience.STAFF)
def session_settings(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    stored = vars(session_settings_of(experiment))  # what cannot be changed while it is live is not sent
    form = SessionSettingsForm(request.POST, initial=stored, checks_open=checks_are_open(experiment))
    change = partial(change_session_settings, experiment=experiment, actor=staff(request))
    if form.carry_out(lambda **_filled_in: change(**form.values())):
        messages.success(request, _("The session settings are saved."))
        return redirect("listening:people", slug=slug)
    return people_page(request, experiment, refused=form)


@require_GET
@requires(Audience.STAFF)
def completion_codes(request: HttpRequest, slug: str) -> HttpResponse:
    """Completion codes of all finished seats, to pay people by; ids of recruiting services are not kept."""
    return codes_file(experiment_of(request, slug), actor=staff(request))


def codes_file(experiment: Experiment, *, actor: User) -> HttpResponse:
    rows = completions_of(experiment=experiment, actor=actor)
    columns = ["completion_code", "subject_id", "finished_at", "answers", "withdrawn_at"]
    return csv_file(f"{experiment.slug}-completion-codes", columns, rows)


def people_page(request: HttpRequest, experiment: Experiment, *, refused: ValidatedForm | None = None) -> HttpResponse:
    """The page, with the form that was refused as it was filled in, and the others as new."""

    def shown(form: ValidatedForm) -> ValidatedForm:
        return refused if refused and refused.auto_id == form.auto_id else form

    now, stored = timezone.now(), session_settings_of(experiment)
    rows, protocol = panels.overview(experiment=experiment, now=now), get_protocol(experiment.protocol)
    seat_jobs = panels.seat_jobs(experiment)
    checks_open = checks_are_open(experiment)
    context = {
        "experiment": experiment,
        "panels": [row | {"job": seat_jobs.get(row["number"]), "form": shown(links_form(row))} for row in rows],
        "seat_jobs": seat_jobs,
        "reload": not refused,  # a page with what was typed must not be loaded anew by itself
        "needed": [row for row in rows if row["needed"]],
        "held": [(seat, shown(_reason_form(seat))) for seat in _held(experiment)],
        "all_seats": _all_seats(experiment),
        "now": now,
        "paper_seats": seats_for_paper(experiment) if module_of(protocol.slug, "paper") else (),
        "workbook_seats": seats_for_paper(experiment) if module_of(protocol.slug, "workbook") else (),
        "designed": panels.is_designed(experiment),
        "designable": isinstance(protocol, Designable),
        "link_count": links_of(experiment=experiment, now=now).count(),
        "open_links": panels.links_for_many(experiment=experiment, now=now).count(),
        "checks_open": checks_open,
        "planned_minutes": {
            group: minutes_text(minutes) for group, minutes in durations.planned_minutes(experiment).items()
        },
        "misleading_minutes": durations.misleading_minutes(experiment),
        "panel_form": shown(_panel_form(experiment)),
        "session_settings_form": shown(SessionSettingsForm(initial=vars(stored), checks_open=checks_open)),
        "open_form": shown(OpenLinkForm(auto_id="open_%s")),
        "preview_form": shown(PreviewForm(auto_id="preview_%s")),
        "rehearsals_form": shown(RehearsalsForm(auto_id="rehearsals_%s")),
        "finished": any(row["finished"] for row in rows),
        "tab": "people",
    }
    return render(request, "listening/people.html", context, status=refused.status if refused else 200)


def links_form(panel: Mapping[str, Any], data: QueryDict | None = None) -> InvitationsForm:
    """The form for links of one panel; it proposes as many as are needed."""
    usual = {"count": panel.get("needed") or 1, "days": panels.LINK_DAYS}
    return InvitationsForm(data, auto_id=f"links_{panel['number']}_%s", initial=usual)


def _panel_form(experiment: Experiment, data: QueryDict | None = None) -> PanelForm:
    groups = get_protocol(experiment.protocol).groups.names
    return PanelForm(data, groups=groups, reason_needed=experiment.state != Experiment.State.DRAFT)


def _reason_form(seat: Seat, data: QueryDict | None = None) -> ReasonForm:
    return ReasonForm(data, auto_id=f"release_{seat.panel.number}_{seat.number}_%s")


def _held(experiment: Experiment) -> QuerySet[Seat]:
    held = Seat.objects.main().filter(panel__experiment=experiment, state=Seat.State.TAKEN)
    return held.select_related("panel", "participant").order_by("panel__number", "number")


def _all_seats(experiment: Experiment) -> QuerySet[Seat]:
    """Every seat that counts, and those that were given up."""
    found = Seat.objects.filter(panel__experiment=experiment, ballot__kind=Ballot.Kind.MAIN)
    found = found.select_related("panel", "participant", "ballot")
    return found.order_by("panel__number", "number", "occupancy")


def csv_file(name: str, columns: list[str], rows: list[list[Any]]) -> HttpResponse:
    """CSV download that is not cached."""
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
    return _monitor_page(request, experiment_of(request, slug))


@posted_from("listening:monitor", "slug")
@requires(Audience.STAFF)
def monitor_alert(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the reader told by e-mail when something needs attention, or no longer."""
    experiment, form = experiment_of(request, slug, need=Access.VIEW), MonitorAlertForm(request.POST)
    change = partial(alerts.set_alert, experiment=experiment, user=staff(request))
    alert = form.carry_out(change, by_code={"monitor_alert.no_address": "address"})
    if form.errors:
        return _monitor_page(request, experiment, refused=form)
    if alert:
        messages.success(request, _("Messages will go to %(address)s.") % {"address": alert.address})
    else:
        messages.success(request, _("You get no more e-mail about this experiment."))
    return redirect("listening:monitor", slug=slug)


def _monitor_page(
    request: HttpRequest, experiment: Experiment, *, refused: MonitorAlertForm | None = None
) -> HttpResponse:
    seen, names = monitoring.experiment_status(experiment=experiment, now=timezone.now()), _flag_names()
    lines = [line | {"flags": [names[flag] for flag in line["flags"]]} for line in seen["lines"]]
    job = simulated_copies.job_of(experiment) if experiment.is_simulation else None
    reader = staff(request)
    alert = alerts.alert_of(experiment=experiment, user=reader)
    filled_in = {"by_email": alert is not None, "address": alert.address if alert else reader.email}
    context = {
        "experiment": experiment,
        "seen": seen | {"lines": lines},
        "job": job,
        "alert": alert,
        "alert_form": refused or MonitorAlertForm(initial=filled_in),
        "quiet_days": alerts.QUIET.days,
        "sends_mail": sends_mail(),
        "tab": "monitor",
    }
    return render(request, _template(request, "monitor"), context, status=refused.status if refused else 200)


@require_GET
@requires(Audience.STAFF)
def monitor_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The line of every seat that was taken, as a table."""
    experiment = experiment_of(request, slug)
    seen = monitoring.experiment_status(experiment=experiment, now=timezone.now())
    columns = ["panel", "seat", "occupancy", "subject_id", "state", "answered", "planned", "last_seen_at"]
    columns += ["pace_s", "minutes_left", "flags"]
    rows = [
        [
            *(line[name] for name in ("panel", "seat", "occupancy", "who", "state")),
            *(line["progress"].done, line["progress"].total),
            line["last_seen_at"].isoformat(timespec="seconds") if line["last_seen_at"] else "",
            "" if line["pace_s"] is None else round(line["pace_s"], 3),
            "" if line["minutes_left"] is None else line["minutes_left"],
            "|".join(line["flags"]),
        ]
        for line in seen["lines"]
    ]
    return csv_file(f"{experiment.slug}-seats", columns, rows)


@require_GET
@requires(Audience.STAFF)
def monitor_all(request: HttpRequest) -> HttpResponse:
    """Every experiment that the reader may see and where people may be listening; an admin sees all."""
    running = Experiment.objects.visible_to(staff(request)).for_people().exclude(state=Experiment.State.DRAFT)
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
        "attention": _("Attention check failed"),
        "lapsed": _("Seat expired"),
    }
