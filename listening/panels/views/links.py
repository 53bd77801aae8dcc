"""Views of links: making them, the page that shows new ones once, and the list of all."""

import csv
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from io import StringIO
from itertools import groupby, zip_longest
from typing import Any
from urllib.parse import quote, urlencode
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET
from qrcode import QRCode
from qrcode.constants import ERROR_CORRECT_M

from core.encryption import keep_once, take_kept
from core.errors import AppError
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from core.spreadsheets import neutralise
from listening.models import Invitation
from listening.panels.forms import LabelForm, LinkListForm, OpenLinkForm, RehearsalsForm
from listening.panels.services import links as services
from listening.panels.services import panels
from listening.panels.services.mailing import newest_mailing
from listening.panels.views.people import links_form, people_page
from listening.participation.recruitment import service_address
from rating.models import Experiment
from rating.services.access import experiment_of

NEW_LINKS = "new_links"
MOST_QR_CODES = 100  # on one page: each takes about 8 ms
QUIET = 4  # modules around a QR code, as ISO/IEC 18004 asks for
LINKS_A_PAGE = 100
PILLS = {
    Invitation.State.RUNNING: "pill--info",
    Invitation.State.FINISHED: "pill--ok",
    Invitation.State.EXPIRED: "pill--warn",
    Invitation.State.REVOKED: "pill--bad",
}


@posted_from("listening:people", "slug")
@requires(Audience.STAFF)
def add_invitations(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    experiment, now = experiment_of(request, slug), timezone.now()
    panel = panels.panel_of(experiment=experiment, number=number)
    form = links_form({"number": number}, request.POST)
    if tokens := form.carry_out(partial(panels.invite, panel=panel, now=now, actor=staff(request)), field="count"):
        labels, days = form.cleaned_data["labels"], form.cleaned_data["days"]
        links = [panels.link(token) for token in tokens]
        return show_once(request, experiment, links, panel=number, labels=labels, days=days)
    return people_page(request, experiment, refused=form)


@posted_from("listening:people", "slug")
@requires(Audience.STAFF)
def open_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Make one link for many, in the form that a recruiting service needs where one is given."""
    experiment, form = experiment_of(request, slug), OpenLinkForm(request.POST, auto_id="open_%s")
    make = partial(panels.invite_many, experiment=experiment, now=timezone.now(), actor=staff(request))
    if token := form.carry_out(make):
        link, service = panels.link(token), form.cleaned_data["service"]
        return show_once(request, experiment, [service_address(link, service) if service else link])
    return people_page(request, experiment, refused=form)


@posted_from("listening:people", "slug")
@requires(Audience.STAFF)
def close_links(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    panels.close_links_for_many(experiment=experiment, now=timezone.now(), actor=staff(request))
    return redirect("listening:people", slug=slug)


@posted_from("listening:people", "slug")
@requires(Audience.STAFF)
def rehearse(request: HttpRequest, slug: str) -> HttpResponse:
    experiment, form = experiment_of(request, slug), RehearsalsForm(request.POST, auto_id="rehearsals_%s")
    make = partial(panels.rehearse, experiment=experiment, now=timezone.now(), actor=staff(request))
    if tokens := form.carry_out(make, field="count"):
        return show_once(request, experiment, [panels.link(token) for token in tokens])
    return people_page(request, experiment, refused=form)


def show_once(
    request: HttpRequest,
    experiment: Experiment,
    links: list[str],
    *,
    panel: int | None = None,
    labels: Sequence[str] = (),
    days: int = panels.LINK_DAYS,
) -> HttpResponse:
    """Lead to the page that shows these links once; their secrets are not kept after that."""
    expires = (timezone.now() + timedelta(days=days)).date().isoformat()
    named = zip_longest(links, labels, fillvalue="")
    rows = [{"label": label, "panel": panel, "link": link, "expires": expires} for link, label in named]
    keep_once(request, NEW_LINKS, {"experiment": experiment.slug, "rows": rows})
    return redirect("listening:new_links", slug=experiment.slug)


@require_GET
@requires(Audience.STAFF)
def new_links(request: HttpRequest, slug: str) -> HttpResponse:
    """The links that were made a moment ago. Loaded again, the page says that they were shown."""
    experiment = experiment_of(request, slug)
    kept = take_kept(request, NEW_LINKS)
    rows = kept["rows"] if kept and kept["experiment"] == slug else []
    if len(rows) <= MOST_QR_CODES:
        rows = [row | {"qr": qr_code(row["link"])} for row in rows]
    context = {
        "experiment": experiment,
        "rows": rows,
        "csv": _csv_address(rows),
        "most_qr_codes": MOST_QR_CODES,
        "tab": "people",
    }
    return render(request, "listening/new_links.html", context)


def qr_code(text: str) -> dict[str, Any]:
    """The path of a QR code in an SVG, and how many modules it is wide; a bar of dark modules is one rectangle."""
    # Any of the eight masks can be read. Trying all of them to find the best takes twice as long.
    code = QRCode(error_correction=ERROR_CORRECT_M, border=0, mask_pattern=0)
    code.add_data(text)
    code.make()
    path = ""
    for y, row in enumerate(code.get_matrix()):
        x = 0
        for dark, modules in groupby(row):
            length = len(list(modules))
            if dark:
                path += f"M{x + QUIET},{y + QUIET}h{length}v1h-{length}z"
            x += length
    return {"path": path, "size": code.modules_count + 2 * QUIET}


def _csv_address(rows: list[dict[str, Any]]) -> str:
    """The table for a mail merge inside the page itself, so that nothing is kept for a second request."""
    columns = ["label", "panel", "link", "expires"]
    lines = [[neutralise(str(row[name] or "")) for name in columns] for row in rows]
    with StringIO(newline="") as table:
        csv.writer(table).writerows([columns, *lines])
        return f"data:text/csv;charset=utf-8,{quote(table.getvalue())}"


# --- Links that were made ---------------------------------------------------------------------------------------------


@require_GET
@requires(Audience.STAFF)
def links(request: HttpRequest, slug: str) -> HttpResponse:
    return _links_page(request, experiment_of(request, slug))


@posted_from("listening:links", "slug")
@requires(Audience.STAFF)
def rename_link(request: HttpRequest, slug: str, link_id: UUID) -> HttpResponse:
    experiment = experiment_of(request, slug)
    link = services.link_of(experiment=experiment, link_id=link_id, now=timezone.now())
    form = _label_form(link, request.POST)
    if form.carry_out(partial(services.rename_link, link=link, actor=staff(request)), field="label"):
        messages.success(request, _("The label is saved."))
        return redirect("listening:links", slug=slug)
    return _links_page(request, experiment, link=link, refused=form)


@posted_from("listening:links", "slug")
@requires(Audience.STAFF)
def revoke_link(request: HttpRequest, slug: str, link_id: UUID) -> HttpResponse:
    experiment, now = experiment_of(request, slug), timezone.now()
    link = services.link_of(experiment=experiment, link_id=link_id, now=now)
    try:
        services.revoke_link(link=link, now=now, actor=staff(request))
    except AppError as error:
        messages.error(request, error_message(error))
    else:
        messages.success(request, _("The link is revoked: it no longer opens anything."))
    return redirect("listening:links", slug=slug)


def _links_page(
    request: HttpRequest, experiment: Experiment, *, link: Invitation | None = None, refused: LabelForm | None = None
) -> HttpResponse:
    """The links, or the one whose label was refused, with what was typed."""
    form, now = LinkListForm(request.GET), timezone.now()
    chosen = form.chosen()
    found = services.links_of(experiment=experiment, now=now, **chosen)
    if link is not None:
        found = found.filter(pk=link.pk)
    page = Paginator(found, LINKS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "experiment": experiment,
        "form": form,
        "filtered": bool(chosen["search"] or chosen["state"]),
        "query": urlencode(chosen),
        "page": page,
        "mailing": newest_mailing(experiment),
        "has_addresses": Invitation.objects.filter(panel__experiment=experiment).exclude(address="").exists(),
        "rows": [
            {
                "link": each,
                "state": Invitation.State(each.state).label,
                "pill": PILLS.get(Invitation.State(each.state), ""),
                "form": refused or _label_form(each),
                "revocable": each.state in services.REVOCABLE,
            }
            for each in page
        ],
        "tab": "people",
    }
    return render(request, "listening/links.html", context, status=refused.status if refused else 200)


def _label_form(link: Invitation, data: QueryDict | None = None) -> LabelForm:
    return LabelForm(data, auto_id=f"link_{link.pk}_%s", initial={"label": link.label})
