"""Masters: sound that cannot be cut, kept in chunks of FLAC, and read across their borders."""

import io

import numpy as np
import pytest
import soundfile

from audio import chunks, masters
from audio.decode.open import open_sound
from audio.errors import SoundBroken
from audio.formats import Format, Samples
from audio.masters import Masters, MasterWriter
from audio.spectrogram import render_tile
from tests.audio.material import noise, written

RATE = 48_000
CHUNK = 1 << 17


@pytest.fixture(scope="module")
def content() -> bytes:
    return written(noise(3 * CHUNK + 1000, channels=2), RATE, "opus")


@pytest.fixture(scope="module")
def files(content: bytes) -> list[io.BytesIO]:
    count = -(-open_sound(io.BytesIO(content), format=Format.OPUS).shape.length_samples // CHUNK)
    outcomes = [
        chunks.analyse_file(io.BytesIO(content), format="opus", number=number, chunk_samples=CHUNK)
        for number in range(count)
    ]
    return [io.BytesIO(outcome.blobs["master"]) for outcome in outcomes]


def stepped(samples: Samples) -> Samples:
    return (np.clip(np.rint(samples * 32768), -32768, 32767) / 32768).astype(np.float32)


def test_masters_hold_the_decoded_sound_sample_by_sample(content: bytes, files: list[io.BytesIO]) -> None:
    original = open_sound(io.BytesIO(content), format=Format.OPUS)
    decoded = stepped(original.read(0, original.shape.length_samples))
    sound = Masters(files, first=0, shape=original.shape, chunk_samples=CHUNK, name="")
    np.testing.assert_array_equal(sound.read(0, original.shape.length_samples), decoded)
    for start in (0, CHUNK - 1, CHUNK, 2 * CHUNK - 5_000, 3 * CHUNK - 100):
        np.testing.assert_array_equal(sound.read(start, 10_000), decoded[start : start + 10_000])


def test_a_few_neighbouring_masters_are_enough(content: bytes, files: list[io.BytesIO]) -> None:
    original = open_sound(io.BytesIO(content), format=Format.OPUS)
    sound = Masters(files[1:3], first=1, shape=original.shape, chunk_samples=CHUNK, name="day.opus")
    found = sound.read(2 * CHUNK - 300, 600)
    np.testing.assert_array_equal(found, stepped(original.read(2 * CHUNK - 300, 600)))
    with pytest.raises(SoundBroken, match=r"day\.opus"):
        sound.read(3 * CHUNK - 10, 20)


def test_a_sample_beyond_full_scale_is_cut_and_does_not_wrap() -> None:
    shape = open_sound(io.BytesIO(written(noise(10), RATE, "wav")), format=Format.WAV).shape
    writer = MasterWriter(shape)
    writer.feed(np.array([[1.5], [-1.5], [1.0], [0.5]], np.float32))
    found, _ = soundfile.read(io.BytesIO(writer.finish()), dtype="int16")
    assert found.tolist() == [32767, -32768, 32767, 16384]


def test_a_tile_and_a_slice_across_a_border_are_those_of_the_whole(content: bytes, files: list[io.BytesIO]) -> None:
    shape = open_sound(io.BytesIO(content), format=Format.OPUS).shape
    sound = Masters(files, first=0, shape=shape, chunk_samples=CHUNK, name="")
    tile = masters.render_masters_tile(
        *files, first=0, shape=shape.to_json(), statistic="max", level=0, tile=1, chunk_samples=CHUNK
    ).blobs["tile"]
    assert tile == render_tile(sound, statistic="max", level=0, index=1)
    piece = masters.cut_masters_slice(
        *files[1:3], first=1, shape=shape.to_json(), start=2 * CHUNK - 700, count=1400, chunk_samples=CHUNK
    )
    assert piece.facts == {"lead_samples": 0, "length_samples": 1400}
    found, _ = soundfile.read(io.BytesIO(piece.blobs["slice"]), dtype="float32")
    np.testing.assert_array_equal(found, sound.read(2 * CHUNK - 700, 1400))
