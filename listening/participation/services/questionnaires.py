"""Questionnaires of participants: which is due, drafts of answers, and handing them in."""

from collections.abc import Mapping
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from listening.models import QuestionAnswer, Seat, Visit
from listening.panels.services.seats import touch
from listening.participation.access import seat_abandoned
from listening.participation.question_forms import checked_value
from rating.models import Ballot, Experiment
from rating.question_definitions import read_questions
from rating.questions import Json, Place, Question


def questions_of(experiment: Experiment, place: Place) -> list[Question]:
    """The questions of one place in the language of the page."""
    asked = (question for question in read_questions(experiment.questions) if question.place is place)
    return [question.translated(gettext) for question in asked]


def is_due(seat: Seat, place: Place) -> bool:
    """Whether this seat's listener still has to hand in the questionnaire of this place."""
    keys = [question.key for question in questions_of(seat.ballot.experiment, place)]
    if not keys:
        return False
    handed_in = seat.question_answers.filter(question__in=keys, handed_in_at__isnull=False)
    return handed_in.count() < len(keys)


def place_due(seat: Seat) -> Place | None:
    """The questionnaire that comes next, if one does."""
    if is_due(seat, Place.BEFORE):
        return Place.BEFORE
    return Place.AFTER if after_is_due(seat) else None


def after_is_due(seat: Seat) -> bool:
    """Whether every clip is answered and the questions after them are not."""
    return is_due(seat, Place.AFTER) and not seat.ballot.trials.unanswered().exists()


def saved_answers(seat: Seat, place: Place) -> dict[str, Json]:
    keys = [question.key for question in questions_of(seat.ballot.experiment, place)]
    return dict(seat.question_answers.filter(question__in=keys).values_list("question", "value"))


@transaction.atomic(durable=True)
def save_answer(*, visit: Visit, key: str, given: Json, now: datetime) -> None:
    """Keep one answer as a draft, which a reload of the page shows again."""
    seat, questions = _locked(visit), read_questions(visit.seat.ballot.experiment.questions)
    question = next((each for each in questions if each.key == key), None)
    if question is None or question.place is Place.SCREENING:
        raise AppError(
            "questions.unknown", 404, _("This test has no such question. Reload the page to see its questions.")
        )
    if not is_due(seat, question.place):
        raise AppError(
            "questions.handed_in", 409, _("These answers are handed in and can no longer be changed. Reload the page.")
        )
    try:
        value = checked_value(question.translated(gettext), given)
    except ValidationError as error:
        raise AppError(
            "questions.answer_unfit",
            422,
            _("The answer does not fit the question: {problem}"),
            problem=" ".join(error.messages),
        ) from None
    _write(seat, {key: value}, now=now, handed_in_at=None)
    touch(visit=visit, now=now)


@transaction.atomic(durable=True)
def hand_in(*, visit: Visit, place: Place, values: Mapping[str, Json], now: datetime) -> None:
    """Take the checked answers of a whole questionnaire as final; a second time changes nothing."""
    seat = _locked(visit)
    if is_due(seat, place):
        _write(seat, values, now=now, handed_in_at=now)
    touch(visit=visit, now=now)


def _locked(visit: Visit) -> Seat:
    """The seat, under its ballot's lock, which also guards its release, its withdrawal and its receipt."""
    Ballot.objects.select_for_update().get(pk=visit.seat.ballot_id)
    seat = Seat.objects.select_related("ballot__experiment").get(pk=visit.seat_id)
    if seat.state == Seat.State.ABANDONED:
        raise seat_abandoned()
    return seat


def _write(seat: Seat, values: Mapping[str, Json], *, now: datetime, handed_in_at: datetime | None) -> None:
    for key, value in values.items():
        fields = {"value": value, "saved_at": now, "handed_in_at": handed_in_at, "participant": seat.participant}
        QuestionAnswer.objects.update_or_create(seat=seat, question=key, defaults=fields)
