"""Recordings with summaries in the database: factors of conditions, starts of days, and what an import leaves alone."""

from pathlib import Path

import pytest

from audio.clock import Stretch
from stimuli.models import Collection, Condition, Item, Stimulus
from stimuli.services.clocks import correct_clock
from stimuli.services.normalisation import normalise_collection
from stimuli.services.quality_checks import check_collection
from tests.factories import make_user
from tests.people import browser_of
from tests.stimuli.folders import RATE, noise, write
from tests.stimuli.test_imports import bring

pytestmark = pytest.mark.django_db

MANIFEST = (
    "path,item,condition,condition.z,starts_at\n"
    "A/A_full-length.wav,A,full-length,,06:30\n"
    "A/A-1.wav,A,greedy,0.5,\nA/A-2.wav,A,random,,\n"
)


@pytest.fixture
def collection() -> Collection:
    return Collection.objects.create(slug="days", title="Days", owner=make_user())


def folder_of(root: Path, *, manifest: str = MANIFEST, seed: int = 0) -> Path:
    for number, name in enumerate(("A_full-length", "A-1", "A-2")):
        write(root / "A" / f"{name}.wav", noise(1.0, seed=seed + number))
    if manifest:
        (root / "manifest.csv").write_text(manifest)
    return root


def day() -> Stimulus:
    return Stimulus.objects.get(condition__role="full-length", item__collection__slug="days")


def test_a_manifest_gives_conditions_their_factors_and_the_day_its_start(
    tmp_path: Path, collection: Collection
) -> None:
    bring(folder_of(tmp_path), collection)
    assert {row.name: row.factors for row in Condition.objects.all()} == {
        "full-length": {},
        "greedy": {"z": "0.5"},
        "random": {},
    }
    assert day().starts_at_s == 23_400
    assert Item.objects.get().factors == {}
    assert {row.starts_at_s for row in Stimulus.objects.exclude(pk=day().pk)} == {None}
    page = browser_of(collection.owner).get("/collections/days/").content.decode()
    assert "z: 0.5" in page


def test_a_day_begins_at_midnight_where_nobody_says_otherwise(tmp_path: Path, collection: Collection) -> None:
    bring(folder_of(tmp_path, manifest=""), collection)
    assert day().starts_at_s == 0


def test_a_later_import_adds_factors_to_conditions_that_are_there(tmp_path: Path, collection: Collection) -> None:
    bring(folder_of(tmp_path), collection)
    more = "path,item,condition,condition.method\nA/A-1.wav,A,greedy,own\n"
    bring(folder_of(tmp_path, manifest=more), collection, replace=True)
    assert Condition.objects.get(name="greedy").factors == {"z": "0.5", "method": "own"}


def test_a_corrected_clock_outlives_the_same_file_and_no_other(tmp_path: Path, collection: Collection) -> None:
    bring(folder_of(tmp_path / "one"), collection)
    stretches = [Stretch(0, RATE // 2, 3600.0), Stretch(RATE // 2, RATE, 7200.0)]
    correct_clock(stimulus=day(), stretches=stretches, actor=collection.owner)
    corrected = day().clock
    assert corrected
    bring(folder_of(tmp_path / "again", manifest=""), collection, replace=True, layout="summaries")
    assert (day().starts_at_s, day().clock) == (3600, corrected), "nothing new was said about the same recording"
    bring(folder_of(tmp_path / "two", seed=50), collection, replace=True)
    assert (day().starts_at_s, day().clock) == (23_400, None)
    assert Stimulus.objects.filter(clock__isnull=True).count() == Stimulus.objects.count()


def test_a_copy_at_another_level_keeps_factors_and_clock(tmp_path: Path, collection: Collection) -> None:
    bring(folder_of(tmp_path), collection)
    stretches = [Stretch(0, RATE // 2, 3600.0), Stretch(RATE // 2, RATE, 7200.0)]
    correct_clock(stimulus=day(), stretches=stretches, actor=collection.owner)
    made = normalise_collection(source=collection, target_lufs=-30, slug="quiet", title="Quiet", actor=collection.owner)
    copied = Stimulus.objects.get(item__collection=made, condition__role="full-length")
    assert (copied.starts_at_s, copied.clock) == (day().starts_at_s, day().clock)
    assert Condition.objects.get(collection=made, name="greedy").factors == {"z": "0.5"}


def test_an_example_with_fewer_summaries_is_a_warning_and_no_error(tmp_path: Path, collection: Collection) -> None:
    folder_of(tmp_path, manifest="")
    for name in ("X_full-length", "X-1"):
        write(tmp_path / "X" / f"{name}.wav", noise(1.0, seed=len(name)))
    bring(tmp_path, collection)
    found = check_collection(collection=collection)["findings"]
    assert [(one["code"], one["item"], one["condition"]) for one in found] == [("cell.missing_beside", "X", "2")]
