"""Summaries as participants fetch them: from their own frames where that tells nothing, and exact to the sample."""

import io
from pathlib import Path

import numpy as np
import pytest
import soundfile
from pytest_django.fixtures import Settings

from audio.formats import Format, Samples
from stimuli.models import Collection, Stimulus
from stimuli.services import delivery, tiles
from stimuli.services.quality_checks import check_collection
from stimuli.services.sources import Source, source_for_participant
from tests.audio.material import mp3, noise, written
from tests.factories import make_user
from tests.stimuli.recordings import fresh_storage
from tests.stimuli.sound_browser import decoded
from tests.stimuli.test_imports import bring

pytestmark = pytest.mark.django_db

RATE = 16000
SECONDS = 12


@pytest.fixture(autouse=True)
def _own_storage(settings: Settings, tmp_path: Path) -> None:
    fresh_storage(settings, tmp_path / "data")


@pytest.fixture
def collection() -> Collection:
    return Collection.objects.create(slug="days", title="Days", owner=make_user())


def sound(seed: int) -> Samples:
    return noise(SECONDS * RATE, seed=seed, level=0.1)


def imported(root: Path, collection: Collection, **files: bytes) -> dict[str, Source]:
    """Import a recording A with these summaries; say what a participant gets of each."""
    folder = root / "sounds" / "A"
    folder.mkdir(parents=True)
    for name, content in files.items():
        kind = "mp3" if content[:3] == b"ID3" else "wav"
        (folder / f"A-{name}.{kind}").write_bytes(content)
    bring(root / "sounds", collection)
    rows = Stimulus.objects.select_related("recording", "condition").filter(item__collection=collection)
    return {row.condition.name: source_for_participant(row) for row in rows}


def heard(source: Source, start: int, count: int) -> Samples:
    cut = delivery.slice_of(source=source, start=start, count=count)
    samples, _ = soundfile.read(io.BytesIO(cut.content), dtype="float32", always_2d=True)
    kept: Samples = samples[cut.lead_samples : cut.lead_samples + cut.length_samples]
    return kept


def test_summaries_that_are_coded_alike_are_heard_from_their_own_frames(tmp_path: Path, collection: Collection) -> None:
    full = mp3(sound(9), RATE, kbits=64)
    found = imported(
        tmp_path, collection, full_length=full, one=mp3(sound(1), RATE, kbits=32), two=mp3(sound(2), RATE, kbits=32)
    )
    whole = decoded(tmp_path / "sounds/A/A-one.mp3").read(0, SECONDS * RATE)
    source = found["one"]
    for start, count in ((0, 2 * RATE), (33_333, 2 * RATE), (SECONDS * RATE - 100, 100)):
        assert np.abs(heard(source, start, count) - whole[start : start + count]).max() < 2**-23
    fetched = sum(
        len(delivery.slice_of(source=source, start=at * RATE, count=2 * RATE).content) for at in range(0, SECONDS, 2)
    )
    assert fetched < 2 * len((tmp_path / "sounds/A/A-one.mp3").read_bytes())
    assert fetched < 0.3 * SECONDS * RATE * 2, "far less than PCM"
    assert not check_collection(collection=collection)["findings"]


def test_a_viewer_gets_everything_of_a_summary_and_no_name(tmp_path: Path, collection: Collection) -> None:
    tagged = mp3(sound(1), RATE, kbits=32)
    assert b"LAME" in tagged or b"Lavf" in tagged
    found = imported(tmp_path, collection, full_length=mp3(sound(9), RATE), secretname=tagged)
    source = found["secretname"]
    told = delivery.manifest(source=source)
    assert (told["state"], told["ready"], told["clock"]) == ("ready", [[0, told["length_samples"]]], [])
    assert "secret" not in str(told)
    assert tiles.peaks(source=source, level=0, start=0, count=10).complete
    assert tiles.tile(source=source, statistic="max", level=0, index=0).content[:2] == b"\xff\xd8"
    first = delivery.slice_of(source=source, start=0, count=2 * RATE).content
    assert not any(sign in first for sign in (b"ID3", b"Xing", b"Info", b"Lavf", b"secret"))
    assert delivery.clip_name(source=source).startswith("served/")


@pytest.mark.parametrize("other", [mp3(sound(2), RATE, kbits=64), written(sound(2), RATE, "wav")])
def test_summaries_that_differ_in_coding_are_sent_alike_and_the_difference_is_told(
    tmp_path: Path, collection: Collection, other: bytes
) -> None:
    files = {"full_length": mp3(sound(9), RATE), "one": mp3(sound(1), RATE, kbits=32), "two": other}
    found = imported(tmp_path, collection, **files)
    assert {found[name].format for name in ("one", "two")} == {Format.WAV}
    for name in ("one", "two"):
        assert delivery.slice_of(source=found[name], start=0, count=RATE).content[:4] == b"fLaC"
    told = [one for one in check_collection(collection=collection)["findings"] if one["code"] == "item.codings_differ"]
    assert [(one["severity"], one["item"]) for one in told] == [("warning", "A")]
    assert "mp3 32 kbit/s (one)" in told[0]["sentence"]


def test_a_short_mp3_with_no_recording_beside_it_shows_nothing_of_how_it_came(
    tmp_path: Path, collection: Collection
) -> None:
    found = imported(tmp_path, collection, one=mp3(sound(1), RATE, kbits=32), two=mp3(sound(2), RATE, kbits=32))
    assert {source.format for source in found.values()} == {Format.WAV}


def test_tags_between_the_frames_of_a_summary_stay_behind(tmp_path: Path, collection: Collection) -> None:
    half = mp3(sound(1), RATE, kbits=32)
    spoken = b"TAG" + b"condition seven".ljust(125)
    found = imported(
        tmp_path, collection, full_length=mp3(sound(9), RATE), one=half + spoken + half, two=half + spoken + half
    )
    source = found["one"]
    whole = decoded(tmp_path / "sounds/A/A-one.mp3").read(0, source.length_samples)
    for start in range(0, source.length_samples - RATE, RATE):
        cut = delivery.slice_of(source=source, start=start, count=RATE)
        assert b"seven" not in cut.content
    assert np.abs(heard(source, 5 * RATE, RATE) - whole[5 * RATE : 6 * RATE]).max() < 2**-15
