"""Answers to questionnaires: the download with its codebook, and counts for the page of results."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from analysis import datasets
from analysis.exports import csv_lines, subject_id
from analysis.services.exports import filled, note_download
from core.models import User
from listening.models import QuestionAnswer
from rating.models import Experiment
from rating.question_definitions import read_questions
from rating.questions import CHOICES, NO, SEPARATOR, YES, Json, Kind, Place, Question

COLUMNS = {
    "subject_id": "The participant's pseudonym, as in the other files.",
    "panel": "The number of the panel.",
    "seat": "The number of the seat in the panel.",
    "row_type": "main or simulated.",
    "handed_in_at": "When the last of the answers was handed in.",
}
ANONYMOUS = "Answers in free text are left out of this edition."


def export_questionnaire(
    *, experiment: Experiment, actor: User, simulated: bool, anonymous: bool = False
) -> Iterator[str]:
    """Return one row a listener, one column a question. The anonymous edition has no free text."""
    what = "questionnaire without free text" if anonymous else "questionnaire"
    lines = filled(questionnaire_lines(experiment, simulated=simulated, anonymous=anonymous))
    note_download(experiment=experiment, actor=actor, simulated=simulated, what=what)
    return lines


def questionnaire_lines(
    experiment: Experiment,
    *,
    simulated: bool,
    anonymous: bool,
    cells: Mapping[UUID, Mapping[str, str]] | None = None,
    columns: Sequence[str] = (),
) -> Iterator[str]:
    """The answers as CSV; `cells` take the place of what a person answered."""
    asked = asked_questions(experiment, anonymous=anonymous)
    rows = _rows(experiment, asked, simulated=simulated, cells=cells or {})
    return csv_lines(rows, columns=columns or [*COLUMNS, *(question.key for question in asked)])


def _rows(
    experiment: Experiment, asked: Sequence[Question], *, simulated: bool, cells: Mapping[UUID, Mapping[str, str]]
) -> Iterator[dict[str, Any]]:
    given = _answers(experiment, simulated=simulated)
    for ballot in datasets.counted_ballots(experiment, simulated=simulated):
        if answers := given.get(ballot.ballot):
            yield {
                "subject_id": subject_id(ballot.participant, ballot.ballot),
                "panel": ballot.panel,
                "seat": ballot.seat,
                "row_type": ballot.kind,
                "handed_in_at": max(answer.handed_in_at for answer in answers.values()),  # type: ignore[type-var]
                **{question.key: _cell(answers.get(question.key)) for question in asked},
                **{name: cell for name, cell in cells.get(ballot.ballot, {}).items() if name in answers},
            }


def personal_answers(experiment: Experiment, *, simulated: bool) -> tuple[list[str], dict[UUID, dict[str, str]]]:
    """What could tell who a person is, by ballot: the answers before the clips and to ready-made questions."""
    asked = [
        question
        for question in asked_questions(experiment, anonymous=True)
        if question.place is Place.BEFORE or question.ready
    ]
    answers = _answers(experiment, simulated=simulated)
    return [question.key for question in asked], {
        ballot: {question.key: _as_text(_cell(own.get(question.key))) for question in asked}
        for ballot, own in answers.items()
    }


def _as_text(cell: Json) -> str:
    return "" if cell is None else str(cell)


def _answers(experiment: Experiment, *, simulated: bool) -> dict[UUID, dict[str, QuestionAnswer]]:
    """What was handed in on the ballots that count."""
    ballots = datasets.counted(experiment, simulated=simulated)
    found: dict[UUID, dict[str, QuestionAnswer]] = {}
    rows = QuestionAnswer.objects.filter(seat__ballot__in=ballots, handed_in_at__isnull=False).select_related("seat")
    for row in rows:
        found.setdefault(row.seat.ballot_id, {})[row.question] = row
    return found


def _cell(answer: QuestionAnswer | None) -> Json:
    value = answer.value if answer else None
    return SEPARATOR.join(value) if isinstance(value, list) else value


def asked_questions(experiment: Experiment, *, anonymous: bool = False) -> list[Question]:
    """The questions whose answers are stored, in the order of the columns: those before the clips first."""
    questions = read_questions(experiment.questions)
    ordered = [question for place in (Place.BEFORE, Place.AFTER) for question in questions if question.place is place]
    return [question for question in ordered if not (anonymous and question.is_text)]


def codebook(experiment: Experiment, *, anonymous: bool = False) -> dict[str, Any]:
    """What the columns are, as the sidecar of the file says it: in English, and own questions as written."""
    questions = {question.key: _described(question) for question in asked_questions(experiment, anonymous=anonymous)}
    note = {"note": ANONYMOUS} if anonymous else {}
    return {"columns": {**COLUMNS, **questions}, **note}


def _described(question: Question) -> dict[str, Any]:
    told: dict[str, Any] = {"text": question.text, "kind": question.kind, "place": question.place}
    told |= {"required": question.required, "empty": "not answered"}
    if question.kind in CHOICES:
        told["options"] = dict(question.options)
    if question.kind is Kind.YES_NO:
        told["options"] = {YES: "Yes", NO: "No"}
    if question.kind is Kind.SEVERAL:
        told["separator"] = SEPARATOR
    for name in ("help", "unit", "low", "high", "low_label", "high_label"):
        if (value := getattr(question, name)) not in (None, ""):
            told[name] = value
    return told


# --- Counts for the page of results -----------------------------------------------------------------------------------


def summary(experiment: Experiment, *, simulated: bool) -> list[dict[str, Any]]:
    """Each question with the number of answers and their counts or range; texts are only counted."""
    asked, given = asked_questions(experiment), _answers(experiment, simulated=simulated)
    shown = []
    for question in asked:
        handed_in = [answers[question.key].value for answers in given.values() if question.key in answers]
        values = [value for value in handed_in if value is not None]
        shown.append(
            {
                "text": question.translated(gettext).text,
                "key": question.key,
                "answered": len(values),
                "of": len(handed_in),
                "is_text": question.is_text,
                "unit": question.unit,
                "counts": _counts(question, values),
                "range": _range(values) if question.kind is Kind.NUMBER and values else None,
            }
        )
    return shown


def _counts(question: Question, values: Sequence[Json]) -> list[tuple[str, int]]:
    counted = Counter(str(each) for value in values for each in (value if isinstance(value, list) else [value]))
    return [(label, counted[value]) for value, label in _options(question.translated(gettext))]


def _options(question: Question) -> Sequence[tuple[str, str]]:
    if question.kind is Kind.YES_NO:
        return [(YES, gettext("Yes")), (NO, gettext("No"))]
    if question.kind is Kind.SCALE:
        return [(str(point), str(point)) for point in range(int(question.low or 0), int(question.high or 0) + 1)]
    return question.options


def _range(values: Sequence[float]) -> Mapping[str, float]:
    return {"least": min(values), "median": median(values), "most": max(values)}
