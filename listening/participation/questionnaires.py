"""View of the participant's questionnaires, before the first clip and after the last."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from core.permissions import Audience, requires
from listening.models import Visit
from listening.participation.access import visit_for
from listening.participation.question_forms import PREFIX, QuestionnaireForm
from listening.participation.services import questionnaires, visits
from rating.questions import Place
from rating.services.texts import texts_of


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Audience.PARTICIPANT)
def questionnaire(request: HttpRequest, visit_id: UUID, place: str) -> HttpResponse:
    """Ask (GET), or hand the answers in (POST). Each answer is saved before that, as it is given."""
    visit = visit_for(request, visit_id)
    asked = questionnaires.place_due(visit.seat)
    if asked is None or asked != place:
        return redirect("listening:visit", visit_id=visit_id)  # which leads to whatever is next
    questions = questionnaires.questions_of(visit.seat.ballot.experiment, asked)
    saved = questionnaires.saved_answers(visit.seat, asked)
    form = QuestionnaireForm(request.POST if request.method == "POST" else None, questions=questions, saved=saved)
    if not form.is_valid():
        return _page(request, visit, asked, form)
    now = timezone.now()
    questionnaires.hand_in(visit=visit, place=asked, values=form.values(), now=now)
    if asked is Place.BEFORE:
        return redirect("listening:visit", visit_id=visit_id)
    visits.finish_visit(visit=visit, now=now)
    return redirect("listening:receipt", visit_id=visit_id)


def _page(request: HttpRequest, visit: Visit, place: Place, form: QuestionnaireForm) -> HttpResponse:
    ballot = visit.seat.ballot
    context = {
        "experiment": ballot.experiment,
        "texts": texts_of(ballot),
        "ballot_kind": ballot.kind,
        "place": place,
        "form": form,
        "config": {
            "api": reverse("api:questions_of_visit", args=[visit.pk]),
            "csrf": get_token(request),
            "kept": f"{visit.seat_id} {place}",
            "prefix": f"{PREFIX}-",
        },
    }
    return render(request, "listening/questionnaire.html", context, status=422 if form.errors else 200)
