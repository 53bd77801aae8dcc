"""Delivery of a long recording to the viewer: ready and half ingested, from every kind of original, from a bucket."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from pytest_django.fixtures import Settings

from audio.formats import Format
from audio.pyramid import CHUNK_SAMPLES, samples_of_chunk
from stimuli import storage
from stimuli.models import Recording
from stimuli.services import ingest, sources, tiles
from stimuli.services.sources import Source
from tests.audio.long_recordings import day_mp3, day_opus, day_wav
from tests.audio.material import written
from tests.scale import ALL
from tests.stimuli.recordings import bring_in, fresh_storage
from tests.stimuli.sound_browser import RATE, SoundBrowser, decoded, short
from tests.stimuli.stores import s3_server, use_bucket

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_storage(settings: Settings, tmp_path: Path) -> None:
    fresh_storage(settings, tmp_path)


def test_a_long_mp3_is_heard_anywhere_at_once_and_without_a_decoder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "day.mp3"
    day = day_mp3(path, hours=1.2, rate=8000, vbr=True)
    browser, sound, chance = SoundBrowser(bring_in(path)), decoded(path), Random(3)

    def dead(*arguments: object, **named: object) -> None:
        raise AssertionError("the sandbox was asked")

    monkeypatch.setattr(sources, "run_sandboxed", dead)
    read: list[int] = []
    read_range = storage.read_range

    def noted(name: str, start: int, count: int) -> bytes:
        read.append(count)
        return read_range(name, start, count)

    monkeypatch.setattr(storage, "read_range", noted)
    assert browser.manifest()["state"] == "ingesting"
    for _ in range(20):
        start = chance.randrange(day.length_samples - 16_000)
        assert np.array_equal(browser.slice(start, 16_000), sound.read(start, 16_000))
    unit = day.code.unit_samples
    heard = np.concatenate([browser.slice(unit * 500, unit), browser.slice(unit * 501, unit)])
    begins, number = day.code.heard(heard)
    assert (abs(begins) <= 2, number) == (True, 500), "what is asked for is what is heard"
    assert max(read) < 200_000, "nothing but a few seconds and the index is read"
    assert browser.get("clip/", status=404).json()["code"] == "sound.no_clip"


def test_a_recording_can_be_browsed_while_it_is_ingested_and_looks_the_same_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "day.wav"
    # A chunk of five channels has an eighth of the columns to transform.
    hours, channels, every = (2.4, 1, 600) if ALL else (0.3, 5, 60)
    day_wav(path, hours=hours, rate=8000, channels=channels, every=every)
    chunk = samples_of_chunk(channels)
    browser = SoundBrowser(bring_in(path))
    assert browser.manifest()["ready"] == []
    make_chunks(browser.recording, 0, 2)
    told = browser.manifest()
    assert told["ready"] == [[0, chunk], [2 * chunk, told["length_samples"]]]
    assert (told["state"], told["ingest"]["done"], told["ingest"]["total"]) == ("ingesting", 2, 3)

    there = browser.get("peaks/0/?start=0&count=4096")
    assert there.headers["Cache-Control"] == "private, max-age=86400"
    level = 5 if ALL else 3
    whole = browser.get(f"peaks/{level}/?start=0&count=4096")
    assert (whole.headers["Earmark-Complete"], whole.headers["Cache-Control"]) == ("no", "private, no-store")
    first_tile, _ = browser.tile("max", 4, 0)
    assert "Earmark-Complete" not in first_tile.headers
    missing, black = browser.tile("max", 4, chunk // (1024 * 64 << 4))
    assert (missing.headers["Earmark-Complete"], black.max()) == ("no", 0)
    top = told["spectrogram"]["levels"] - 1
    assert browser.tile("max", top, 0)[0].headers["Earmark-Complete"] == "no"
    half = browser.peaks(level, 0, 4096)
    fine = browser.tile("max", 1, 7)[0].content
    assert len(browser.slice(chunk + 5, 100)) == 100, "an original that can be cut is heard everywhere"

    make_chunks(browser.recording, 1)
    ingest.ingest_at_once(recording=browser.recording)
    told = browser.manifest()
    assert (told["state"], told["ready"]) == ("ready", [[0, told["length_samples"]]])
    assert told["measures"]["sample_peak_dbfs"] < 0
    assert browser.get("peaks/0/?start=0&count=4096").content == there.content
    assert browser.tile("max", 4, 0)[0].content == first_tile.content
    assert browser.tile("max", 1, 7)[0].content == fine
    assert "Earmark-Complete" not in browser.tile("mean", top, 0)[0].headers
    full = browser.peaks(level, 0, 4096)
    first, stop = chunk // (512 * 4**level), 2 * chunk // (512 * 4**level)
    known = np.r_[0:first, stop : len(full)]
    assert np.array_equal(full[known], half[known])
    assert not half[first:stop].any()
    assert full[first:stop].any()


def test_reading_chunks_while_they_are_merged_gives_the_final_tile(tmp_path: Path) -> None:
    path = tmp_path / "day.wav"
    day_wav(path, hours=1.2 if ALL else 0.2, rate=8000)
    recording = bring_in(path)
    ingest.ingest_at_once(recording=recording)
    stale = Recording.objects.get()
    stale.state = Recording.State.INGESTING
    stale.chunks.create(number=0)  # their rows go after their files
    source = sources.original_of(stale)
    final = tiles.peaks(source=sources.original_of(recording), level=0, start=0, count=100)
    assert final.complete
    assert tiles.peaks(source=source, level=0, start=0, count=100) == final


def make_chunks(recording: Recording, *numbers: int) -> None:
    for number in numbers:
        ingest.make_chunk(recording=recording, number=number)
        recording.chunks.create(number=number)


def test_what_cannot_be_cut_is_heard_from_its_master_across_chunks(tmp_path: Path) -> None:
    path = tmp_path / "day.opus"
    day = day_opus(path, hours=0.2)  # two chunks, the second of them short
    browser, sound = SoundBrowser(bring_in(path)), decoded(path)
    assert browser.get("slice/?start=0&count=48000", status=409).json()["code"] == "recording.not_ready"
    make_chunks(browser.recording, 0)
    assert len(browser.slice(0, 48_000)) == 48_000
    assert (
        browser.get(f"slice/?start={CHUNK_SAMPLES - 10}&count=20", status=409).json()["code"] == "recording.not_ready"
    )
    ingest.ingest_at_once(recording=browser.recording)
    heard = browser.slice(CHUNK_SAMPLES - 20_000, 40_000)
    wanted = sound.read(CHUNK_SAMPLES - 20_000, 40_000)
    assert np.abs(heard - wanted).max() <= 2**-15, "no more than the rounding to 16 bits"
    unit = day.code.unit_samples
    begins, number = day.code.heard(browser.slice(unit * 700, 2 * unit))
    assert (abs(begins) <= 2, number) == (True, 700)
    joint = CHUNK_SAMPLES // (1024 * 256)
    assert browser.tile("max", 0, joint)[1].max() > 0, "a tile at the joint of two masters"


def test_a_long_opus_has_masters() -> None:
    source = Source(Recording(length_samples=10**9, sample_rate_hz=48000), "x", Format.OPUS)
    assert source.has_masters


# --- In a bucket ------------------------------------------------------------------------------------------------------


@pytest.fixture
def _bucket(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with s3_server() as endpoint:
        use_bucket(settings, tmp_path, endpoint)
        yield


@pytest.mark.usefixtures("_bucket")
def test_all_of_it_works_from_a_bucket(tmp_path: Path) -> None:
    browser, samples = short(tmp_path, "flac")
    clip = browser.client.get(f"{browser.sound}clip/", headers={"Range": "bytes=44-"})
    assert clip.getvalue() == written(samples, RATE, "wav")[44:]
    assert np.array_equal(browser.slice(100, 1000), samples[100:1100])
    path = tmp_path / "day.mp3"
    day_mp3(path, hours=1.2 if ALL else 0.2, rate=8000)
    long = SoundBrowser(bring_in(path))
    late = 9_000_000 if ALL else 5_000_000
    assert np.array_equal(long.slice(late, 8000), decoded(path).read(late, 8000))
    ingest.ingest_at_once(recording=long.recording)
    assert long.manifest()["state"] == "ready"
    assert len(long.peaks(0, 60_000 if ALL else 11_000, 100)) == 100
    assert long.tile("mean", 5, 0)[1].max() > 0
    assert not (tmp_path / "files").exists()
