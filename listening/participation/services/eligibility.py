"""Eligibility by screening questions before consent: accepted answers let a person in, others are only counted.

The outcome is kept in a signed cookie of the browser, so that nobody answers otherwise after being turned away. Another
browser, a private window or deleted cookies begin anew.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.hashing import digest
from listening.models import Invitation, TurnedAway
from listening.panels.services.seats import DRY_RUN
from listening.participation.question_forms import QuestionnaireForm
from listening.participation.services.questionnaires import questions_of
from rating.questions import Json, Place

FIELD = "screening"  # of the form, which tells its post from that of the consent
ACCEPTED, TURNED_AWAY = "accepted", "turned-away"
KEPT_S = 365 * 24 * 3600


class ScreenedOut(AppError):
    """A person whose answers are not accepted; the landing page thanks them and leads back."""

    def __init__(self) -> None:
        super().__init__(
            "screening.turned_away",
            409,
            _("Thank you for your interest. This study looks for other listeners, so you cannot take part in it."),
        )


def is_due(request: HttpRequest, invitation: Invitation) -> bool:
    """Whether this browser has to answer first. Raise ScreenedOut where it has been turned away."""
    if not questions_of(invitation.panel.experiment, Place.SCREENING):
        return False
    outcome = request.get_signed_cookie(_cookie(invitation), default="", salt=_salt(invitation), max_age=KEPT_S)
    if outcome == TURNED_AWAY:
        raise ScreenedOut
    return outcome != ACCEPTED


def form_of(invitation: Invitation, data: Mapping[str, Any] | None = None) -> QuestionnaireForm:
    return QuestionnaireForm(data, questions=questions_of(invitation.panel.experiment, Place.SCREENING), saved={})


def judge(invitation: Invitation, values: Mapping[str, Json]) -> str:
    """Whether these answers are accepted; of those that are not, one more is counted and nothing stored."""
    experiment = invitation.panel.experiment
    if all(question.lets_in(values[question.key]) for question in questions_of(experiment, Place.SCREENING)):
        return ACCEPTED
    if not _is_dry_run(invitation):
        with transaction.atomic():
            row, _made = TurnedAway.objects.get_or_create(experiment=experiment)
            TurnedAway.objects.filter(pk=row.pk).update(count=F("count") + 1)
    return TURNED_AWAY


def remember(response: HttpResponse, invitation: Invitation, outcome: str) -> HttpResponse:
    """Let the browser keep the outcome, for all links of the experiment; in a rehearsal for this link alone."""
    response.set_signed_cookie(
        _cookie(invitation),
        outcome,
        salt=_salt(invitation),
        max_age=KEPT_S,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def turned_away_count(experiment_id: UUID) -> int:
    return TurnedAway.objects.filter(experiment=experiment_id).values_list("count", flat=True).first() or 0


def _is_dry_run(invitation: Invitation) -> bool:
    return invitation.seat is not None and invitation.seat.ballot.kind in DRY_RUN


def _cookie(invitation: Invitation) -> str:
    of = invitation.pk if _is_dry_run(invitation) else invitation.panel.experiment_id
    return f"screening-{of.hex}"


def _salt(invitation: Invitation) -> str:
    """Other questions are another screening, as in the rehearsals of a draft."""
    asked = [each for each in invitation.panel.experiment.questions if each["place"] == Place.SCREENING]
    return f"listening.screening/{digest(asked)}"
