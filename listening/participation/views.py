"""Views of the participant's three pages, start, visit and receipt, and the copy of the consent."""

from functools import cache
from math import ceil
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from core.errors import AppError
from core.hashing import digest
from core.http_errors import error_message
from core.pdf import PDF
from core.permissions import Audience, requires
from core.posts import posted_from
from listening.durations import minutes_text
from listening.models import Completion, Invitation, Recruitment, Seat, SessionSettings
from listening.panels.services.durations import questions_asked
from listening.panels.services.session_settings import needs_of, session_settings_of, way_back, way_back_of_receipt
from listening.participation.access import admit, describe_device, invitation_for, visit_for, visits_held
from listening.participation.question_forms import QuestionnaireForm
from listening.participation.recruitment import FIELD, Arrival, arrival_of, network_address, signed
from listening.participation.services import eligibility, questionnaires, visits, withdrawal
from listening.participation.services.eligibility import ScreenedOut
from listening.participation.services.setup import is_turned_away
from listening.participation.services.verification import completion_root
from listening.participation.services.visits import (
    OtherGroup,
    PanelFull,
    ResumeCodeUnknown,
    SeatElsewhere,
    TextChanged,
)
from listening.participation.services.withdrawal import is_withdrawn, may_withdraw
from rating.label_sets import labels_of
from rating.models import Ballot, Experiment
from rating.registry import get_protocol, style_of
from rating.services.consent_copies import consent_to_copy, copy_for_participant
from rating.services.texts import texts_of

JOIN_STATES = {Seat.State.TAKEN: "resume", Seat.State.FINISHED: "finished", Seat.State.ABANDONED: "abandoned"}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Audience.PARTICIPANT)
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show what the test is (GET), or take the seat and begin (POST). Mail scanners that open links take nothing."""
    invitation = invitation_for(token)
    if request.method == "GET":
        visits.note_opened(invitation, now=timezone.now())
    try:
        return _let_in(request, invitation)
    except (PanelFull, OtherGroup, ScreenedOut) as error:
        return _turned_away(request, invitation, error)


def _let_in(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    """The landing page as this person needs it, or the way into the seat."""
    arrival, held = arrival_of(request, invitation), visits_held(request)
    seat = visits.seat_held(invitation, arrival, held)
    if seat is not None and seat.state == Seat.State.ABANDONED:
        return _abandoned(request, seat)
    try:
        if request.method == "POST":
            return _enter(request, invitation, arrival, seat)
        if seat is None:
            seat = _seat_of_another_tab(request, invitation, arrival)
        if seat is not None:
            visits.check_resumable(seat=seat, arrival=arrival, held=held)
        elif eligibility.is_due(request, invitation):
            return _screening(request, invitation, eligibility.form_of(invitation))
    except (SeatElsewhere, ResumeCodeUnknown) as error:
        return _ask_for_code(request, invitation, error)
    except TextChanged:
        invitation.refresh_from_db()
        return _landing(request, invitation, arrival, None, text_changed=True)
    return _landing(request, invitation, arrival, seat)


def _seat_of_another_tab(request: HttpRequest, invitation: Invitation, arrival: Arrival | None) -> Seat | None:
    """Check that there is a seat to take; the last one may have gone to this very person a moment ago."""
    held = visits_held(request)
    try:
        visits.check_claimable(invitation, now=timezone.now(), held=held, address=network_address(request))
    except PanelFull:
        invitation.refresh_from_db(fields=["seat"])
        seat = visits.seat_held(invitation, arrival, held)
        if seat is None:
            raise
        return seat
    return None


def _landing(
    request: HttpRequest,
    invitation: Invitation,
    arrival: Arrival | None,
    seat: Seat | None,
    *,
    text_changed: bool = False,
) -> HttpResponse:
    experiment, planned = invitation.panel.experiment, seat or invitation.seat
    group = planned.panel.group if planned else visits.group_behind(invitation)
    known = session_settings_of(experiment)
    context = {
        "experiment": experiment,
        "labels": labels_of(experiment),
        "texts": texts_of(seat.ballot) if seat else experiment,
        "consent_sha256": digest(experiment.consent_text),
        "text_changed": text_changed,
        "state": JOIN_STATES[Seat.State(seat.state)] if seat else "new",
        "arrival": {"field": FIELD, "value": signed(arrival, invitation)},
        "for_many": invitation.many,
        "resume_code": visits.resume_code_of(seat) if seat else "",
        "ballot_kind": planned.ballot.kind if planned else Ballot.Kind.MAIN,
        "needs": needs_of(experiment, known),
        "question_count": questions_asked(experiment),
        "task": _task(experiment, group),
        **(_remaining(seat, known) if seat else _outlook(invitation, group, known)),
    }
    return render(request, "listening/join.html", context, status=409 if text_changed else 200)


def _outlook(invitation: Invitation, group: str, session_settings: SessionSettings) -> dict[str, Any]:
    """How long the test takes and how much it is, in one sentence; a link without a seat is told so instead."""
    outlook = visits.outlook(invitation=invitation, group=group, session_settings=session_settings)
    protocol = get_protocol(invitation.panel.experiment.protocol)
    clips = ngettext(*protocol.counted, outlook["clips"]) % {"n": outlook["clips"]}
    if outlook["practice"]:
        clips = gettext("%(clips)s and %(n)s for practice") % {"clips": clips, "n": outlook["practice"]}
    sentence = ngettext(
        "About %(minutes)s minute, %(clips)s, you can pause.",
        "About %(minutes)s minutes, %(clips)s, you can pause.",
        ceil(outlook["minutes"]),
    )
    return outlook | {"outlook": sentence % {"minutes": minutes_text(outlook["minutes"]), "clips": clips}}


def _remaining(seat: Seat, session_settings: SessionSettings) -> dict[str, Any]:
    """How far a participant is who comes back, and how long the rest takes, in a sentence each."""
    remaining = visits.remaining(ballot=seat.ballot, session_settings=session_settings)
    left = ngettext("About %(minutes)s minute left.", "About %(minutes)s minutes left.", ceil(remaining["minutes"]))
    return remaining | {
        "answered_of": _answered_of(seat.ballot.experiment, remaining["answered"], remaining["total"]),
        "minutes_left": left % {"minutes": minutes_text(remaining["minutes"])},
    }


def _answered_of(experiment: Experiment, answered: int | str, total: int) -> str:
    return ngettext(*get_protocol(experiment.protocol).answered_of, total) % {"answered": answered, "n": total}


def _enter(request: HttpRequest, invitation: Invitation, arrival: Arrival | None, seat: Seat | None) -> HttpResponse:
    device, now = describe_device(request.headers.get("User-Agent", "")), timezone.now()
    held = visits_held(request)
    if invitation.many and (code := request.POST.get("resume")):
        seat = visits.seat_of_code(experiment=invitation.panel.experiment, code=code)
        visit = visits.begin_visit(seat=seat, device=device, now=now, held=held)
    elif seat is not None:
        visits.check_resumable(seat=seat, arrival=arrival, held=held)
        visit = visits.begin_visit(seat=seat, device=device, now=now, held=held)
    elif eligibility.FIELD in request.POST:
        return _screened(request, invitation)
    elif eligibility.is_due(request, invitation):
        return _screening(request, invitation, eligibility.form_of(invitation))
    elif request.POST.get("agree"):
        who: dict[str, Any] = {"arrival": arrival, "held": held, "address": network_address(request)}
        who["text_sha256"] = request.POST.get("text", "")
        visit = visits.claim_seat(invitation=invitation, now=now, device=device, **who)
    else:
        raise AppError(
            "consent.missing",
            422,
            _("You have not agreed yet, and nothing is recorded. Open your link and agree."),
        )
    admit(request, visit)
    return redirect("listening:visit", visit_id=visit.id)


def _screened(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    """Lead on people who fit, and count the others; the browser keeps which it was, and the server nothing."""
    visits.check_claimable(invitation, now=timezone.now(), held=visits_held(request))
    if not eligibility.is_due(request, invitation):
        return redirect(request.get_full_path())
    form = eligibility.form_of(invitation, request.POST)
    if not form.is_valid():
        return _screening(request, invitation, form)
    outcome = eligibility.judge(invitation, form.values())
    return eligibility.remember(redirect(request.get_full_path()), invitation, outcome)


def _screening(request: HttpRequest, invitation: Invitation, form: QuestionnaireForm) -> HttpResponse:
    """The questions that come before the consent."""
    experiment, planned = invitation.panel.experiment, invitation.seat
    context = {
        "experiment": experiment,
        "texts": experiment,
        "form": form,
        "field": eligibility.FIELD,
        "for_many": invitation.many,
        "ballot_kind": planned.ballot.kind if planned else Ballot.Kind.MAIN,
    }
    return render(request, "listening/screening.html", context, status=422 if form.errors else 200)


def _task(experiment: Experiment, group: str) -> str:
    """What the people of a group do, where a protocol has groups that differ in it."""
    task = get_protocol(experiment.protocol).groups.tasks.get(group, "")
    return gettext(task) if task else ""


def _instructions(seat: Seat) -> dict[str, Any]:
    """The template of the protocol's instructions, and what they depend on: scales, options, the seat's group."""
    experiment = seat.ballot.experiment
    protocol = get_protocol(experiment.protocol)
    return {
        "protocol_template": f"{experiment.protocol}/instructions.html",
        "labels": labels_of(experiment),
        "options": {"plays_allowed": 1, **protocol.defaults, **experiment.options},
        "group": seat.panel.group,
    }


def own_page(protocol: str) -> dict[str, str]:
    """The markup, the sheet of keys and the style sheet of a protocol, each empty where it has none."""
    parts = {name: f"{protocol}/{name}.html" for name in ("page", "keys")}
    found = {f"protocol_{name}": part if _is_template(part) else "" for name, part in parts.items()}
    return found | {"protocol_style": style_of(protocol)}


@cache
def _is_template(name: str) -> bool:
    try:
        get_template(name)
    except TemplateDoesNotExist:
        return False
    return True


def _turned_away(request: HttpRequest, invitation: Invitation, error: AppError) -> HttpResponse:
    """Page for a person who cannot take part, with the code and the way back that their recruiting service needs."""
    experiment = invitation.panel.experiment
    back = way_back(experiment, full=isinstance(error, PanelFull)) if invitation.many else {}
    context = {"experiment": experiment, "sentence": error_message(error), "error_code": error.code, **back}
    return render(request, "listening/turned_away.html", context, status=error.status)


def _abandoned(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Page for a participant whose seat was released, or who was turned away by the headphone screen."""
    if is_turned_away(seat):
        return _without_headphones(request, seat)
    context = {
        "experiment": seat.ballot.experiment,
        "texts": texts_of(seat.ballot),
        "state": "abandoned",
        "may_come_again": visits.may_come_again(seat),
        "withdrawn": is_withdrawn(seat),
    }
    return render(request, "listening/join.html", context, status=410)


def _without_headphones(request: HttpRequest, seat: Seat) -> HttpResponse:
    recruited = Recruitment.objects.filter(participant=seat.participant_id).exists()
    context = {
        "experiment": seat.ballot.experiment,
        "sentence": gettext("Thank you for coming. This test needs headphones, and the check did not find them."),
        "checked": True,
        "error_code": "visit.no_headphones",
        **(way_back(seat.ballot.experiment, full=False) if recruited else {}),
    }
    return render(request, "listening/turned_away.html", context, status=410)


def _ask_for_code(request: HttpRequest, invitation: Invitation, error: AppError) -> HttpResponse:
    """Tell another browser than the one that began nothing of the seat, and let it show that it is the same person."""
    experiment = invitation.panel.experiment
    told = {"experiment": experiment, "texts": experiment}
    context = told | {"state": "elsewhere", "sentence": error_message(error)}
    return render(request, "listening/join.html", context, status=error.status)


@never_cache
@require_GET
@requires(Audience.PARTICIPANT)
def visit(request: HttpRequest, visit_id: UUID) -> HttpResponse:
    """The live page; everything that changes in it comes from the participant's API."""
    visit = visit_for(request, visit_id)
    experiment = visit.seat.ballot.experiment
    if visit.seat.state == Seat.State.FINISHED or is_withdrawn(visit.seat):
        return redirect("listening:receipt", visit_id=visit_id)
    if visit.seat.state == Seat.State.ABANDONED:
        return _abandoned(request, visit.seat)
    if place := questionnaires.place_due(visit.seat):
        return redirect("listening:questionnaire", visit_id=visit_id, place=place)
    progress, session_settings = visits.progress(visit=visit), session_settings_of(experiment)
    protocol = get_protocol(experiment.protocol)
    api = reverse("api:upcoming", args=[visit_id]).removesuffix("upcoming/")
    context = {
        "visit": visit,
        "experiment": experiment,
        "texts": texts_of(visit.seat.ballot),
        "ballot_kind": visit.seat.ballot.kind,
        **_instructions(visit.seat),
        **own_page(experiment.protocol),
        "config": {
            "api": api,
            "csrf": get_token(request),
            "seat": str(visit.seat_id),
            "rest_s": session_settings.rest_s,
            "level_check": session_settings.level_check,
            "revisable": protocol.access.revisable,
            "pages_each": protocol.pages_each,
            "answered_of": _answered_of(experiment, "{answered}", visits.counted(ballot=visit.seat.ballot)),
            **progress,
        },
        "total_trials": progress["total"],
        "consent": consent_to_copy(visit.seat.ballot),
        "resume_code": visits.resume_code_of(visit.seat),
    }
    return render(request, "listening/visit.html", context)


@never_cache
@require_GET
@requires(Audience.PARTICIPANT)
def receipt(request: HttpRequest, visit_id: UUID) -> HttpResponse:
    visit = visit_for(request, visit_id)
    completion = Completion.objects.filter(seat=visit.seat).first()
    if completion is None:
        return redirect("listening:visit", visit_id=visit_id)
    ballot = visit.seat.ballot
    back = way_back_of_receipt(completion, counts=ballot.kind == Ballot.Kind.MAIN)
    context = {
        "visit": visit,
        "experiment": ballot.experiment,
        "texts": texts_of(ballot),
        "completion": completion,
        "answers": ballot.trials.filter(answered=True, session__gt=0).count(),  # practice and examples are no answers
        "stored": ballot.vote_count,
        "root": completion_root(ballot),
        "ballot_kind": ballot.kind,
        "code": back["code"],
        "leads_back_to": back["url"],
        "withdrawn_at": ballot.abandoned_at,
        "may_withdraw": may_withdraw(ballot),
        "has_questions": visit.seat.question_answers.exists(),
        "consent": consent_to_copy(ballot),
    }
    return render(request, "listening/receipt.html", context)


@never_cache
@require_GET
@requires(Audience.PARTICIPANT)
def consent_copy(request: HttpRequest, visit_id: UUID) -> HttpResponse:
    """The text that was agreed to, to keep."""
    copy = copy_for_participant(visit_for(request, visit_id).seat.ballot)
    return HttpResponse(copy, content_type=PDF, headers={"Content-Disposition": 'attachment; filename="consent.pdf"'})


@posted_from("listening:receipt", "visit_id")
@requires(Audience.PARTICIPANT)
def withdraw(request: HttpRequest, visit_id: UUID) -> HttpResponse:
    withdrawal.withdraw(visit=visit_for(request, visit_id), now=timezone.now())
    return redirect("listening:receipt", visit_id=visit_id)
