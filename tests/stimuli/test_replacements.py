"""Replacement of one clip: a new version, checked anew, and refused once answers may belong to the old one."""

import hashlib
import json

import pytest
from django.utils import timezone

from core.models import AuditEntry
from rating.models import Experiment, Slot
from rating.services import experiments
from rating.services.verification import ballot_problems
from stimuli.models import FormerRecording, Import, Recording, Stimulus
from stimuli.services import imports
from stimuli.uploads.manifest import DeclaredFile
from tests.errors import raises_error
from tests.factories import make_experiment, make_user, tone
from tests.people import browser_of
from tests.stimuli.import_material import confirmed, run, send, uploaded
from tests.stimuli.stored import content

pytestmark = pytest.mark.django_db(transaction=True)

NEW = tone(1234, duration_s=0.3)


@pytest.fixture
def experiment() -> Experiment:
    return make_experiment(live=False, seats=2)


def a_stimulus(experiment: Experiment) -> Stimulus:
    stimulus = Stimulus.objects.filter(item__collection=experiment.collection).first()
    assert stimulus is not None
    return stimulus


def proposed(stimulus: Stimulus, sound: bytes = NEW) -> Import:
    owner = stimulus.item.collection.owner
    import_ = imports.begin_replacement(
        stimulus=stimulus, owner=owner, files=[DeclaredFile("any name.wav", len(sound))], now=timezone.now()
    )
    send(import_.files.get(), sound, sha256=hashlib.sha256(sound).hexdigest())
    imports.submit_import(import_=import_, digests={}, actor=owner, now=timezone.now())
    run("stimuli.check_import")
    import_.refresh_from_db()
    return import_


def test_a_clip_is_replaced_as_a_new_version_and_the_old_one_stays_on_record(experiment: Experiment) -> None:
    stimulus = a_stimulus(experiment)
    old = stimulus.recording
    assert old is not None
    import_ = proposed(stimulus)
    assert (import_.state, import_.plan["layout"]) == ("proposed", "replacement")
    told = [one["sentence"] for one in import_.report["findings"]]
    assert any("Cut the conditions to the same length" in one for one in told), "it is compared with its item"
    assert not any("holds 1 of these stimuli already" in one for one in told)
    version = experiment.collection.version
    assert confirmed(import_).state == "done"
    stimulus.refresh_from_db()
    assert stimulus.recording is not None
    assert stimulus.recording.sha256 == hashlib.sha256(NEW).hexdigest()
    former = FormerRecording.objects.get()
    assert (former.stimulus, former.recording, former.version) == (stimulus, old, version + 1)
    assert content(old.file), "its bytes are kept"
    entry = AuditEntry.objects.get(action="stimulus.replaced")
    assert (entry.before or {})["sha256"] == old.sha256
    assert entry.after == {"sha256": stimulus.recording.sha256, "version": version + 1}
    page = (
        browser_of(experiment.owner)
        .get(f"/collections/{experiment.collection.slug}/{stimulus.pk}/sound/")
        .content.decode()
    )
    assert old.sha256 in page


def test_a_laid_out_draft_keeps_its_seats_and_goes_live_with_the_new_sound(experiment: Experiment) -> None:
    stimulus = a_stimulus(experiment)
    slots = set(Slot.objects.filter(stimulus=stimulus).values_list("pk", flat=True))
    assert slots
    confirmed(proposed(stimulus))
    assert set(Slot.objects.filter(stimulus=stimulus).values_list("pk", flat=True)) == slots
    live = experiments.go_live(experiment=experiment, actor=experiment.owner)
    assert [list(ballot_problems(ballot)) for ballot in live.ballots.all()] == [[], []]
    experiments.check_design(live)


def test_while_answers_may_belong_to_the_old_sound_it_is_not_replaced(experiment: Experiment) -> None:
    stimulus = a_stimulus(experiment)
    import_ = proposed(stimulus)
    experiments.go_live(experiment=experiment, actor=experiment.owner)
    place, browser = f"/collections/{experiment.collection.slug}", browser_of(experiment.owner)
    for state in ("live", "paused", "closed"):
        Experiment.objects.update(state=state)
        with raises_error("collection.frozen", match=experiment.title):
            proposed(stimulus)
        with raises_error("collection.frozen"):
            imports.confirm_import(import_=import_, actor=import_.owner)
        page = browser.get(f"{place}/{stimulus.pk}/replace/", follow=True)
        assert page.redirect_chain == [(f"{place}/", 302)], state
        assert "Its answers belong to the sounds that were heard" in page.content.decode()


def test_an_experiment_that_goes_live_meanwhile_keeps_its_sounds(experiment: Experiment) -> None:
    stimulus = a_stimulus(experiment)
    import_ = proposed(stimulus)
    imports.confirm_import(import_=import_, actor=import_.owner)
    experiments.go_live(experiment=experiment, actor=experiment.owner)
    run("stimuli.commit_confirmed_import")
    import_.refresh_from_db()
    assert import_.state == "errors"
    assert "uses this collection" in import_.report["findings"][0]["sentence"]
    assert Stimulus.objects.get(pk=stimulus.pk).recording_id == stimulus.recording_id
    assert not FormerRecording.objects.exists()


def test_an_import_that_replaces_clips_is_refused_too(experiment: Experiment) -> None:
    stimulus, owner = a_stimulus(experiment), experiment.owner
    beside = Stimulus.objects.filter(item=stimulus.item).select_related("condition")
    sounds = {f"{one.condition.name}/{stimulus.item.name}.wav": NEW for one in beside}
    early, late = (uploaded(experiment.collection, sounds) for _ in range(2))
    run("stimuli.check_import")
    run("stimuli.check_import")
    imports.confirm_import(import_=Import.objects.get(pk=early.pk), actor=owner, replace=True)
    experiments.go_live(experiment=experiment, actor=owner)
    with raises_error("collection.frozen", match=experiment.title):
        imports.confirm_import(import_=Import.objects.get(pk=late.pk), actor=owner, replace=True)
    run("stimuli.commit_confirmed_import")  # the one that was confirmed before
    assert Import.objects.get(pk=early.pk).state == "errors"
    assert Stimulus.objects.get(pk=stimulus.pk).recording_id == stimulus.recording_id


ADDITIONS = {
    "an item": {"secretcondition0/late.wav": NEW},
    "a condition": {"late/secretitem0.wav": NEW},
    "factors": {"late/secretitem0.wav": NEW, "items.csv": b"item,snr\nsecretitem0,5\n"},
}


# Whatever the files bring, the same check refuses them; factors come with a condition and a sound.
@pytest.mark.parametrize(
    "files",
    [
        pytest.param(ADDITIONS[name], id=name, marks=[] if name == "factors" else [pytest.mark.long])
        for name in ADDITIONS
    ],
)
def test_nothing_is_added_to_what_a_live_experiment_was_frozen_with(
    experiment: Experiment, files: dict[str, bytes]
) -> None:
    collection, owner = experiment.collection, experiment.owner
    early, late = uploaded(collection, files), uploaded(collection, files)
    for _ in range(2):
        run("stimuli.check_import")
    imports.confirm_import(import_=Import.objects.get(pk=early.pk), actor=owner)
    live = experiments.go_live(experiment=experiment, actor=owner)
    with raises_error("collection.frozen", match="Copy the collection"):
        imports.confirm_import(import_=Import.objects.get(pk=late.pk), actor=owner)
    run("stimuli.commit_confirmed_import")
    assert Import.objects.get(pk=early.pk).state == "errors"
    with raises_error("collection.frozen"):
        uploaded(collection, files)
    page = browser_of(owner).get(f"/collections/{collection.slug}/import/", follow=True)
    assert "nothing can be added or changed" in page.content.decode()
    experiments.pause(experiment=live, actor=owner)
    assert experiments.go_live(experiment=live, actor=owner).state == "live"


def test_only_one_sound_of_ones_own_takes_the_place_of_one(experiment: Experiment) -> None:
    stimulus = a_stimulus(experiment)
    owner = experiment.owner
    two = [DeclaredFile("a.wav", 1), DeclaredFile("b.wav", 1)]
    with raises_error("import.one_file"):
        imports.begin_replacement(stimulus=stimulus, owner=owner, files=two, now=timezone.now())
    with raises_error("collection.not_yours"):
        imports.begin_replacement(stimulus=stimulus, owner=make_user(), files=two[:1], now=timezone.now())
    assert proposed(stimulus, b"no sound").state == "errors"
    assert Recording.objects.filter(stimuli=stimulus).exists()


def test_the_api_announces_a_replacement_and_the_page_its_address(experiment: Experiment) -> None:
    stimulus = a_stimulus(experiment)
    browser = browser_of(experiment.owner)
    slug = experiment.collection.slug
    page = browser.get(f"/collections/{slug}/{stimulus.pk}/replace/").content.decode()
    assert f'"stimulus": "{stimulus.pk}"' in page
    body = {"files": [{"path": "new.wav", "byte_count": 4}], "stimulus": str(stimulus.pk)}
    begun = browser.post(f"/api/v1/collections/{slug}/imports/", json.dumps(body), content_type="application/json")
    assert (begun.status_code, begun.json()["stimulus"]) == (201, str(stimulus.pk))
