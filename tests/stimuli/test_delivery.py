"""Delivery of a short sound to the viewer: slices at exact samples, pictures, clips with ranges, clear errors."""

import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from pytest_django.fixtures import Settings

from stimuli.models import Condition, Item, Recording, Stimulus
from stimuli.services import sources
from tests.audio.material import written
from tests.stimuli.recordings import fresh_storage
from tests.stimuli.sound_browser import RATE, decoded, short

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_storage(settings: Settings, tmp_path: Path) -> None:
    fresh_storage(settings, tmp_path)


# --- Short sounds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [pytest.param("wav", marks=pytest.mark.long), "flac"])
def test_a_short_sound_is_heard_exactly_in_slices_that_join(tmp_path: Path, kind: str) -> None:
    browser, samples = short(tmp_path, kind)
    cuts = [0, 1, 777, 20_000, 20_001, len(samples)]
    heard = np.concatenate([browser.slice(start, stop - start) for start, stop in pairwise(cuts)])
    assert np.array_equal(heard, samples)
    assert np.array_equal(browser.slice(len(samples) - 10, 1000), samples[-10:]), "the end is the end"


def test_a_short_mp3_is_heard_from_its_own_bytes(tmp_path: Path) -> None:
    browser, samples = short(tmp_path, "mp3")
    content = (tmp_path / "short.mp3").read_bytes()
    whole = decoded(tmp_path / "short.mp3").read(0, len(samples))
    assert len(whole) == browser.manifest()["length_samples"]
    assert np.array_equal(browser.slice(12_345, 5000), whole[12_345:17_345])
    assert browser.get("slice/?start=30000&count=100").content in content


def test_a_manifest_says_all_that_a_viewer_must_know(tmp_path: Path) -> None:
    browser, samples = short(tmp_path, "wav")
    told = browser.manifest()
    assert (told["version"], told["state"], told["channels"], told["sample_rate_hz"]) == (1, "ready", 2, RATE)
    assert told["ready"] == [[0, len(samples)]]
    assert told["peaks"]["bin_samples"] == 8
    assert told["spectrogram"]["window_samples"] == 1024
    assert told["spectrogram"]["step_samples"] == 128
    assert told["slices"] == {"longest_samples": 10 * RATE}
    assert (told["clock"], told["silences"], told["measures"]) == ([], [], {})
    assert "ingest" not in told


def test_peaks_of_a_short_sound_are_the_outline_of_its_samples(tmp_path: Path) -> None:
    browser, samples = short(tmp_path, "wav")
    for level in range(browser.manifest()["peaks"]["levels"]):
        width = 8 * 4**level
        bins = [samples[at : at + width] for at in range(0, len(samples), width)]
        wanted = [[np.floor(part.min() * 128), np.ceil(part.max() * 128)] for part in bins]
        assert np.array_equal(browser.peaks(level, 0, 16_384), np.array(wanted, np.int8))
    assert np.array_equal(browser.peaks(0, 5, 3), browser.peaks(0, 0, 100)[5:8])
    assert len(browser.peaks(0, 10_000, 3)) == 0


def test_a_tile_is_drawn_once_and_kept(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    browser, _ = short(tmp_path, "wav")
    first, picture = browser.tile("max", 0, 0)
    assert picture.max() > 100
    assert first.headers["Cache-Control"] == "private, max-age=86400"
    assert "Earmark-Complete" not in first.headers

    def dead(*arguments: object, **named: object) -> None:
        raise AssertionError("the sandbox was asked again")

    monkeypatch.setattr(sources, "run_sandboxed", dead)
    assert browser.tile("mean", 0, 0)[0].content == first.content, "where nothing is pooled the statistics are one"
    assert Path(settings.PICTURE_CACHE_DIR).exists()


def test_peaks_come_as_a_file_that_other_programs_read(tmp_path: Path) -> None:
    browser, samples = short(tmp_path, "wav")
    answer = browser.client.get(f"{browser.sound}peaks-0.dat")
    content = answer.getvalue()
    bins = -(-len(samples) // 8)
    assert struct.unpack("<iIiiIi", content[:24]) == (2, 1, RATE, 8, bins, 1)
    assert content[24:] == browser.peaks(0, 0, 16_384).tobytes()
    assert answer.headers["Content-Disposition"] == 'attachment; filename="peaks-0.dat"'


# --- Clips ------------------------------------------------------------------------------------------------------------


def test_a_clip_is_sent_whole_or_in_one_range(tmp_path: Path) -> None:
    browser, samples = short(tmp_path, "flac")
    clip = written(samples, RATE, "wav")
    whole = browser.client.get(f"{browser.sound}clip/")
    assert (whole.status_code, whole.getvalue()) == (200, clip)
    assert (whole.headers["Accept-Ranges"], whole.headers["Content-Type"]) == ("bytes", "audio/wav")
    assert whole.headers["Cache-Control"] == "private, no-store"
    assert not {"ETag", "Last-Modified", "Content-Disposition", "Content-Range"} & set(whole.headers)
    size = len(clip)
    wanted = {
        "bytes=0-99": (0, 100),
        "bytes=500-": (500, size),
        "bytes=-7": (size - 7, size),
        f"bytes=-{2 * size}": (0, size),
        f"bytes=10-{2 * size}": (10, size),
    }
    for asked, (start, stop) in wanted.items():
        answer = browser.client.get(f"{browser.sound}clip/", headers={"Range": asked})
        assert (answer.status_code, answer.getvalue()) == (206, clip[start:stop]), asked
        assert answer.headers["Content-Range"] == f"bytes {start}-{stop - 1}/{size}"
        assert answer.headers["Content-Length"] == str(stop - start)


def test_a_range_beyond_the_end_is_refused_and_an_odd_one_is_not_heeded(tmp_path: Path) -> None:
    browser, samples = short(tmp_path, "wav")
    size = len(written(samples, RATE, "wav"))
    for outside in (f"bytes={size}-", f"bytes={size + 5}-{size + 9}", "bytes=-0"):
        answer = browser.client.get(f"{browser.sound}clip/", headers={"Range": outside})
        assert (answer.status_code, answer.headers["Content-Range"]) == (416, f"bytes */{size}")
        assert answer.json()["code"] == "sound.bytes_outside"
    for odd in ("bytes=5-2", "bytes=-", "bytes=0-1,4-5", "words=0-1", "bytes=a-b", "bytes=0-" + "9" * 5000):
        answer = browser.client.get(f"{browser.sound}clip/", headers={"Range": odd})
        assert (answer.status_code, len(answer.getvalue())) == (200, size), odd


def test_head_says_the_same_without_a_body(tmp_path: Path) -> None:
    browser, _ = short(tmp_path, "wav")
    got, head = browser.client.get(f"{browser.sound}clip/"), browser.client.head(f"{browser.sound}clip/")
    assert head.headers == got.headers
    assert (head.status_code, head.getvalue()) == (200, b"")


def test_nginx_is_told_where_the_clip_lies_where_there_is_one(tmp_path: Path, settings: Settings) -> None:
    browser, _ = short(tmp_path, "wav")
    settings.X_ACCEL_PREFIX = "/_files/"
    answer = browser.client.get(f"{browser.sound}clip/", headers={"Range": "bytes=0-9"})
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["X-Accel-Redirect"] == "/_files/served/clip.wav"


# --- Errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("slice/?start=48000", 416, "sound.position_outside"),
        ("slice/?start=0&count=0", 416, "sound.position_outside"),
        ("slice/?start=0&count=160001", 422, "sound.slice_too_long"),
        ("slice/?start=-5", 400, "request.invalid"),
        ("slice/?start=1e3", 400, "request.invalid"),
        ("peaks/0/?start=" + "9" * 30, 400, "request.invalid"),
        ("peaks/9/", 404, "sound.no_picture"),
        ("tiles/max/9/0/", 404, "sound.no_picture"),
        ("tiles/max/0/9/", 404, "sound.no_picture"),
        ("tiles/median/0/0/", 404, "sound.no_picture"),
        ("peaks-9.dat", 404, "sound.no_picture"),
    ],
)
def test_what_is_not_there_is_refused_with_a_code(tmp_path: Path, path: str, status: int, code: str) -> None:
    browser, _ = short(tmp_path, "wav")
    assert browser.get(path, status=status).json()["code"] == code


def test_a_text_has_nothing_to_hear_and_a_refused_recording_says_why(tmp_path: Path) -> None:
    browser, _ = short(tmp_path, "wav")
    Recording.objects.update(state="refused", error="'x' is damaged.")
    refused = browser.get("manifest/", status=409).json()
    assert (refused["code"], refused["detail"]) == (
        "recording.refused",
        "This recording cannot be used. 'x' is damaged.",
    )
    collection = browser.stimulus.item.collection
    item = Item.objects.create(collection=collection, name="caption")
    text = Stimulus.objects.create(item=item, condition=Condition.objects.get(), text={"kind": "caption", "text": "x"})
    answer = browser.client.get(
        f"/collections/{collection.slug}/{text.pk}/sound/clip/", headers={"Accept": "application/json"}
    )
    assert (answer.status_code, answer.json()["code"]) == (404, "sound.none")
