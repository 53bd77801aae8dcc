"""Questions of an experiment: made, changed, ordered and removed in a draft, fixed afterwards, by page and by API."""

from typing import Any

import pytest
from django.test import Client

from core.errors import AppError
from core.models import AuditEntry
from listening.panels.services.copying import copy_experiment
from listening.panels.services.question_editing import change_questions
from rating.models import Experiment
from rating.question_definitions import QuestionUnfit, read_questions
from tests.factories import make_experiment, make_user
from tests.people import browser_of

pytestmark = pytest.mark.django_db

OWN: dict[str, Any] = {"key": "own", "place": "before", "kind": "one", "text": "Which?", "options": ["This", "That"]}


def draft(**parts: Any) -> tuple[Experiment, Client]:
    experiment = make_experiment(live=False, **parts)
    return experiment, browser_of(experiment.owner)


def keys(experiment: Experiment) -> list[str]:
    experiment.refresh_from_db()
    return [question.key for question in read_questions(experiment.questions)]


def test_ready_made_questions_are_ticked_own_ones_added_and_all_of_them_ordered_and_removed() -> None:
    experiment, client = draft()
    base = f"/experiments/{experiment.slug}/questions/"
    client.post(base, {"ready": ["age_band", "comment", "nonsense"]})
    assert keys(experiment) == ["age_band", "comment"]
    typed = {
        "text": "Which do you like?",
        "kind": "several",
        "place": "before",
        "options": "Tea\r\n\r\nMilk\r\n",
        "low": "1",
    }
    assert client.post(f"{base}new/", typed).status_code == 302
    assert keys(experiment) == ["age_band", "comment", "which_do_you_like"]
    assert experiment.questions[2]["options"] == ["Tea", "Milk"]
    assert experiment.questions[2]["required"] is False
    client.post(f"{base}of/which_do_you_like/move/", {"to": "up"})  # over the one of the same place
    assert keys(experiment) == ["which_do_you_like", "comment", "age_band"]
    client.post(base, {"ready": ["age_band"]})
    assert keys(experiment) == ["which_do_you_like", "age_band"]
    client.post(f"{base}of/age_band/remove/")
    assert keys(experiment) == ["which_do_you_like"]
    page = client.get(base).content.decode()
    assert "Which do you like?" in page
    assert "Question 1 of 1" in page  # the preview
    assert AuditEntry.objects.filter(action="experiment.edited").count() == 5


def test_a_wrong_question_is_refused_beside_its_field_and_a_preview_saves_nothing() -> None:
    experiment, client = draft()
    address = f"/experiments/{experiment.slug}/questions/new/"
    typed = {"text": "Which?", "kind": "one", "place": "after", "options": "Tea"}
    page = client.post(address, typed).content.decode()
    assert "there are 2 to 30 options." in page
    assert 'id="id_options_error"' in page
    page = client.post(address, typed | {"options": "Tea\nMilk", "preview": "1"}).content.decode()
    assert page.count('type="radio"') == 2
    assert keys(experiment) == []


UNFIT: list[Any] = [
    {},
    "text",
    OWN | {"key": "Own"},
    OWN | {"key": "subject_id"},
    OWN | {"key": "age_band"},
    OWN | {"kind": "essay"},
    OWN | {"place": "later"},
    OWN | {"text": " "},
    OWN | {"options": ["This", "This"]},
    OWN | {"options": ["This", "a|b"]},
    OWN | {"unit": "h"},
    OWN | {"required": 1},
    {"ready": "shoe_size"},
    {"ready": "age_band", "text": "How old?"},
    {"key": "n", "place": "before", "kind": "number", "text": "How many?", "low": 2, "high": 1},
    {"key": "n", "place": "before", "kind": "number", "text": "How many?", "low": float("nan")},
    {"key": "s", "place": "before", "kind": "scale", "text": "How good?", "low": 1, "high": 12},
    {"key": "s", "place": "before", "kind": "scale", "text": "How good?", "low": 1},
    {"key": "t", "place": "before", "kind": "short_text", "text": "Who?", "longest": 201},
]


@pytest.mark.parametrize("definition", UNFIT, ids=str)
def test_what_is_no_definition_is_refused(definition: Any) -> None:
    with pytest.raises(QuestionUnfit):
        read_questions([definition])


def test_two_questions_have_two_names() -> None:
    with pytest.raises(QuestionUnfit, match="same name"):
        read_questions([OWN, OWN])


def test_questions_are_part_of_the_design_and_fixed_once_it_is_live() -> None:
    plain, asking = make_experiment(seats=1), make_experiment(seats=1, questions=[OWN])
    assert asking.design_sha256
    assert plain.design_sha256 != asking.design_sha256
    with pytest.raises(AppError, match="needs it to be draft"):
        change_questions(experiment=asking, actor=asking.owner, questions=[])
    page = browser_of(asking.owner).get(f"/experiments/{asking.slug}/questions/").content.decode()
    assert "The questions are fixed since the experiment went live." in page
    assert "Add a question" not in page


def test_a_copy_has_the_questions() -> None:
    experiment, _client = draft(questions=[OWN, {"ready": "hearing"}])
    copy = copy_experiment(experiment=experiment, actor=make_user())
    assert copy.questions == experiment.questions


def test_the_api_reads_and_replaces_all_questions() -> None:
    experiment, client = draft(questions=[OWN])
    address = f"/api/v1/experiments/{experiment.slug}/questions/"
    assert client.get(address).json() == {"questions": experiment.questions}
    body = {"questions": [{"ready": "hearing"}, OWN | {"required": False}]}
    answer = client.put(address, body, content_type="application/json")
    assert answer.status_code == 200
    assert keys(experiment) == ["hearing", "own"]
    wrong = client.put(address, {"questions": [OWN, OWN]}, content_type="application/json")
    assert (wrong.status_code, wrong.json()["code"]) == (422, "questions.unfit")
    assert keys(experiment) == ["hearing", "own"]
