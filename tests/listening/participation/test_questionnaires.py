"""Questionnaires: asked before the first clip and after the last, saved as they are given, handed in once."""

from typing import Any

import pytest
from django.test import Client

from listening.models import Completion, Participant, QuestionAnswer, Seat
from listening.panels.services.question_editing import change_questions
from listening.panels.services.seats import reissue_seat
from rating.models import Experiment
from tests.factories import Sitting, make_experiment, new_token, opened, sit_down

pytestmark = pytest.mark.django_db

HOURS: dict[str, Any] = {
    "key": "hours",
    "place": "before",
    "kind": "number",
    "text": "How long did you sleep?",
    "low": 0,
    "high": 24,
    "unit": "h",
}
DEVICES = {
    "key": "devices",
    "place": "before",
    "kind": "several",
    "text": "Which do you own?",
    "options": ["Radio", "Hi-fi", "Phone"],
    "high": 2,
    "required": False,
}
TIRED = {"key": "tired", "place": "after", "kind": "scale", "text": "How tired are you?", "low": 1, "high": 5}
QUESTIONS: list[dict[str, Any]] = [{"ready": "age_band"}, HOURS, DEVICES, TIRED, {"ready": "comment"}]
BEFORE = {"q-age_band": "25_34", "q-hours": "7.5", "q-devices": ["Radio", "Phone"]}


def asking(questions: list[dict[str, Any]] = QUESTIONS, *, seats: int = 1, **parts: Any) -> Experiment:
    """A live experiment with these questions."""
    return make_experiment(seats=seats, questions=questions, **parts)


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return asking()


def page_of(sitting: Sitting, place: str) -> str:
    return f"/visits/{sitting.visit.id}/questions/{place}/"


def visit_page(sitting: Sitting) -> Any:
    return sitting.client.get(f"/visits/{sitting.visit.id}/")


def save(sitting: Sitting, question: str, value: Any) -> Any:
    body = {"question": question, "value": value}
    return sitting.client.post(f"{sitting.api}questions/", body, content_type="application/json")


def given() -> dict[str, Any]:
    return dict(QuestionAnswer.objects.filter(handed_in_at__isnull=False).values_list("question", "value"))


def finished(sitting: Sitting) -> None:
    sitting.client.post(page_of(sitting, "before"), BEFORE)
    sitting.answer_all()
    sitting.client.post(page_of(sitting, "after"), {"q-tired": "2", "q-comment": "The third was loud."})


def test_the_way_leads_from_consent_over_the_questions_to_the_clips_and_over_the_others_to_the_receipt(
    experiment: Experiment,
) -> None:
    sitting = sit_down(experiment)
    assert visit_page(sitting).headers["Location"] == page_of(sitting, "before")
    page = sitting.client.get(page_of(sitting, "before")).content.decode()
    assert "3 questions" in page
    assert "Question 3 of 3" in page
    assert "How tired are you?" not in page
    assert sitting.client.get(page_of(sitting, "after")).status_code == 302  # not yet
    answer = sitting.client.post(page_of(sitting, "before"), BEFORE)
    assert answer.headers["Location"] == f"/visits/{sitting.visit.id}/"
    assert given() == {"age_band": "25_34", "hours": 7.5, "devices": ["Radio", "Phone"]}
    assert visit_page(sitting).status_code == 200
    sitting.answer_all()
    assert sitting.client.post(f"{sitting.api}finish/").json() == {"questions_url": page_of(sitting, "after")}
    assert Completion.objects.count() == 0
    assert visit_page(sitting).headers["Location"] == page_of(sitting, "after")
    answer = sitting.client.post(page_of(sitting, "after"), {"q-tired": "2", "q-comment": ""})
    assert answer.headers["Location"] == f"/visits/{sitting.visit.id}/receipt/"
    assert given() == {"age_band": "25_34", "hours": 7.5, "devices": ["Radio", "Phone"], "tired": 2, "comment": None}
    assert Completion.objects.count() == 1


def test_the_landing_page_counts_the_questions(experiment: Experiment) -> None:
    page = Client().get(f"/join/{new_token(experiment)}/").content.decode()
    assert "There are also 5 short questions." in page


def test_what_is_missing_or_unfit_is_said_beside_its_field_and_what_was_given_is_kept(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    wrong = {"q-hours": "30", "q-devices": ["Radio", "Hi-fi", "Phone"]}
    answer = sitting.client.post(page_of(sitting, "before"), wrong)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "3 answers are missing or do not fit." in page
    assert page.count('class="errorlist"') == 3
    assert "Please answer this question." in page
    assert "Choose at most 2." in page
    assert 'value="30"' in page
    assert 'aria-invalid="true"' in page
    assert given() == {}
    assert visit_page(sitting).status_code == 302


def test_an_answer_is_saved_as_it_is_given_and_shown_again_after_a_reload(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    assert save(sitting, "age_band", "25_34").status_code == 200
    assert save(sitting, "devices", ["Phone"]).status_code == 200
    assert save(sitting, "hours", "7").status_code == 200
    assert save(sitting, "hours", "").status_code == 200  # a change of mind
    page = sitting.client.get(page_of(sitting, "before")).content.decode()
    assert page.count(" checked") == 2
    assert given() == {}  # a draft counts nowhere
    assert visit_page(sitting).status_code == 302


UNFIT: list[tuple[str, Any, int]] = [
    ("age_band", "90", 422),
    ("age_band", ["25_34"], 422),
    ("age_band", None, 400),
    ("hours", "25", 422),
    ("hours", 7, 422),
    ("hours", "nan", 422),
    ("devices", "Radio", 422),
    ("devices", [["Radio"]], 422),
    ("comment", "x" * 2001, 422),
    ("comment", "\0", 400),
    ("nothing", "x", 404),
]


def test_what_is_no_answer_is_refused(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    found = [(question, value, save(sitting, question, value).status_code) for question, value, _status in UNFIT]
    assert found == UNFIT
    assert QuestionAnswer.objects.count() == 0


def test_what_was_handed_in_stays(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    sitting.client.post(page_of(sitting, "before"), BEFORE)
    assert save(sitting, "hours", "3").json()["code"] == "questions.handed_in"
    assert sitting.client.post(page_of(sitting, "before"), BEFORE | {"q-hours": "3"}).status_code == 302
    assert given()["hours"] == 7.5


def test_nobody_else_reads_or_writes_them() -> None:
    sitting = sit_down(asking(seats=2))
    stranger = sit_down(sitting.ballot.experiment)
    assert stranger.client.get(page_of(sitting, "before")).status_code == 401
    body = {"question": "age_band", "value": "25_34"}
    answer = stranger.client.post(f"{sitting.api}questions/", body, content_type="application/json")
    assert answer.status_code == 401


def test_a_released_seat_takes_no_answers_and_its_successor_begins_anew(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    save(sitting, "age_band", "25_34")
    reissue_seat(seat=sitting.visit.seat, now=sitting.visit.created_at, actor=sitting.ballot.experiment.owner)
    assert save(sitting, "age_band", "18_24").status_code == 410
    successor = Seat.objects.get(state=Seat.State.OPEN)
    assert not successor.question_answers.exists()


def test_withdrawing_deletes_the_answers_and_so_does_deleting_the_participant() -> None:
    sitting = sit_down(asking(seats=2))
    other = sit_down(sitting.ballot.experiment)
    finished(sitting)
    finished(other)
    page = sitting.client.get(f"/visits/{sitting.visit.id}/receipt/").content.decode()
    assert "Your answers to the short questions are deleted." in page
    sitting.client.post(f"/visits/{sitting.visit.id}/withdraw/")
    assert set(QuestionAnswer.objects.values_list("seat", flat=True)) == {other.visit.seat_id}
    Participant.objects.get(seat=other.visit.seat).delete()
    assert QuestionAnswer.objects.count() == 0


def test_ready_made_questions_are_in_the_language_of_the_experiment_and_own_ones_as_written() -> None:
    sitting = sit_down(asking(language="fr"))
    page = sitting.client.get(page_of(sitting, "before")).content.decode()
    assert "How old are you?" not in page
    assert "How long did you sleep?" in page
    assert sitting.client.post(page_of(sitting, "before"), BEFORE | {"q-hours": "7,5"}).status_code == 302
    assert given()["hours"] == 7.5


def test_a_changed_question_is_asked_again_in_a_rehearsal_and_an_unchanged_one_keeps_its_answer() -> None:
    experiment = make_experiment(live=False, seats=1, questions=[{"ready": "age_band"}, HOURS])
    sitting = sit_down(opened(experiment))
    sitting.client.post(page_of(sitting, "before"), BEFORE)
    Experiment.objects.filter(pk=experiment.pk).update(state="draft", design_sha256="")
    again: list[dict[str, Any]] = [{"ready": "age_band"}, HOURS | {"text": "How long did you sleep last night?"}]
    change_questions(experiment=experiment, actor=experiment.owner, questions=again)
    assert given() == {"age_band": "25_34"}
    assert visit_page(sitting).headers["Location"] == page_of(sitting, "before")
