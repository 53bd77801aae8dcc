"""Views of an experiment's questionnaire, for experimenters."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override
from django.views.decorators.http import require_http_methods

from core.errors import AppError
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from listening.panels.question_forms import KINDS, PLACES, QuestionForm
from listening.panels.services import question_editing
from listening.participation.question_forms import QuestionnaireForm
from rating.models import Experiment
from rating.question_definitions import QuestionUnfit, read_questions
from rating.questions import NO, READY, YES, Question
from rating.services.access import experiment_of

READY_TITLES = {
    "age_band": gettext_lazy("Age group"),
    "hearing": gettext_lazy("Hearing"),
    "equipment": gettext_lazy("Listening equipment"),
    "comment": gettext_lazy("Free comment"),
}


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def questions(request: HttpRequest, slug: str) -> HttpResponse:
    """The questionnaire with its preview (GET); POST ticks ready-made questions."""
    experiment = experiment_of(request, slug)
    if request.method == "POST":
        ticked = [name for name in request.POST.getlist("ready") if name in READY]
        return _changed(request, experiment, question_editing.tick_ready, ticked=ticked)
    asked = question_editing.by_place(experiment)
    present = {question.ready for each in asked.values() for question in each}
    context = {
        "experiment": experiment,
        "is_open": experiment.state == Experiment.State.DRAFT and experiment.may_change,
        "places": [
            {"name": place, "title": PLACES[place], "rows": _rows(each), "preview": preview_of(experiment, each)}
            for place, each in asked.items()
        ],
        "ready": [
            {"name": name, "title": READY_TITLES[name], "text": _(question.text), "ticked": name in present}
            for name, question in READY.items()
        ],
        "count": sum(len(each) for each in asked.values()),
        "tab": "questions",
    }
    return render(request, "listening/questions.html", context)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def question(request: HttpRequest, slug: str, key: str = "") -> HttpResponse:
    """Form of a new question or of one that is there, with its preview; POST saves it or only previews it."""
    experiment = experiment_of(request, slug)
    found = question_editing.question_of(experiment, key) if key else None
    taken = [each.key for each in read_questions(experiment.questions)]
    posted, initial = request.POST if request.method == "POST" else None, {"place": request.GET.get("place", "")}
    form = QuestionForm(posted, question=found, taken=taken, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            if "preview" not in request.POST:
                definition = form.definition()
                question_editing.put_question(
                    experiment=experiment, actor=staff(request), definition=definition, key=key
                )
                return redirect("listening:questions", slug=slug)
            [shown] = read_questions([form.definition()])
            found = shown
        except AppError as error:
            field = error.data.get("field") if isinstance(error, QuestionUnfit) else None
            form.add_error(field if field in form.fields else None, error_message(error))
    context = {
        "experiment": experiment,
        "form": form,
        "key": key,
        "is_open": experiment.state == Experiment.State.DRAFT and experiment.may_change,
        "preview": preview_of(experiment, [found]) if found else None,
        "ready_title": READY_TITLES.get(key),
        "tab": "questions",
    }
    return render(request, "listening/question.html", context)


@posted_from("listening:questions", "slug")
@requires(Audience.STAFF)
def move_question(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    up = request.POST.get("to") == "up"
    return _changed(request, experiment_of(request, slug), question_editing.move_question, key=key, up=up)


@posted_from("listening:questions", "slug")
@requires(Audience.STAFF)
def remove_question(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    return _changed(request, experiment_of(request, slug), question_editing.remove_question, key=key)


def _changed(request: HttpRequest, experiment: Experiment, change: Any, **fields: Any) -> HttpResponse:
    try:
        change(experiment=experiment, actor=staff(request), **fields)
    except AppError as error:
        messages.error(request, error_message(error))
    return redirect("listening:questions", slug=experiment.slug)


def _rows(questions: Sequence[Question]) -> list[dict[str, Any]]:
    return [
        {
            "question": question,
            "text": question.translated(_).text,
            "kind": KINDS[question.kind],
            "accepted": _accepted(question),
        }
        for question in questions
    ]


def _accepted(question: Question) -> str:
    """The answers that the screening accepts, in words."""
    if question.accepted:
        labels = {YES: _("Yes"), NO: _("No"), **dict(question.translated(_).options)}
        return ", ".join(labels[value] for value in question.accepted)
    limits = (question.accept_low, question.accept_high)
    return " … ".join("" if limit is None else f"{limit:g}" for limit in limits) if limits != (None, None) else ""


def preview_of(experiment: Experiment, questions: Sequence[Question]) -> QuestionnaireForm:
    """The form as participants see it, in the language of the experiment."""
    with override(experiment.language):
        return QuestionnaireForm(questions=[question.translated(_) for question in questions], saved={})
