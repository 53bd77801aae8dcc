"""Views of links: making them, and the page that shows new ones once."""

import csv
from datetime import timedelta
from functools import partial
from io import StringIO
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from core.encryption import keep_once, take_kept
from core.permissions import Audience, requires, staff
from listening.panels.forms import OpenLinkForm, RehearsalsForm
from listening.panels.services import panels
from listening.panels.views.people import links_form, people_page
from listening.participation.recruitment import service_address
from rating.models import Experiment
from rating.services.access import experiment_of

NEW_LINKS = "new_links"


@require_POST
@requires(Audience.STAFF)
def add_invitations(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    experiment, now = experiment_of(request, slug), timezone.now()
    panel = panels.panel_of(experiment=experiment, number=number)
    form = links_form({"number": number}, request.POST)
    if tokens := form.carry_out(partial(panels.invite, panel=panel, now=now, actor=staff(request)), field="count"):
        return _show_once(request, experiment, [panels.link(token) for token in tokens], panel=number)
    return people_page(request, experiment, refused=form)


@require_POST
@requires(Audience.STAFF)
def open_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Make one link for many, in the form that a recruiting service needs where one is given."""
    experiment, form = experiment_of(request, slug), OpenLinkForm(request.POST, auto_id="open_%s")
    make = partial(panels.invite_many, experiment=experiment, now=timezone.now(), actor=staff(request))
    if token := form.carry_out(make):
        link, service = panels.link(token), form.cleaned_data["service"]
        return _show_once(request, experiment, [service_address(link, service) if service else link])
    return people_page(request, experiment, refused=form)


@require_POST
@requires(Audience.STAFF)
def close_links(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    panels.close_links_for_many(experiment=experiment, now=timezone.now(), actor=staff(request))
    return redirect("listening:people", slug=slug)


@require_POST
@requires(Audience.STAFF)
def rehearse(request: HttpRequest, slug: str) -> HttpResponse:
    experiment, form = experiment_of(request, slug), RehearsalsForm(request.POST, auto_id="rehearsals_%s")
    make = partial(panels.rehearse, experiment=experiment, now=timezone.now(), actor=staff(request))
    if tokens := form.carry_out(make, field="count"):
        return _show_once(request, experiment, [panels.link(token) for token in tokens])
    return people_page(request, experiment, refused=form)


def _show_once(
    request: HttpRequest, experiment: Experiment, links: list[str], *, panel: int | None = None
) -> HttpResponse:
    """Lead to the page that shows these links once; their secrets are not kept after that."""
    expires = (timezone.now() + timedelta(days=panels.LINK_DAYS)).date().isoformat()
    rows = [{"panel": panel, "link": link, "expires": expires} for link in links]
    keep_once(request, NEW_LINKS, {"experiment": experiment.slug, "rows": rows})
    return redirect("listening:new_links", slug=experiment.slug)


@require_GET
@requires(Audience.STAFF)
def new_links(request: HttpRequest, slug: str) -> HttpResponse:
    """The links that were made a moment ago. Loaded again, the page says that they were shown."""
    experiment = experiment_of(request, slug)
    kept = take_kept(request, NEW_LINKS)
    rows = kept["rows"] if kept and kept["experiment"] == slug else []
    context = {"experiment": experiment, "rows": rows, "csv": _csv_address(rows), "tab": "people"}
    return render(request, "listening/new_links.html", context)


def _csv_address(rows: list[dict[str, str]]) -> str:
    """The table for a mail merge inside the page itself, so that nothing is kept for a second request."""
    lines = [["panel", "link", "expires"], *([str(row["panel"] or ""), row["link"], row["expires"]] for row in rows)]
    with StringIO(newline="") as table:
        csv.writer(table).writerows(lines)
        return f"data:text/csv;charset=utf-8,{quote(table.getvalue())}"
