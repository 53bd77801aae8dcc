"""Normalisation: an explicit copy at the target, with before and after; refused as a whole rather than clipped."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from core.models import Job
from core.services import jobs
from core.tasks import JobRun, enqueue
from stimuli.errors.intake import LevelsRefused
from stimuli.errors.uploads import CollectionSlugTaken
from stimuli.models import Collection, Condition, Intake, Item, Recording, Stimulus
from stimuli.services import levels
from stimuli.services.checks import check_collection
from stimuli.services.imports import drafted_folder, import_draft
from stimuli.services.levels import ask_for_copy, normalise_collection
from stimuli.sound.findings import Options
from stimuli.synthesis import clip_bytes
from tests.factories import make_user
from tests.stimuli.folders import noise, write
from tests.stimuli.stored import files_in_storage, place

pytestmark = pytest.mark.django_db


@pytest.fixture
def source(tmp_path: Path) -> Collection:
    """Two items under two conditions of different level and length, a caption, and the same file twice."""
    for number, (condition, item) in enumerate([("C0", "a"), ("C1", "a"), ("C0", "b"), ("C1", "b")]):
        write(tmp_path / condition / f"{item}.wav", noise(0.6 + 0.1 * number, seed=number, level=0.02 * (number + 1)))
    write(tmp_path / "C2/a.wav", noise(0.6, level=0.02))
    write(tmp_path / "C2/b.flac", noise(0.6, seed=9, rate=44100), rate=44100)
    (tmp_path / "captions.csv").write_text("item,system,caption\na,human,A noise.\n")
    (tmp_path / "meta.csv").write_text("item,sex\na,F\nb,M\n")
    collection = Collection.objects.create(slug="source", title="Source", owner=make_user())
    with drafted_folder(folder=tmp_path, progress=lambda *_: None) as drafted:
        import_draft(drafted=drafted, collection=collection, actor=collection.owner, progress=lambda *_: None)
    return collection


def copied(source: Collection, target_lufs: float = -30.0) -> Collection:
    return normalise_collection(source=source, target_lufs=target_lufs, slug="copy", title="Copy", actor=source.owner)


@pytest.mark.parametrize("target_lufs", [-23.0, -30.0])
def test_every_copy_has_the_level_and_the_source_stays_as_it_is(source: Collection, target_lufs: float) -> None:
    before = list(Recording.objects.order_by("sha256").values())
    made = copied(source, target_lufs)
    found = check_collection(collection=made, options=Options(target_lufs=target_lufs, level_tolerance_lu=0.1))
    assert not [one for one in found["findings"] if one["code"].startswith("level")]
    assert list(Recording.objects.filter(made_from=None).order_by("sha256").values()) == before
    assert {c.name: c.role for c in Condition.objects.filter(collection=made)} == {
        c.name: c.role for c in Condition.objects.filter(collection=source)
    }
    assert Item.objects.get(collection=made, name="a").factors == {"sex": "F"}
    caption = Stimulus.objects.get(item__collection=made, condition__name="human").text
    assert caption is not None
    assert caption["text"] == "A noise."


def test_a_copy_is_its_source_times_one_gain_and_says_so(source: Collection) -> None:
    copied(source)
    for copy in Recording.objects.exclude(made_from=None):
        assert copy.made_from is not None
        assert copy.gain_db is not None
        original, _ = soundfile.read(place(copy.made_from.file))
        heard, rate = soundfile.read(place(copy.file))
        assert (rate, copy.bits) == (copy.made_from.sample_rate_hz, 24)
        np.testing.assert_allclose(heard, original * 10 ** (copy.gain_db / 20), atol=2.0**-23)


def test_the_report_holds_before_and_after_of_each_sound_once(source: Collection) -> None:
    made = copied(source)
    intake = Intake.objects.get(collection=made)
    assert (intake.layout, intake.version, intake.plan["target_lufs"]) == ("levels", 1, -30.0)
    assert len(intake.report["levels"]) == 5  # C0 x a and C2 x a are the same file
    for level in intake.report["levels"]:
        assert level["after_lufs"] == pytest.approx(-30, abs=0.1)
        assert level["after_lufs"] - level["before_lufs"] == pytest.approx(level["gain_db"], abs=0.1)


def test_a_level_at_which_something_clips_is_refused_with_the_cells_and_the_highest_that_would_do(
    source: Collection,
) -> None:
    before = files_in_storage()
    with pytest.raises(LevelsRefused) as refusal:
        copied(source, -1.0)
    assert "would be clipped at -1 LUFS" in str(refusal.value)
    assert "x C" in str(refusal.value)
    assert not Collection.objects.filter(slug="copy").exists()
    assert files_in_storage() == before
    highest = float(str(refusal.value).rpartition(" LUFS")[0].rpartition(" ")[2])
    assert copied(source, highest).version == 1


def test_silence_has_no_level_and_no_level_is_beyond_reason(source: Collection, tmp_path: Path) -> None:
    with pytest.raises(LevelsRefused, match="no level between"):
        copied(source, 3.0)
    write(tmp_path / "quiet/a.wav", np.zeros(16000))
    hushed = Collection.objects.create(slug="hushed", title="Hushed", owner=source.owner)
    with drafted_folder(folder=tmp_path / "quiet", progress=lambda *_: None) as drafted:
        import_draft(drafted=drafted, collection=hushed, actor=source.owner, progress=lambda *_: None)
    with pytest.raises(LevelsRefused, match="too quiet or too short"):
        copied(hushed)


def test_a_name_that_is_taken_is_refused_before_anything_is_made(source: Collection) -> None:
    with pytest.raises(CollectionSlugTaken):
        normalise_collection(source=source, target_lufs=-30, slug="source", title="Again", actor=source.owner)


def test_speech_with_pauses_below_the_gate_reaches_the_level_too(tmp_path: Path) -> None:
    """Attenuation takes its quiet parts below the absolute gate, so that one gain is not enough."""
    rng = np.random.default_rng(4)
    loud, hush = rng.uniform(-0.3, 0.3, 16000), rng.uniform(-0.0009, 0.0009, 48000)
    (tmp_path / "a.wav").write_bytes(clip_bytes(np.concatenate([loud, hush]).astype(np.float32), 16000))
    collection = Collection.objects.create(slug="speech", title="Speech", owner=make_user())
    with drafted_folder(folder=tmp_path, progress=lambda *_: None) as drafted:
        import_draft(drafted=drafted, collection=collection, actor=collection.owner, progress=lambda *_: None)
    made = copied(collection, -45.0)
    assert Intake.objects.get(collection=made).report["levels"][0]["after_lufs"] == pytest.approx(-45, abs=0.1)


@pytest.mark.django_db(transaction=True)
def test_the_job_makes_one_copy_however_often_it_runs(source: Collection) -> None:
    ask_for_copy(source=source, target_lufs=-30, slug="copy", title="Copy", actor=source.owner)
    job = jobs.claim(worker="test", names=[levels.JOB])
    assert job is not None
    levels.copy_in_background(run=JobRun(job), **job.arguments)
    assert Job.objects.get(pk=job.pk).state == Job.State.DONE
    levels.copy_in_background(run=JobRun(job), **job.arguments)
    assert Collection.objects.filter(slug="copy").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_job_that_is_refused_says_so_in_its_note(source: Collection) -> None:
    with pytest.raises(LevelsRefused):
        ask_for_copy(source=source, target_lufs=-1, slug="copy", title="Copy", actor=source.owner)
    arguments: dict[str, Any] = {"source_id": str(source.pk), "target_lufs": -1.0, "slug": "copy", "title": "Copy"}
    enqueue(levels.JOB, actor_id=str(source.owner.pk), **arguments)
    job = jobs.claim(worker="test", names=[levels.JOB])
    assert job is not None
    run = JobRun(job)
    levels.copy_in_background(run=run, **job.arguments)
    run.complete()
    assert "would be clipped" in Job.objects.get(pk=job.pk).progress_note
    assert not Collection.objects.filter(slug="copy").exists()
