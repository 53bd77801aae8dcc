"""Screening before consent: who fits goes on to the consent, who does not is thanked, counted and not asked again."""

from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from listening.models import Participant, QuestionAnswer, Recruitment, Seat, Visit
from listening.panels.services import monitoring, panels
from listening.panels.services.session_settings import change_session_settings
from listening.participation.services.eligibility import turned_away_count
from rating.models import Consent, Experiment
from rating.question_definitions import QuestionUnfit, read_questions
from tests.factories import make_experiment, new_token

pytestmark = pytest.mark.django_db

AGE: dict[str, Any] = {
    "key": "age",
    "place": "screening",
    "kind": "number",
    "text": "How old are you?",
    "accept_low": 18,
}
HEARING = {"ready": "hearing", "place": "screening", "accepted": ["normal"]}
FITS = {"screening": "yes", "q-age": "18", "q-hearing": "normal"}
TOO_YOUNG = "17.03125"  # stands nowhere by chance
OTHERS = FITS | {"q-age": TOO_YOUNG}


def screening(**parts: Any) -> Experiment:
    return make_experiment(seats=2, questions=[AGE, HEARING, {"ready": "age_band"}], **parts)


def turned_away(page: str) -> bool:
    return "This study looks for other listeners" in page


def test_who_fits_reads_the_consent_and_takes_a_seat() -> None:
    experiment = screening()
    client, link = Client(), f"/join/{new_token(experiment)}/"
    page = client.get(link).content.decode()
    assert "2 questions first" in page
    assert "Agree and begin" not in page
    assert client.post(link, {"agree": "yes"}).status_code == 200  # the questions again, and no seat
    assert Visit.objects.count() == 0
    assert client.post(link, {"screening": "yes", "q-age": "18"}).status_code == 422
    assert client.post(link, FITS).headers["Location"] == link
    page = client.get(link).content.decode()
    assert "Agree and begin" in page
    assert "There is also 1 short question." in page
    assert client.post(link, {"agree": "yes"}).status_code == 302
    assert Visit.objects.count() == 1
    assert QuestionAnswer.objects.count() == 0
    assert turned_away_count(experiment.pk) == 0


def test_who_does_not_fit_is_thanked_with_the_code_and_leaves_nothing_but_a_count() -> None:
    experiment = screening()
    back = {"screen_out_code": "OUT1", "screen_out_url": "https://example.org/?cc={code}"}
    change_session_settings(experiment=experiment, actor=experiment.owner, **back)
    now = timezone.now()
    token = panels.invite_many(experiment=experiment, now=now, actor=experiment.owner, service="prolific")
    client, link = Client(), f"/join/{token}/?PROLIFIC_PID=abc"
    client.get(link)
    assert client.post(link, OTHERS).status_code == 302
    answer = client.get(link)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert turned_away(page)
    assert "https://example.org/?cc=OUT1" in page
    assert "Nothing was recorded." in page
    assert turned_away_count(experiment.pk) == 1
    assert not Seat.objects.exclude(state=Seat.State.OPEN).exists()
    assert not any(model.objects.exists() for model in (Participant, Recruitment, Visit, Consent, QuestionAnswer))
    assert not any(TOO_YOUNG in str(session.get_decoded()) for session in Session.objects.all())
    status = monitoring.experiment_status(experiment=experiment, now=timezone.now())
    assert status["turned_away"] == 1


def test_the_same_browser_cannot_answer_otherwise_afterwards_by_whatever_link() -> None:
    experiment = screening()
    client, link = Client(), f"/join/{new_token(experiment)}/"
    client.post(link, OTHERS)
    for again in (FITS, {"agree": "yes"}):
        assert turned_away(client.post(link, again).content.decode())
    assert turned_away(client.get(f"/join/{new_token(experiment)}/").content.decode())
    assert Visit.objects.count() == 0
    assert turned_away_count(experiment.pk) == 1
    forged = Client()
    forged.cookies[f"screening-{experiment.pk.hex}"] = "accepted"
    assert "2 questions first" in forged.get(link).content.decode()


def test_a_rehearsal_is_not_counted_and_another_link_asks_anew() -> None:
    experiment = screening(live=False)
    tokens = panels.rehearse(experiment=experiment, count=2, now=timezone.now(), actor=experiment.owner)
    (first, second), client = (f"/join/{token}/" for token in tokens), Client()
    client.post(first, OTHERS)
    assert turned_away(client.get(first).content.decode())
    assert "2 questions first" in client.get(second).content.decode()
    assert turned_away_count(experiment.pk) == 0


UNFIT: list[Any] = [
    AGE | {"accept_low": None},
    AGE | {"accept_low": 20, "accept_high": 18},
    {"ready": "hearing", "place": "screening"},
    HEARING | {"accepted": ["perfect"]},
    HEARING | {"accepted": ["normal", "one_ear", "both_ears", "aid", "unsaid"]},
    HEARING | {"place": "before"},
    {"ready": "comment", "place": "screening"},
    {"key": "t", "place": "screening", "kind": "short_text", "text": "Who are you?"},
]


@pytest.mark.parametrize("definition", UNFIT, ids=str)
def test_a_screening_that_judges_nothing_is_refused(definition: Any) -> None:
    with pytest.raises(QuestionUnfit):
        read_questions([definition])
