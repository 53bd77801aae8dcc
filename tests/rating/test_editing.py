"""Editing an experiment: every field of a draft, what depends on it, and the page where it is done."""

import html
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import AuditEntry
from listening.models import Visit
from listening.panels.next_steps import steps_of
from listening.panels.services.panels import create_panel, rehearse
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.access import share
from rating.services.editing import edit_experiment
from rating.services.texts import standard_consent
from stimuli.services.collections import collection_for
from tests.errors import raises_error
from tests.factories import Sitting, make_collection, make_experiment, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_draft(module_db: None) -> Experiment:
    return make_experiment(live=False, title="Frist try", slug="first-try")


@pytest.fixture
def draft(shared_draft: Experiment) -> Experiment:
    return deepcopy(shared_draft)


@pytest.fixture
def staff(client: Client, draft: Experiment) -> Client:
    client.force_login(draft.owner)
    return client


def filled(experiment: Experiment, **changes: Any) -> dict[str, Any]:
    """The form of the settings as a browser sends it."""
    return {
        "title": experiment.title,
        "slug": experiment.slug,
        "collection": experiment.collection.slug,
        "label_set": f"{experiment.protocol}/{experiment.label_set}",
        "language": experiment.language,
        "consent_text": experiment.consent_text,
        "contact": experiment.contact,
    } | changes


def test_every_field_of_a_draft_can_be_changed_on_the_page(staff: Client, draft: Experiment) -> None:
    other = make_collection(draft.owner)
    changes = {
        "title": "First try",
        "slug": "first",
        "collection": other.slug,
        "label_set": "p835/p835-en-1",
        "language": "fr",
        "consent_text": "I agree to listen.",
        "contact": "lab@example.org",
    }
    answer = staff.post(f"/experiments/{draft.slug}/settings/", filled(draft, **changes))
    assert answer["Location"] == "/experiments/first/settings/"
    edited = Experiment.objects.get(pk=draft.pk)
    assert (edited.title, edited.collection, edited.language) == ("First try", other, "fr")
    assert (edited.protocol, edited.label_set) == ("p835", "p835-en-1")
    assert edited.options == get_protocol("p835").defaults
    assert (edited.consent_text, edited.contact) == ("I agree to listen.", "lab@example.org")


def test_the_log_keeps_only_what_changed_under_the_name_it_had(draft: Experiment) -> None:
    edit_experiment(experiment=draft, actor=draft.owner, title="First try", slug="first", contact="")
    entry = AuditEntry.objects.get(action="experiment.edited")
    assert entry.target == "experiment/first-try"
    assert entry.before == {"title": "Frist try", "slug": "first-try"}
    assert entry.after == {"title": "First try", "slug": "first"}
    edit_experiment(experiment=draft, actor=draft.owner, title="First try")
    assert AuditEntry.objects.filter(action="experiment.edited").count() == 1


def test_a_short_name_of_another_experiment_is_refused_beside_the_field(staff: Client, draft: Experiment) -> None:
    make_experiment(slug="taken")
    page = staff.post(f"/experiments/{draft.slug}/settings/", filled(draft, slug="taken", title="Kept here"))
    text = page.content.decode()
    assert "already called &#x27;taken&#x27;" in text.split('for="id_slug"')[1].split("<label")[0]
    assert 'value="Kept here"' in text
    assert Experiment.objects.get(pk=draft.pk).slug == "first-try"


def test_a_short_name_is_derived_from_the_title_and_numbered(staff: Client, draft: Experiment) -> None:
    given = filled(draft, title="Écoute : première partie", slug="", protocol="acr")
    staff.post("/new-experiment/", given)
    staff.post("/new-experiment/", given)
    staff.post("/new-experiment/", given | {"title": "音質"})
    made = Experiment.objects.exclude(pk=draft.pk).order_by("created_at").values_list("slug", flat=True)
    assert list(made) == ["ecoute-premiere-partie", "ecoute-premiere-partie-2", "experiment"]


def test_a_derived_short_name_keeps_to_the_length_of_the_field(draft: Experiment) -> None:
    long = "A very long title of a listening test with many words in it"
    twice = [make_experiment(title=long, slug="").slug for _ in range(2)]
    assert all(len(slug) <= 50 for slug in twice)
    assert len(set(twice)) == 2


def test_a_short_name_with_spaces_is_refused_in_plain_words(staff: Client, draft: Experiment) -> None:
    page = staff.post("/new-experiment/", filled(draft, slug="two words")).content.decode()
    assert "Use only letters without accents" in page
    assert "slug”" not in page


def test_a_title_that_another_experiment_has_is_warned_of_and_taken(staff: Client, draft: Experiment) -> None:
    page = staff.post("/new-experiment/", filled(draft, slug="second", protocol="acr"), follow=True).content.decode()
    assert "Another experiment has the same title: first-try" in page
    assert Experiment.objects.filter(slug="second").exists()


def test_a_stranger_s_experiment_of_the_same_title_is_not_told(client: Client, draft: Experiment) -> None:
    stranger = make_user()
    client.force_login(stranger)
    own = make_experiment(stranger, live=False, title="Own")
    page = client.post(f"/experiments/{own.slug}/settings/", filled(own, title=draft.title), follow=True)
    assert "same title" not in page.content.decode()


@pytest.mark.parametrize("field", ["collection", "protocol"])
def test_what_seats_were_drawn_from_stays_while_there_are_seats(draft: Experiment, field: str) -> None:
    create_panel(experiment=draft, seats=1, actor=draft.owner)
    value = make_collection(draft.owner) if field == "collection" else "p835"
    with raises_error("experiment.seats_exist"):
        edit_experiment(experiment=draft, actor=draft.owner, **{field: value})
    edit_experiment(experiment=draft, actor=draft.owner, title="Texts may change", language="de")
    assert Experiment.objects.get(pk=draft.pk).language == "de"


def test_the_page_says_why_the_collection_is_fixed_and_where_seats_are_removed(
    staff: Client, draft: Experiment
) -> None:
    create_panel(experiment=draft, seats=1, actor=draft.owner)
    page = staff.get(f"/experiments/{draft.slug}/settings/").content.decode()
    assert f"/experiments/{draft.slug}/seats/remove/" in page
    assert "disabled" in page.split('name="collection"')[1].split(">")[0]
    assert 'value="p835/p835-en-1"' not in page


def test_a_new_collection_can_be_heard_by_everybody_who_works_on_the_experiment(draft: Experiment) -> None:
    colleague = make_user()
    share(experiment=draft, actor=draft.owner, colleague_name=colleague.username)
    other = make_collection(draft.owner)
    edit_experiment(experiment=draft, actor=draft.owner, collection=other)
    assert collection_for(colleague, other.slug) == other


def test_an_unknown_label_set_of_the_new_protocol_changes_nothing(draft: Experiment) -> None:
    with raises_error("experiment.unknown_label_set"):
        edit_experiment(experiment=draft, actor=draft.owner, protocol="p835")
    assert Experiment.objects.get(pk=draft.pk).protocol == "acr"


def test_a_live_experiment_is_not_edited(draft: Experiment) -> None:
    live = make_experiment(draft.owner, seats=1)
    with raises_error("experiment.wrong_state"):
        edit_experiment(experiment=live, actor=live.owner, slug="other")


def test_a_rehearsal_keeps_the_language_that_it_began_in(draft: Experiment) -> None:
    create_panel(experiment=draft, seats=1, actor=draft.owner)
    before, after = (begin_rehearsal(draft, language=language) for language in ("en", "fr"))
    for browser, language in [(before, "en"), (after, "fr"), (before, "en")]:
        assert f'<html lang="{language}"' in browser.client.get(f"/visits/{browser.visit.pk}/").content.decode()


def begin_rehearsal(experiment: Experiment, *, language: str) -> Sitting:
    edit_experiment(experiment=experiment, actor=experiment.owner, language=language)
    (token,) = rehearse(experiment=experiment, count=1, now=timezone.now(), actor=experiment.owner)
    browser = Client()
    browser.post(f"/join/{token}/", {"agree": "on"})
    return Sitting(browser, Visit.objects.latest("created_at"), f"/join/{token}/")


# --- Another language -------------------------------------------------------------------------------------------------

MOOD = {"key": "mood", "place": "after", "kind": "yes_no", "text": "Do you feel well?", "help": "", "required": True}


def warned(experiment: Experiment) -> list[str]:
    """The lines of the readiness list about texts in another language."""
    steps = steps_of(Experiment.objects.get(pk=experiment.pk), now=timezone.now())
    return [step.sentence for step in steps if "these are still in" in step.sentence]


def test_texts_and_questions_that_do_not_follow_the_language_are_warned_of_until_they_are_rewritten(
    staff: Client, draft: Experiment
) -> None:
    ready = {"ready": "age_band", "place": "before", "required": True}
    edit_experiment(experiment=draft, actor=draft.owner, instructions="Listen.", questions=[ready, MOOD])
    draft.refresh_from_db()
    changed = filled(draft, language="fr", instructions=draft.instructions)
    page = staff.post(f"/experiments/{draft.slug}/settings/", changed, follow=True).content.decode()
    texts = "Participants' pages are in French, but these are still in English: the consent text, the instructions."
    question = "Participants' pages are in French, but these are still in English: the question mood."
    assert html.unescape(page).count(texts) == 1
    assert warned(draft) == [texts, question]
    draft.refresh_from_db()
    edit_experiment(experiment=draft, actor=draft.owner, consent_text="J'accepte.", title="Essai")
    assert warned(draft) == [texts.replace("the consent text, ", ""), question]
    edit_experiment(experiment=draft, actor=draft.owner, questions=[{**MOOD, "text": "Allez-vous bien ?"}, ready])
    edit_experiment(experiment=draft, actor=draft.owner, instructions="")
    assert warned(draft) == []


def test_a_language_that_is_changed_back_leaves_nothing_to_adapt(draft: Experiment) -> None:
    edit_experiment(experiment=draft, actor=draft.owner, language="fr")
    assert warned(draft)
    edit_experiment(experiment=draft, actor=draft.owner, language="en")
    assert warned(draft) == []
    edit_experiment(experiment=draft, actor=draft.owner, language="fr", consent_text="J'accepte.")
    assert warned(draft) == []


def test_the_standard_consent_text_follows_the_language(draft: Experiment) -> None:
    edit_experiment(experiment=draft, actor=draft.owner, consent_text=standard_consent("en"))
    edited = edit_experiment(experiment=draft, actor=draft.owner, language="fr")
    assert edited.consent_text == standard_consent("fr") != standard_consent("en")
    assert warned(draft) == []
    assert AuditEntry.objects.filter(action="experiment.edited").first().after["consent_text"] == edited.consent_text  # type: ignore[union-attr, index]
