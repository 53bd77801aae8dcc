"""Batches for sandboxed children: nothing lost, about even, and a result for every file."""

import hashlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.errors import NotAudio, SoundBroken, SoundTooCostly
from audio.formats import Shape
from audio.partial_results import Measures
from audio.sandbox.batching import even_batches, examine_files
from audio.sandbox.client import Limits
from tests.audio.hostile import silence
from tests.audio.material import noise, tone, written

CLIP = written(tone(48_000, 48_000), 48_000, "wav")


def test_each_file_is_measured_or_refused_in_its_place() -> None:
    contents = [CLIP, b"text", CLIP[:50_000], written(noise(30_000), 16_000, "flac")]
    files = [io.BytesIO(content) for content in contents]
    names = ["a.wav", "b.wav", "c.wav", "d.flac"]
    first, text, cut, last = examine_files(files, names, longest_h=26, short_s=600, files_per_child=3)
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
    before, broken, after = examine_files(files, ["a", "b", "c"], longest_h=26, short_s=20_000, limits=limits)
    assert isinstance(broken, SoundTooCostly)
    assert broken.data["name"] == "b"
    assert isinstance(before, dict)
    assert before == after


def test_a_long_one_is_told_and_left_for_its_own_jobs() -> None:
    (verdict,) = examine_files([io.BytesIO(silence(seconds=7200))], ["a"], longest_h=26, short_s=600)
    assert isinstance(verdict, dict)
    assert verdict["is_short"] is False
    assert verdict["measures"] is None
    assert verdict["sha256"] is None


def test_no_files_are_no_verdicts() -> None:
    assert examine_files([], [], longest_h=26, short_s=600) == []


MAX_SIZE = 100


@given(sizes=st.lists(st.integers(1, 3 * MAX_SIZE), max_size=300), children=st.integers(1, 4))
def test_everything_is_in_one_batch_in_its_order_and_at_most_one_item_stands_out(
    sizes: list[int], children: int
) -> None:
    batches = even_batches(sizes, size=lambda size: size, max_size=MAX_SIZE, children=children)
    assert [size for batch in batches for size in batch] == sizes
    assert all(batch and sum(batch[:-1]) < MAX_SIZE for batch in batches)


@given(count=st.integers(1, 2000), children=st.integers(1, 4))
def test_equal_items_are_spread_evenly_over_all_children(count: int, children: int) -> None:
    lengths = [
        len(batch) for batch in even_batches(range(count), size=lambda _: 1, max_size=MAX_SIZE, children=children)
    ]
    assert max(lengths) <= min(MAX_SIZE, -(-count // min(children, count)))
    assert max(lengths) - min(lengths) <= 1
    assert len(lengths) == count or len(lengths) % children == 0


def test_one_large_item_does_not_make_the_batches_of_small_ones_smaller() -> None:
    sizes = [1] * 200 + [50 * MAX_SIZE] + [1] * 200
    batches = even_batches(sizes, size=lambda size: size, max_size=MAX_SIZE, children=2)
    assert len(batches) <= 8
