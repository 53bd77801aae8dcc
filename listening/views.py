"""The participant's three pages, and the experimenter's page of panels and links."""

from collections.abc import Sequence
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.policy import Audience, open_to, staff
from listening.access import admit, invitation_for, visit_for
from listening.device import describe_device
from listening.errors import ConsentMissing
from listening.forms import InvitationsForm, PanelForm
from listening.models import Completion, Invitation, Seat
from listening.services import panels, visits
from listening.texts import visit_texts
from rating.access import experiment_for
from rating.models import Experiment


@never_cache
@require_http_methods(["GET", "POST"])
@open_to(Audience.PARTICIPANT)
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show what the test is (GET), or take the seat and begin (POST). Mail scanners that open links take nothing."""
    invitation = invitation_for(token)
    if request.method == "POST":
        return _enter(request, invitation)
    experiment = invitation.panel.experiment
    seat = invitation.seat if visits.is_claimed(invitation) else None
    if seat is None:
        visits.check_claimable(invitation, now=timezone.now())
    context = {
        "experiment": experiment,
        "consent_text": experiment.consent_text,
        "state": _join_state(seat),
        "protocol_template": f"rating/protocols/{experiment.protocol}.html",
        **visits.outlook(panel=invitation.panel, seat=seat),
    }
    return render(request, "listening/join.html", context)


def _enter(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    device = describe_device(request.headers.get("User-Agent", ""))
    if visits.is_claimed(invitation) and invitation.seat is not None:
        visit = visits.begin_visit(seat=invitation.seat, device=device)
    elif request.POST.get("agree"):
        visit = visits.claim_seat(
            invitation=invitation, now=timezone.now(), language=get_language() or "en", device=device
        )
    else:
        raise ConsentMissing
    admit(request, visit)
    return redirect("listening:visit", visit_id=visit.id)


def _join_state(seat: Seat | None) -> str:
    if seat is None:
        return "new"
    return "finished" if seat.state == Seat.State.FINISHED else "resume"


@never_cache
@require_GET
@open_to(Audience.PARTICIPANT)
def visit(request: HttpRequest, visit_id: UUID) -> HttpResponse:
    """The live page; everything that changes in it comes from the participant's API."""
    visit = visit_for(request, visit_id)
    if visit.seat.state == Seat.State.FINISHED:
        return redirect("listening:receipt", visit_id=visit_id)
    experiment = visit.seat.ballot.experiment
    progress = visits.progress(visit=visit)
    api = reverse("api:upcoming", args=[visit_id]).removesuffix("upcoming/")
    context = {
        "visit": visit,
        "experiment": experiment,
        "protocol_template": f"rating/protocols/{experiment.protocol}.html",
        "config": {"api": api, "csrf": get_token(request), "seat": str(visit.seat_id), **progress},
        "texts": visit_texts(),
        "total_trials": progress["total"],
    }
    return render(request, "listening/visit.html", context)


@never_cache
@require_GET
@open_to(Audience.PARTICIPANT)
def receipt(request: HttpRequest, visit_id: UUID) -> HttpResponse:
    visit = visit_for(request, visit_id)
    completion = Completion.objects.filter(seat=visit.seat).first()
    if completion is None:
        return redirect("listening:visit", visit_id=visit_id)
    context = {"experiment": visit.seat.ballot.experiment, "completion": completion}
    return render(request, "listening/receipt.html", context)


@require_GET
@open_to(Audience.STAFF)
def people(request: HttpRequest, slug: str) -> HttpResponse:
    return _people_page(request, experiment_for(staff(request), slug))


@require_POST
@open_to(Audience.STAFF)
def add_panel(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_for(staff(request), slug)
    panels.create_panel(experiment=experiment, seats=PanelForm(request.POST).value("seats"), actor=staff(request))
    return redirect("listening:people", slug=slug)


@require_POST
@open_to(Audience.STAFF)
def add_invitations(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Make links and show them in the answer and nowhere else: their secrets are not kept."""
    experiment = experiment_for(staff(request), slug)
    tokens = panels.invite(
        panel=panels.panel_of(experiment=experiment, number=number),
        count=InvitationsForm(request.POST).value("count"),
        now=timezone.now(),
        actor=staff(request),
    )
    return _people_page(request, experiment, links=[panels.link(token) for token in tokens])


def _people_page(request: HttpRequest, experiment: Experiment, *, links: Sequence[str] = ()) -> HttpResponse:
    context = {
        "experiment": experiment,
        "panels": panels.overview(experiment=experiment),
        "links": links,
        "tab": "people",
    }
    return render(request, "listening/people.html", context)
