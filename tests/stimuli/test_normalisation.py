"""Normalisation: an explicit copy at the target, with before and after; rejected as a whole rather than clipped."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from audio.errors import LevelTooHigh
from audio.outline import outline_of
from audio.quality_checks import Options
from audio.synthesis import clip_bytes
from core.jobs import JobRun, enqueue, queue
from core.models import Job, User
from stimuli.models import Collection, Condition, Import, Item, Recording, Stimulus
from stimuli.services import normalisation
from stimuli.services.imports import drafted_folder, import_draft
from stimuli.services.normalisation import FIGURES, ask_for_copy, normalise_collection, table
from stimuli.services.quality_checks import check_collection
from tests.errors import raises_error
from tests.factories import make_user
from tests.people import browser_of
from tests.stimuli.folders import noise, write
from tests.stimuli.import_material import begin
from tests.stimuli.stored import files_in_storage, place

pytestmark = pytest.mark.django_db


def imported(folder: Path, title: str) -> Collection:
    collection = Collection.objects.create(slug=title.lower(), title=title, owner=make_user())
    with drafted_folder(folder=folder, progress=lambda *_: None) as drafted:
        import_draft(drafted=drafted, collection=collection, actor=collection.owner, progress=lambda *_: None)
    return collection


@pytest.fixture
def source(tmp_path: Path) -> Collection:
    """Two items under two conditions of different level and length, a caption, and the same file twice."""
    for number, (condition, item) in enumerate([("C0", "a"), ("C1", "a"), ("C0", "b"), ("C1", "b")]):
        write(tmp_path / condition / f"{item}.wav", noise(0.6 + 0.1 * number, seed=number, level=0.02 * (number + 1)))
    write(tmp_path / "C2/a.wav", noise(0.6, level=0.02))
    write(tmp_path / "C2/b.flac", noise(0.6, seed=9, rate=44100), rate=44100)
    (tmp_path / "captions.csv").write_text("item,system,caption\na,human,A noise.\n")
    (tmp_path / "meta.csv").write_text("item,sex\na,F\nb,M\n")
    return imported(tmp_path, "Source")


def copied(source: Collection, target_lufs: float = -30.0) -> Collection:
    return normalise_collection(source=source, target_lufs=target_lufs, slug="copy", title="Copy", actor=source.owner)


@pytest.mark.parametrize("target_lufs", [pytest.param(-23.0, marks=pytest.mark.long), -30.0])
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
        assert (rate, len(heard)) == (copy.made_from.sample_rate_hz, copy.made_from.length_samples)
        assert soundfile.info(place(copy.file)).subtype == f"PCM_{copy.bits}" == "PCM_24"
        np.testing.assert_allclose(heard, original * 10 ** (copy.gain_db / 20), atol=2.0**-23)
        assert copy.outline == outline_of(heard.astype(np.float32).reshape(len(heard), -1))


def test_copies_of_sounds_with_different_depths_are_served_with_the_lowest(tmp_path: Path) -> None:
    write(tmp_path / "C0/a.wav", noise(0.6, seed=1))
    write(tmp_path / "C1/a.wav", noise(0.6, seed=2), subtype="PCM_24")
    made = copied(imported(tmp_path, "Source"))
    rows = Stimulus.objects.filter(item__collection=made)
    assert {soundfile.info(place(row.served)).subtype for row in rows} == {"PCM_16"}


def test_the_report_holds_before_and_after_of_each_sound_once(source: Collection) -> None:
    made = copied(source)
    import_ = Import.objects.get(collection=made)
    assert (import_.layout, import_.version, import_.plan["target_lufs"]) == ("levels", 1, -30.0)
    places = [
        sorted(f"{cell['item']} {cell['condition']}" for cell in one["cells"]) for one in import_.report["levels"]
    ]
    assert sorted(places) == [["a C0", "a C2"], ["a C1"], ["b C0"], ["b C1"], ["b C2"]]  # the first two are one file
    for level in import_.report["levels"]:
        assert level["after_lufs"] == pytest.approx(-30, abs=0.1)
        assert level["after_lufs"] - level["before_lufs"] == pytest.approx(level["gain_db"], abs=0.1)
        assert level["after_dbtp"] - level["before_dbtp"] == pytest.approx(level["gain_db"], abs=0.01)


def test_the_page_of_a_copy_shows_before_and_after_of_every_cell(source: Collection) -> None:
    made = copied(source, -30.5)
    import_ = Import.objects.get(collection=made)
    page = browser_of(source.owner).get(f"/collections/copy/imports/{import_.pk}/").content.decode()
    assert 'Copied from <a href="/collections/source/">Source</a> to -30.5 LUFS.' in page
    assert "5 copies at -30.5 LUFS, 0.00 LU off at most" in page
    shown = re.findall(r'<tr><th scope="row">(\w)</th><td>(\w+)</td>(.*?)</tr>', page)
    assert [f"{item} {condition}" for item, condition, _ in shown] == ["a C0", "a C1", "a C2", "b C0", "b C1", "b C2"]
    for *_, figures in shown:
        before, gain, after, before_peak, after_peak = map(float, re.findall(r">(-?[\d.]+)<", figures))
        assert after == pytest.approx(-30.5)
        assert before + gain == pytest.approx(after, abs=0.011)
        assert before_peak + gain == pytest.approx(after_peak, abs=0.011)
    assert re.search(r"<details class=.levels.>.*tabindex=\"0\".*</details>", page, re.DOTALL)


def test_the_levels_of_a_copy_can_be_downloaded_by_the_person_who_made_it(source: Collection) -> None:
    import_ = Import.objects.get(collection=copied(source))
    address = f"/api/v1/collections/copy/imports/{import_.pk}/levels.csv"
    answer = browser_of(source.owner).get(address)
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert len(rows) == 6
    told = next(one for one in import_.report["levels"] if {"item": "b", "condition": "C1"} in one["cells"])
    row = next(row for row in rows if (row["item"], row["condition"]) == ("b", "C1"))
    assert [float(row[name]) for name in FIGURES] == [told[name] for name in FIGURES]
    assert browser_of(make_user()).get(address).status_code == 404


def test_names_in_the_levels_are_no_formulas() -> None:
    figures = dict.fromkeys(FIGURES, -23.0)
    text = table([{**figures, "cells": [{"item": "=cmd|calc", "condition": "-5"}]}])
    assert text.splitlines()[1] == "'=cmd|calc,-5" + ",-23.0" * 5


def test_a_copy_says_where_it_comes_from_to_those_who_may_know(source: Collection) -> None:
    made, colleague = copied(source), make_user()
    import_ = Import.objects.get(collection=made)
    link = f'<a href="/collections/copy/imports/{import_.pk}/#levels">Before and after</a>'

    def page_for(reader: User) -> str:
        return browser_of(reader).get("/collections/copy/").content.decode()

    page = page_for(source.owner)
    assert 'Copied from <a href="/collections/source/">Source</a> to -30 LUFS.' in page
    assert link in page
    made.readers.add(colleague)
    assert "Copied from" not in page_for(colleague)
    assert "Copied from" not in browser_of(source.owner).get("/collections/source/").content.decode()
    source.delete()
    page = page_for(made.owner)
    assert "Copied from another collection to -30 LUFS." in page
    assert link in page


def test_an_import_that_only_calls_itself_a_copy_is_shown_as_what_it_is(source: Collection) -> None:
    begun = begin(source)
    Import.objects.filter(pk=begun.pk).update(layout=normalisation.LAYOUT, state=Import.State.HAS_ERRORS)
    browser = browser_of(source.owner)
    assert "Nothing is imported yet" in browser.get(f"/collections/source/imports/{begun.pk}/").content.decode()
    assert browser.get("/collections/source/").status_code == 200


def test_a_copy_of_texts_alone_is_made_and_says_that_there_was_nothing_to_level(tmp_path: Path) -> None:
    (tmp_path / "captions.csv").write_text("item,system,caption\na,human,A noise.\n")
    import_ = Import.objects.get(collection=copied(imported(tmp_path, "Words")))
    page = browser_of(import_.owner).get(f"/collections/copy/imports/{import_.pk}/").content.decode()
    assert "It has no clips, so nothing was brought to -30 LUFS." in page
    assert "<details" not in page.partition("<main")[2]


def test_what_clips_only_on_its_way_through_the_gate_is_named_by_its_cell(tmp_path: Path) -> None:
    """By its loudness it would just fit; but then its quiet part passes the gate, and the gain has to be larger."""
    write(tmp_path / "C7/dusk.wav", np.concatenate([noise(2, level=0.001), noise(4, level=0.0004)]))
    with raises_error(LevelTooHigh.code, match="'dusk x C7' would be clipped"):
        copied(imported(tmp_path, "Evening"), -5.5)
    assert not Collection.objects.filter(slug="copy").exists()


def test_a_level_at_which_something_clips_is_rejected_with_the_cells_and_the_highest_that_would_do(
    source: Collection,
) -> None:
    before = files_in_storage()
    with raises_error("levels.refused") as error:
        copied(source, -1.0)
    assert "would be clipped at -1 LUFS" in str(error.value)
    assert "x C" in str(error.value)
    assert not Collection.objects.filter(slug="copy").exists()
    assert files_in_storage() == before
    highest = float(str(error.value).rpartition(" LUFS")[0].rpartition(" ")[2])
    assert copied(source, highest).version == 1


def test_silence_has_no_level_and_no_level_is_beyond_reason(source: Collection, tmp_path: Path) -> None:
    with raises_error("levels.refused", match="no level between"):
        copied(source, 3.0)
    write(tmp_path / "quiet/a.wav", np.zeros(16000))
    with raises_error("levels.refused", match="too quiet or too short"):
        copied(imported(tmp_path / "quiet", "Hushed"))


def test_a_name_that_is_taken_is_rejected_before_anything_is_made(source: Collection) -> None:
    with raises_error("collection.slug_taken"):
        normalise_collection(source=source, target_lufs=-30, slug="source", title="Again", actor=source.owner)


def test_speech_with_pauses_below_the_gate_reaches_the_level_too(tmp_path: Path) -> None:
    """Attenuation takes its quiet parts below the absolute gate, so that one gain is not enough."""
    rng = np.random.default_rng(4)
    loud, hush = rng.uniform(-0.3, 0.3, 16000), rng.uniform(-0.0009, 0.0009, 48000)
    (tmp_path / "a.wav").write_bytes(clip_bytes(np.concatenate([loud, hush]).astype(np.float32), 16000))
    made = copied(imported(tmp_path, "Speech"), -45.0)
    assert Import.objects.get(collection=made).report["levels"][0]["after_lufs"] == pytest.approx(-45, abs=0.1)


@pytest.mark.django_db(transaction=True)
def test_the_job_makes_one_copy_however_often_it_runs(source: Collection) -> None:
    ask_for_copy(source=source, target_lufs=-30, slug="copy", title="Copy", actor=source.owner)
    job = queue.claim(worker="test", names=[normalisation.normalise_copy.name])
    assert job is not None
    normalisation.normalise_copy(run=JobRun(job), **job.arguments)
    assert Job.objects.get(pk=job.pk).state == Job.State.DONE
    normalisation.normalise_copy(run=JobRun(job), **job.arguments)
    assert Collection.objects.filter(slug="copy").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_job_that_is_rejected_says_so_in_its_note(source: Collection) -> None:
    with raises_error("levels.refused"):
        ask_for_copy(source=source, target_lufs=-1, slug="copy", title="Copy", actor=source.owner)
    arguments: dict[str, Any] = {"source_id": str(source.pk), "target_lufs": -1.0, "slug": "copy", "title": "Copy"}
    enqueue(normalisation.normalise_copy, actor_id=str(source.owner.pk), **arguments)
    job = queue.claim(worker="test", names=[normalisation.normalise_copy.name])
    assert job is not None
    run = JobRun(job)
    normalisation.normalise_copy(run=run, **job.arguments)
    run.complete()
    assert "would be clipped" in Job.objects.get(pk=job.pk).progress_note
    assert not Collection.objects.filter(slug="copy").exists()
