"""Collections: originals are kept as they came, under the name of their content, and served as bare PCM."""

import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pytest
import soundfile

from audio.errors import EmptyAudio, NotAudio
from stimuli.models import Recording, Stimulus
from stimuli.services.collections import NewSound, add_stimuli, add_stimulus, create_collection
from stimuli.views.matrix import matrix_page
from tests.errors import raises_error
from tests.factories import make_collection, make_user, tone
from tests.stimuli.stored import content, name_of, recording_of, size

pytestmark = pytest.mark.django_db


def encoded(format: str, *, title: str = "") -> bytes:
    target = io.BytesIO()
    with soundfile.SoundFile(target, "w", samplerate=16000, channels=1, format=format) as file:
        if title:
            file.title = title
        file.write(0.1 * np.sin(np.arange(1600) / 10))
    return target.getvalue()


def test_titles_and_software_names_stay_behind_and_the_original_stays_whole() -> None:
    collection = make_collection(make_user(), items=1, conditions=1)
    original = encoded("WAV", title="condition seven by Alice")
    assert b"Alice" in original
    stimulus = add_stimulus(collection=collection, item="i", condition="c", content=original)
    served = content(stimulus.served)
    assert b"Alice" not in served
    assert len(served) == 44 + 2 * 1600
    assert (served[:4], served[12:16], served[36:40]) == (b"RIFF", b"fmt ", b"data")
    assert content(recording_of("i", "c").file) == original


def test_no_name_in_storage_tells_the_item_or_the_condition() -> None:
    collection = make_collection(make_user(), items=1, conditions=2)
    for stimulus in Stimulus.objects.filter(item__collection=collection):
        assert "secret" not in name_of(stimulus.served)
    for recording in Recording.objects.filter(stimuli__item__collection=collection):
        assert "secret" not in name_of(recording.file)


def test_the_clips_of_an_item_are_filled_to_the_longest() -> None:
    collection = create_collection(owner=make_user(), slug="lengths", title="Lengths")
    for condition, duration_s in (("short", 0.05), ("long", 0.08)):
        add_stimulus(collection=collection, item="i", condition=condition, content=tone(400, duration_s))
    add_stimulus(collection=collection, item="other", condition="long", content=tone(400, 0.2))
    rows = Stimulus.objects.filter(item__collection=collection, item__name="i")
    sizes = {row.condition.name: size(row.served) for row in rows}
    assert sizes["short"] == sizes["long"]
    heard, _ = soundfile.read(io.BytesIO(content(rows.get(condition__name="short").served)))
    assert len(heard) == recording_of("i", "short").length_samples < recording_of("i", "long").length_samples


def test_clips_of_24_bits_are_served_so_until_one_of_16_comes_in() -> None:
    collection = create_collection(owner=make_user(), slug="depths", title="Depths")
    for condition, subtype in (("fine", "PCM_24"), ("finer", "FLOAT"), ("coarse", "PCM_16")):
        target = io.BytesIO()
        soundfile.write(target, 0.1 * np.sin(np.arange(400) / 10), 8000, format="WAV", subtype=subtype)
        add_stimulus(collection=collection, item="i", condition=condition, content=target.getvalue())
        rows = list(Stimulus.objects.filter(item__collection=collection))
        kinds = {soundfile.info(io.BytesIO(content(row.served))).subtype for row in rows}
        assert kinds == {"PCM_16" if condition == "coarse" else "PCM_24"}
        assert len({size(row.served) for row in rows}) == 1
    assert len(rows) == 3


@pytest.mark.parametrize("format", ["WAV", "FLAC", "AIFF", "W64"])
def test_lossless_formats_keep_every_sample(format: str) -> None:
    collection = create_collection(owner=make_user(), slug="formats", title="Formats")
    add_stimulus(collection=collection, item="i", condition="c", content=encoded(format))
    recording = recording_of("i", "c")
    assert (recording.format, recording.sample_rate_hz, recording.length_samples) == (format.lower(), 16000, 1600)
    assert recording.duration_s == pytest.approx(0.1)


def test_sounds_that_come_together_are_served_as_if_they_came_one_by_one(
    django_assert_max_num_queries: Callable[[int], AbstractContextManager[Any]],
) -> None:
    durations_s = {("i", "short"): 0.05, ("i", "long"): 0.08, ("other", "long"): 0.2}
    sounds = [NewSound(*place, tone(400, duration_s)) for place, duration_s in durations_s.items()]
    sounds += [NewSound(f"item {n}", "long", tone(400), factors={"number": str(n)}) for n in range(10)]
    apart, together = (create_collection(owner=make_user(), slug=slug, title=slug) for slug in ("apart", "together"))
    for sound in sounds:
        add_stimulus(collection=apart, **vars(sound))
    with django_assert_max_num_queries(12):  # however many they are
        stimuli = add_stimuli(collection=together, sounds=sounds)
    assert [(row.item.name, row.condition.name) for row in stimuli] == [(one.item, one.condition) for one in sounds]
    served = [
        [(str(row), row.item.factors, content(row.served)) for row in Stimulus.objects.filter(item__collection=where)]
        for where in (apart, together)
    ]
    assert served[0] == served[1]


def test_the_same_sound_twice_is_one_file() -> None:
    collection = create_collection(owner=make_user(), slug="same", title="Same")
    for condition in ("one", "two"):
        add_stimulus(collection=collection, item="i", condition=condition, content=tone(440))
    assert Stimulus.objects.count() == 2
    assert Recording.objects.count() == 1


@pytest.mark.parametrize("given", [b"", b"RIFF", b"not a sound at all", b"#EXTM3U\nsecret.wav\n"])
def test_what_is_no_sound_is_rejected_and_leaves_nothing(given: bytes) -> None:
    collection = create_collection(owner=make_user(), slug="bad", title="Bad")
    with raises_error(NotAudio.code) as error:
        add_stimulus(collection=collection, item="i", condition="c", content=given)
    assert "i x c" in str(error.value)
    assert not collection.items.exists()
    assert not Recording.objects.exists()


def test_a_file_without_samples_is_rejected() -> None:
    target = io.BytesIO()
    soundfile.write(target, np.zeros(0), 16000, format="WAV")
    collection = create_collection(owner=make_user(), slug="none", title="None")
    with raises_error(EmptyAudio.code):
        add_stimulus(collection=collection, item="i", condition="c", content=target.getvalue())


def test_the_matrix_shows_missing_cells() -> None:
    collection = make_collection(make_user(), items=2, conditions=2)
    add_stimulus(collection=collection, item="lonely", condition="secretcondition0", content=tone(500))
    shown = matrix_page(collection, "1", [])
    assert [condition.name for condition in shown["conditions"]] == ["secretcondition0", "secretcondition1"]
    assert [(row.item.name, [cell.stimulus is not None for cell in row.cells]) for row in shown["rows"]] == [
        ("lonely", [True, False]),
        ("secretitem0", [True, True]),
        ("secretitem1", [True, True]),
    ]
