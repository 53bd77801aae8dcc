"""Collections: sound comes in as any file libsndfile reads and is kept as bare PCM under the name of its content."""

import io

import numpy as np
import pytest
import soundfile

from stimuli.errors import EmptyAudio, NotAudio
from stimuli.models import Recording, Stimulus
from stimuli.services.collections import add_stimulus, create_collection, matrix
from tests.factories import make_collection, make_user, tone

pytestmark = pytest.mark.django_db


def encoded(format: str, *, title: str = "") -> bytes:
    target = io.BytesIO()
    with soundfile.SoundFile(target, "w", samplerate=16000, channels=1, format=format) as file:
        if title:
            file.title = title
        file.write(0.1 * np.sin(np.arange(1600) / 10))
    return target.getvalue()


def test_titles_and_software_names_stay_behind() -> None:
    collection = make_collection(make_user(), items=1, conditions=1)
    content = encoded("WAV", title="condition seven by Alice")
    assert b"Alice" in content
    stimulus = add_stimulus(collection=collection, item="i", condition="c", content=content)
    with stimulus.recording.file.open() as file:
        kept = file.read()
    assert b"Alice" not in kept
    assert len(kept) == 44 + 2 * 1600
    assert (kept[:4], kept[12:16], kept[36:40]) == (b"RIFF", b"fmt ", b"data")


@pytest.mark.parametrize("format", ["WAV", "FLAC", "AIFF", "W64"])
def test_lossless_formats_keep_every_sample(format: str) -> None:
    collection = create_collection(owner=make_user(), slug="formats", title="Formats")
    stimulus = add_stimulus(collection=collection, item="i", condition="c", content=encoded(format))
    assert (stimulus.recording.sample_rate_hz, stimulus.recording.length_samples) == (16000, 1600)
    assert stimulus.recording.duration_s == pytest.approx(0.1)


def test_the_same_sound_twice_is_one_file() -> None:
    collection = create_collection(owner=make_user(), slug="same", title="Same")
    for condition in ("one", "two"):
        add_stimulus(collection=collection, item="i", condition=condition, content=tone(440))
    assert Stimulus.objects.count() == 2
    assert Recording.objects.count() == 1


@pytest.mark.parametrize("content", [b"", b"RIFF", b"not a sound at all", b"#EXTM3U\nsecret.wav\n"])
def test_what_is_no_sound_is_refused_and_leaves_nothing(content: bytes) -> None:
    collection = create_collection(owner=make_user(), slug="bad", title="Bad")
    with pytest.raises(NotAudio) as refusal:
        add_stimulus(collection=collection, item="i", condition="c", content=content)
    assert "i x c" in str(refusal.value)
    assert not collection.items.exists()
    assert not Recording.objects.exists()


def test_a_file_without_samples_is_refused() -> None:
    target = io.BytesIO()
    soundfile.write(target, np.zeros(0), 16000, format="WAV")
    collection = create_collection(owner=make_user(), slug="none", title="None")
    with pytest.raises(EmptyAudio):
        add_stimulus(collection=collection, item="i", condition="c", content=target.getvalue())


def test_the_matrix_shows_missing_cells() -> None:
    collection = make_collection(make_user(), items=2, conditions=2)
    add_stimulus(collection=collection, item="lonely", condition="secretcondition0", content=tone(500))
    conditions, rows = matrix(collection=collection)
    assert conditions == ["secretcondition0", "secretcondition1"]
    assert [(item, [cell is not None for cell in cells]) for item, cells in rows] == [
        ("lonely", [True, False]),
        ("secretitem0", [True, True]),
        ("secretitem1", [True, True]),
    ]
