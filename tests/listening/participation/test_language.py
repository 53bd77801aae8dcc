"""Language of participants' pages: every page is in the experiment's language, whatever the browser asks for."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from listening.models import Completion
from listening.panels.next_steps import StepState, steps_of
from rating.models import Experiment
from tests.contracts.participant_texts import sentences
from tests.factories import Sitting, make_experiment, new_token, sit_down

pytestmark = pytest.mark.django_db

ENGLISH = {"accept-language": "en"}
SWITCH = 'name="language"'
TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]+>", re.DOTALL)


def words(page: str) -> str:
    return " ".join(unescape(TAGS.sub(" ", page)).split())


def finished(experiment: Experiment) -> Sitting:
    sitting = sit_down(experiment)
    sitting.answer_all()
    assert sitting.client.post(f"{sitting.api}finish/", content_type="application/json").status_code == 200
    return sitting


def landing(language: str) -> str:
    link = f"/join/{new_token(make_experiment(language=language))}/"
    return Client(headers=ENGLISH).get(link).content.decode()


def test_an_english_browser_sees_a_french_experiment_in_french_alone() -> None:
    experiment = make_experiment(language="fr", seats=2, title="Essai", consent_text="D’accord.")
    sitting = sit_down(experiment)
    pages = {
        "landing": Client().get(f"/join/{new_token(experiment)}/", headers=ENGLISH),
        "visit": sitting.client.get(f"/visits/{sitting.visit.pk}/", headers=ENGLISH),
        "resume": sitting.client.get(sitting.link, headers=ENGLISH),
        "elsewhere": Client().get(f"/visits/{sitting.visit.pk}/", headers=ENGLISH),
    }
    sitting.answer_all()
    sitting.client.post(f"{sitting.api}finish/", content_type="application/json")
    pages["receipt"] = sitting.client.get(f"/visits/{sitting.visit.pk}/receipt/", headers=ENGLISH)
    english = sentences()
    assert len(english) > 300
    for name, answer in pages.items():
        page = answer.content.decode()
        assert '<html lang="fr">' in page, name
        assert answer.headers["Content-Language"] == "fr", name
        assert "/texts/fr-" in page, name
        assert SWITCH not in page, name
        assert [text for text in english if text in words(page)] == [], name
    assert sitting.ballot.consent.language == "fr"


def test_errors_of_the_api_are_in_the_experiments_language_too() -> None:
    sitting = sit_down(make_experiment(language="fr", seats=1))
    unreadable = sitting.client.post(
        f"{sitting.api}votes/", "{", content_type="application/json", headers=ENGLISH
    ).json()
    assert unreadable["detail"].startswith("La demande est illisible")
    unknown = Client().get(f"{sitting.api}upcoming/", headers=ENGLISH).json()
    assert unknown["code"] == "visit.unknown"
    assert unknown["detail"].startswith("Ce navigateur")


def test_a_form_without_its_cookie_is_refused_in_the_experiments_language() -> None:
    link = f"/join/{new_token(make_experiment(language='de'))}/"
    refused = Client(enforce_csrf_checks=True).post(link, {"agree": "yes"}, headers=ENGLISH)
    assert refused.status_code == 403
    assert "laden Sie die Seite neu" in refused.content.decode()


def test_a_link_that_leads_nowhere_is_answered_in_the_readers_language() -> None:
    page = Client().get("/join/nothing/", headers={"accept-language": "fr"}).content.decode()
    assert '<html lang="fr">' in page
    assert SWITCH in page


def test_pages_of_staff_stay_in_the_readers_language() -> None:
    sitting = sit_down(make_experiment(language="fr", seats=1))
    sitting.client.get(f"/visits/{sitting.visit.pk}/", headers=ENGLISH)
    assert '<html lang="en">' in sitting.client.get("/", headers=ENGLISH).content.decode()


# --- A scale in another language --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("fr", "Les textes de la tâche elle-même sont en anglais."),
        ("de", "Die Texte der Aufgabe selbst sind auf Englisch."),
        pytest.param("es", "Los textos de la tarea en sí están en inglés.", marks=pytest.mark.long),
    ],
)
def test_a_task_in_another_language_is_said_before_consent(language: str, sentence: str) -> None:
    page = words(landing(language))
    assert sentence in page
    agree = {"fr": "Accepter et commencer", "de": "Zustimmen und beginnen", "es": "Aceptar y empezar"}[language]
    assert page.index(sentence) < page.index(agree)


def test_nothing_is_said_where_the_task_is_in_the_experiments_language() -> None:
    assert "The texts of the task itself" not in landing("en")


def test_the_words_of_another_language_are_marked_on_the_page() -> None:
    sitting = sit_down(make_experiment(language="fr", protocol="p835", seats=1))
    page = sitting.client.get(f"/visits/{sitting.visit.pk}/").content.decode()
    assert '<dt lang="en">' in page
    labels = sitting.upcoming()["trials"][0]["labels"]
    assert {each["language"] for each in labels.values()} == {"en"}


@pytest.mark.parametrize(("language", "warnings"), [("en", 0), ("fr", 1), ("de", 2)])
def test_the_experimenter_is_warned_before_going_live(language: str, warnings: int) -> None:
    experiment = make_experiment(language=language, live=False)
    found = [step for step in steps_of(experiment, now=timezone.now()) if "articipants' pages" in step.sentence]
    assert [step.state for step in found] == [StepState.CHECK] * warnings


# --- Formats and drafts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "date"),
    [
        ("en", "March 5, 2026"),
        ("fr", "5 mars 2026"),
        pytest.param("de", "5. März 2026", marks=pytest.mark.long),
        pytest.param("es", "5 de marzo de 2026", marks=pytest.mark.long),
    ],
)
def test_a_receipt_has_the_date_as_its_language_writes_it(language: str, date: str) -> None:
    sitting = finished(make_experiment(language=language, seats=1, items=1, conditions=1))
    Completion.objects.update(created_at=datetime(2026, 3, 5, 14, 7, tzinfo=UTC))
    page = sitting.client.get(f"/visits/{sitting.visit.pk}/receipt/", headers=ENGLISH).content.decode()
    assert f"{date}, 14:07 UTC" in page


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("de", "Diese Übersetzung ist ein Entwurf und kann Fehler enthalten."),
        pytest.param("es", "Esta traducción es un borrador y puede contener errores.", marks=pytest.mark.long),
    ],
)
def test_a_page_in_a_draft_language_says_so(language: str, line: str) -> None:
    assert line in landing(language)


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "fr"])
def test_a_page_in_a_reviewed_language_has_no_such_line(language: str) -> None:
    assert "page-foot" not in landing(language)


def test_a_draft_is_marked_in_the_menu_and_never_chosen_by_a_browsers_wish() -> None:
    client = Client(headers={"accept-language": "de"})
    page = client.get("/").content.decode()
    assert '<html lang="en">' in page
    assert ">Deutsch (Entwurf)<" in page
    assert ">Español (borrador)<" in page
    assert ">Français<" in page
    client.post("/language/", {"language": "de"})
    assert '<html lang="de">' in client.get("/").content.decode()
