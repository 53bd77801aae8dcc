"""Quality checks of a collection, by cell, from the stored measures."""

from pathlib import Path

import pytest

from audio.quality_checks import Options
from stimuli.models import Collection, Recording, Stimulus
from stimuli.services.imports import drafted_folder, import_draft
from stimuli.services.quality_checks import check_collection, measure_missing
from tests.factories import make_collection, make_user
from tests.stimuli.folders import noise, write

pytestmark = pytest.mark.django_db


def imported(folder: Path) -> Collection:
    collection = Collection.objects.create(slug="checked", title="Checked", owner=make_user())
    with drafted_folder(folder=folder, progress=lambda *_: None) as drafted:
        import_draft(drafted=drafted, collection=collection, actor=collection.owner, progress=lambda *_: None)
    return collection


def test_a_finding_names_its_cell_and_links_to_it(tmp_path: Path) -> None:
    write(tmp_path / "C0/a.wav", noise(0.6))
    write(tmp_path / "C1/a.wav", noise(0.6, seed=1) + 0.2)
    write(tmp_path / "C0/b.wav", noise(0.6, seed=2))
    found = check_collection(collection=imported(tmp_path))
    offset = next(one for one in found["findings"] if one["code"] == "sound.dc_offset")
    assert (offset["item"], offset["condition"], offset["severity"]) == ("a", "C1", "warning")
    assert offset["stimulus"] == str(Stimulus.objects.get(item__name="a", condition__name="C1").pk)
    missing = next(one for one in found["findings"] if one["code"] == "cell.missing")
    assert (missing["item"], missing["condition"], missing["stimulus"]) == ("b", "C1", None)
    assert (found["errors"], found["unmeasured"], found["stimuli"]) == (1, 0, 3)
    assert found["findings"][0]["severity"] == "error"


def test_a_target_and_lengths_are_checked_when_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "C0/a.wav", noise(0.6))
    collection = imported(tmp_path)
    assert not check_collection(collection=collection)["findings"]
    found = check_collection(collection=collection, options=Options(target_lufs=-40, shortest_s=2.0))
    assert {one["code"] for one in found["findings"]} == {"level.off_target", "sound.short"}


def test_what_came_in_without_measures_is_measured_once() -> None:
    collection = make_collection(make_user(), items=1, conditions=2)
    assert check_collection(collection=collection)["unmeasured"] == 2
    assert measure_missing(collection=collection) == 2
    assert measure_missing(collection=collection) == 0
    assert check_collection(collection=collection)["unmeasured"] == 0
    assert all(row.measures["sample_peak_dbfs"] == pytest.approx(-20, abs=0.2) for row in Recording.objects.all())
