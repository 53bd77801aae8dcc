"""Creating an experiment on one page: from an upload or a collection, with defaults for everything but the title."""

from typing import Any

import pytest
from django.test import Client

from core.models import Job, User
from rating.models import Experiment
from rating.services.texts import standard_consent
from stimuli.models import Collection, Import, Stimulus
from stimuli.services.normalisation import awaiting_copies
from tests.factories import make_collection, make_user, tone
from tests.people import browser_of
from tests.stimuli.import_material import new_collection, run, uploaded

pytestmark = pytest.mark.django_db

SOUNDS = {f"C{n}/{item}.wav": tone(300 + 50 * n + 9 * len(item), 1.0) for n in (0, 1) for item in ("door", "street")}


@pytest.fixture
def owner() -> User:
    user = make_user()
    user.email = "lab@example.org"
    user.save()
    return user


@pytest.fixture
def browser(owner: User) -> Client:
    return browser_of(owner)


@pytest.fixture
def checked(owner: User) -> Import:
    import_ = uploaded(new_collection(owner), SOUNDS)
    run("stimuli.check_import")
    import_.refresh_from_db()
    assert import_.state == Import.State.PROPOSED
    return import_


def create(browser: Client, **fields: Any) -> Experiment:
    answer = browser.post("/new-experiment/", {"title": "A test", "language": "en", "protocol": "acr", **fields})
    assert answer.status_code == 302, answer.content.decode()
    return Experiment.objects.get()


def test_a_title_and_a_collection_are_enough(browser: Client, owner: User) -> None:
    collection = make_collection(owner)
    shown = browser.get("/new-experiment/").content.decode()
    assert 'value="lab@example.org"' in shown
    made = create(browser, collection=collection.slug, contact="lab@example.org")
    assert (made.slug, made.label_set, made.collection) == ("a-test", "acr-en-1", collection)
    assert made.consent_text == standard_consent("en")
    assert made.options["practice"] == 3
    steps = browser.get("/experiments/a-test/").content.decode()
    assert "The consent text is the standard one" in steps


def test_the_standard_consent_text_is_in_the_language_of_the_experiment(browser: Client, owner: User) -> None:
    made = create(browser, collection=make_collection(owner).slug, language="fr")
    assert made.consent_text == standard_consent("fr") != standard_consent("en")


def test_without_sounds_the_form_says_what_is_missing_and_keeps_what_was_typed(browser: Client) -> None:
    page = browser.post("/new-experiment/", {"title": "A test", "language": "en", "protocol": "acr"}).content.decode()
    assert "Upload files above, or choose a collection." in page
    assert 'value="A test"' in page
    assert not Experiment.objects.exists()


def test_options_of_the_chosen_protocol_are_kept_and_wrong_ones_are_refused(browser: Client, owner: User) -> None:
    fields = {"collection": make_collection(owner).slug, "protocol": "p835", "p835-practice": 1, "p835-sessions": 2}
    rest = {"p835-plays_allowed": 3, "p835-layout": "horizontal"}
    page = browser.post("/new-experiment/", {"title": "A test", "language": "en", **fields, "p835-layout": "vertical"})
    assert "This field is required." in page.content.decode()
    made = create(browser, **fields, **rest)
    assert made.options["plays_allowed"] == 3
    assert made.options["layout"] == "horizontal"
    assert made.options["auto_confirm"] is False


def test_labels_of_another_protocol_are_refused(browser: Client, owner: User) -> None:
    fields = {"collection": make_collection(owner).slug, "protocol": "p835", "label_set": "acr/acr-en-1"}
    page = browser.post("/new-experiment/", {"title": "A test", "language": "en", **fields}).content.decode()
    assert "These are labels of another protocol." in page


def test_what_was_found_is_imported_only_if_it_was_seen(browser: Client, checked: Import) -> None:
    shown = browser.get(f"/collections/{checked.collection.slug}/imports/{checked.pk}/?part=summary").content.decode()
    assert 'data-found="proposed"' in shown
    assert "4 clips, items: 2, conditions: 2" in shown
    made = create(browser, **{"import": str(checked.pk)})
    checked.refresh_from_db()
    assert checked.state == Import.State.PROPOSED
    assert made.collection == checked.collection
    steps = browser.get(f"/experiments/{made.slug}/").content.decode()
    assert "Look at what was found and import the clips." in steps


def test_a_seen_proposal_is_imported_and_copied_to_one_loudness(browser: Client, checked: Import) -> None:
    made = create(browser, **{"import": str(checked.pk), "seen": "proposed", "level": "-30"})
    assert made.collection != checked.collection
    assert made.collection.title.endswith("(-30 LUFS)")
    assert "The clips are being imported." in browser.get(f"/experiments/{made.slug}/").content.decode()
    run("stimuli.commit_confirmed_import")
    assert "The clips are being copied at -30 LUFS." in browser.get(f"/experiments/{made.slug}/").content.decode()
    run("stimuli.normalise_copy")
    levels = [
        stimulus.recording.measures["integrated_lufs"]
        for stimulus in Stimulus.objects.filter(item__collection=made.collection)
        if stimulus.recording
    ]
    assert levels == [pytest.approx(-30, abs=0.1)] * 4
    assert Stimulus.objects.filter(item__collection=checked.collection).count() == 4


def test_copies_that_would_be_clipped_are_told_and_can_be_made_at_another_loudness(owner: User) -> None:
    browser = browser_of(owner)
    loud = {path: content for path, content in SOUNDS.items() if path.startswith("C0")}
    import_ = uploaded(new_collection(owner), loud)
    run("stimuli.check_import")
    made = create(browser, **{"import": str(import_.pk), "seen": "proposed", "level": "-23"})
    Import.objects.filter(pk=import_.pk).update(copy_lufs=-1.0)
    run("stimuli.commit_confirmed_import")
    run("stimuli.normalise_copy")
    Job.objects.update(state=Job.State.DONE)  # as the worker does when the job has returned
    page = browser.get(f"/experiments/{made.slug}/").content.decode()
    assert "could not be copied at -1 LUFS" in page
    assert "would be clipped" in page
    source = Collection.objects.get(pk=import_.collection_id)
    assert list(awaiting_copies(source)) == [made.collection]
    form = browser.get(f"/collections/{source.slug}/normalise/").content.decode()
    assert f'value="{made.collection.slug}"' in form
    given = {"target_lufs": "-30", "title": made.collection.title, "slug": made.collection.slug}
    browser.post(f"/collections/{source.slug}/normalise/", given)
    run("stimuli.normalise_copy")
    assert Stimulus.objects.filter(item__collection=made.collection).count() == 2


def test_an_upload_of_another_person_is_not_found(checked: Import) -> None:
    stranger = browser_of(make_user())
    assert stranger.get(f"/new-experiment/?import={checked.pk}").status_code == 404
    assert stranger.get("/new-experiment/?import=x").status_code == 400
