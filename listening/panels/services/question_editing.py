"""Changes of an experiment's questionnaire, while it is a draft."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from listening.models import QuestionAnswer
from rating.models import Experiment
from rating.question_definitions import read_questions
from rating.questions import READY, Place, Question
from rating.services.editing import edit_experiment
from rating.services.experiments import locked


@transaction.atomic
def change_questions(*, experiment: Experiment, actor: User, questions: Sequence[dict[str, Any]]) -> Experiment:
    """Replace all questions. Rehearsals' answers to a question that changed are deleted: they belong to other words."""
    before = {question.key: question for question in read_questions(locked(experiment).questions)}
    after = {question.key: question for question in read_questions(list(questions))}
    stored = [question.stored() for question in after.values()]
    experiment = edit_experiment(experiment=experiment, actor=actor, questions=stored)
    stale = [key for key, question in before.items() if after.get(key) != question]
    QuestionAnswer.objects.filter(seat__panel__experiment=experiment, question__in=stale).delete()
    return experiment


def tick_ready(*, experiment: Experiment, actor: User, ticked: Sequence[str]) -> Experiment:
    """Add the ready-made questions that were ticked, and remove those that no longer are."""
    kept = [question for question in _read(experiment) if not question.ready or question.ready in ticked]
    present = {question.ready for question in kept}
    added = [READY[name] for name in READY if name in ticked and name not in present]
    return _replace(experiment, actor, [*kept, *added])


def put_question(*, experiment: Experiment, actor: User, definition: dict[str, Any], key: str = "") -> Experiment:
    """Add a question at the end, or put it in the place of the one called `key`."""
    stored = [question.stored() for question in _read(experiment)]
    if not key:
        return change_questions(experiment=experiment, actor=actor, questions=[*stored, definition])
    keys = [question.key for question in _read(experiment)]
    at = keys.index(question_of(experiment, key).key)
    return change_questions(experiment=experiment, actor=actor, questions=[*stored[:at], definition, *stored[at + 1 :]])


def remove_question(*, experiment: Experiment, actor: User, key: str) -> Experiment:
    gone = question_of(experiment, key)
    return _replace(experiment, actor, [question for question in _read(experiment) if question != gone])


def move_question(*, experiment: Experiment, actor: User, key: str, up: bool) -> Experiment:
    """Let a question and its neighbour of the same place change places; the first and the last stay."""
    questions, moved = _read(experiment), question_of(experiment, key)
    same = [at for at, question in enumerate(questions) if question.place is moved.place]
    at = questions.index(moved)
    there = same.index(at) + (-1 if up else 1)
    if 0 <= there < len(same):
        questions[at], questions[same[there]] = questions[same[there]], questions[at]
    return _replace(experiment, actor, questions)


def question_of(experiment: Experiment, key: str) -> Question:
    found = next((question for question in _read(experiment) if question.key == key), None)
    if found is None:
        raise AppError("questions.missing", 404, _("The experiment has no question called '{key}'."), key=key[:40])
    return found


def by_place(experiment: Experiment) -> dict[Place, list[Question]]:
    """All questions, in the order in which they are asked."""
    return {place: [question for question in _read(experiment) if question.place is place] for place in Place}


def _read(experiment: Experiment) -> list[Question]:
    return read_questions(experiment.questions)


def _replace(experiment: Experiment, actor: User, questions: Sequence[Question]) -> Experiment:
    return change_questions(experiment=experiment, actor=actor, questions=[question.stored() for question in questions])
