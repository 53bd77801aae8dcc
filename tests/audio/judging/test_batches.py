"""Many short files in few children: each judged for itself, in order, also when one of them breaks its child."""

import hashlib
import io

import pytest

from audio.errors import NotAudio, SoundBroken, SoundTooCostly
from audio.facts import Measures, Shape
from audio.judging.batches import examine_many
from audio.sealed.asking import Limits
from tests.audio.hostile import silence
from tests.audio.material import noise, tone, written

CLIP = written(tone(48_000, 48_000), 48_000, "wav")


def test_each_file_is_measured_or_refused_in_its_place() -> None:
    contents = [CLIP, b"text", CLIP[:50_000], written(noise(30_000), 16_000, "flac")]
    files = [io.BytesIO(content) for content in contents]
    names = ["a.wav", "b.wav", "c.wav", "d.flac"]
    first, text, cut, last = examine_many(files, names, longest_h=26, short_s=600, files_per_child=3)
    assert isinstance(first, dict)
    assert isinstance(last, dict)
    assert Shape.from_json(first["shape"]) == Shape("wav", 48_000, 1, 48_000, 16)
    assert first["sha256"] == hashlib.sha256(CLIP).hexdigest()
    assert Measures.from_json(first["measures"]).sample_peak_dbfs == pytest.approx(-6.02, abs=0.05)
    assert isinstance(text, NotAudio)
    assert text.data["name"] == "b.wav"
    assert isinstance(cut, SoundBroken)
    assert cut.data["name"] == "c.wav"
    assert Shape.from_json(last["shape"]).length_samples == 30_000


def test_a_file_that_breaks_its_child_costs_the_others_nothing() -> None:
    heavy = silence(seconds=14_400, channels=8)
    files = [io.BytesIO(content) for content in (CLIP, heavy, CLIP)]
    limits = Limits(cpu_s=1)
    before, broken, after = examine_many(files, ["a", "b", "c"], longest_h=26, short_s=20_000, limits=limits)
    assert isinstance(broken, SoundTooCostly)
    assert broken.data["name"] == "b"
    assert isinstance(before, dict)
    assert before == after


def test_a_long_one_is_told_and_left_for_its_own_jobs() -> None:
    (verdict,) = examine_many([io.BytesIO(silence(seconds=7200))], ["a"], longest_h=26, short_s=600)
    assert isinstance(verdict, dict)
    assert verdict["is_short"] is False
    assert verdict["measures"] is None
    assert verdict["sha256"] is None


def test_no_files_are_no_verdicts() -> None:
    assert examine_many([], [], longest_h=26, short_s=600) == []
