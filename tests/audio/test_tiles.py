"""Tiles drawn from sound, and the file that keeps them."""

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from audio import spectrogram as rendering
from audio.decode.open import Sound, open_sound
from audio.errors import PositionOutside
from audio.formats import Format, Samples
from audio.pyramid import CHUNK_SAMPLES, Pyramid, spectrogram_at
from audio.spectrogram import encode_decibels, mix_channels, pool_columns, render_tile, transform_columns
from audio.tiles import TileFile, encode_index
from audio.wav import encode_wav
from tests.audio.material import noise, tone, written
from tests.scale import ALL

RATE = 16_000
STEP = 128  # samples a column at level 0
DB_PER_CODE = 120 / 255


def opened(samples: Samples, rate: int = RATE) -> Sound:
    return open_sound(io.BytesIO(written(samples, rate, "float")), format=Format.WAV)


def levels_db(content: bytes) -> NDArray[np.float64]:
    with Image.open(io.BytesIO(content)) as image:
        assert (image.format, image.mode, image.size) == ("JPEG", "L", (1024, 256))
        return np.asarray(image).astype(np.float64) * DB_PER_CODE - 120


def drawn(sound: Sound, level: int, index: int = 0, statistic: str = "max") -> NDArray[np.float64]:
    return levels_db(render_tile(sound, statistic=statistic, level=level, index=index))


def test_high_is_up_late_is_right_and_levels_can_be_read_off() -> None:
    low, high = tone(40_000, RATE, frequency_hz=300), tone(40_000, RATE, frequency_hz=6000, level=0.05)
    picture = drawn(opened(np.concatenate([low, high])), level=0)
    centres = spectrogram_at(RATE).row_centres_hz
    row_low, row_high = np.argmin(np.abs(centres - 300)), np.argmin(np.abs(centres - 6000))
    assert row_high < row_low
    assert picture[row_low, 20:290].mean() == pytest.approx(-6, abs=1)
    assert picture[row_high, 330:600].mean() == pytest.approx(-26, abs=1)
    assert picture[row_high, 20:290].mean() < -100
    assert picture[:, 640:].max() < -110  # columns beyond the end are black


@pytest.mark.parametrize(
    ("level", "statistic"),
    [
        *[(0, "max"), (3, "max"), (3, "mean"), (6, "mean")],
        *[pytest.param(level, statistic, marks=pytest.mark.long) for level, statistic in [(1, "max"), (2, "mean")]],
    ],
)
def test_a_tile_is_what_its_definition_says(level: int, statistic: str) -> None:
    columns = 1024 * (64 if ALL else 33) if level == 6 else 1024 * 12  # of the finest level; more than 32 have level 6
    samples = noise(columns * STEP + 777, channels=2)
    spectrogram = spectrogram_at(RATE)
    hop = min(STEP << level, 512)
    index = 0 if level == 6 else 1
    padded = np.concatenate([np.zeros(spectrogram.lead(hop), np.float32), mix_channels(samples)])
    count = -(-len(samples) // hop)
    powers = pool_columns(transform_columns(padded, spectrogram, hop=hop, count=count), statistic, max(level - 2, 0))
    expected = encode_decibels(powers)[:, 1024 * index : 1024 * (index + 1)] * DB_PER_CODE - 120
    picture = drawn(opened(samples), level, index, statistic)[:, : expected.shape[1]]
    assert abs(np.mean(picture - expected)) < 0.1
    assert np.sqrt(np.mean((picture - expected) ** 2)) < 2


def test_neighbouring_tiles_meet() -> None:
    sound = opened(noise(1024 * STEP * 2))
    left, right = drawn(sound, 0, 0), drawn(sound, 0, 1)
    whole = drawn(sound, 1)
    for tile, half in ((left, whole[:, :512]), (right, whole[:, 512:])):
        assert np.corrcoef(tile[:, ::2].ravel(), half.ravel())[0, 1] > 0.8
    swapped = np.corrcoef(right[:, ::2].ravel(), whole[:, :512].ravel())[0, 1]
    assert swapped < 0.8


def test_a_statistic_shows_single_calls_or_the_usual_level() -> None:
    samples = noise(1024 * STEP * 40, level=0.001)
    samples[200_000:201_000] += tone(1000, RATE, frequency_hz=2000)
    sound = opened(samples)
    level = Pyramid.of(sound.shape).levels - 1
    row = np.argmin(np.abs(spectrogram_at(RATE).row_centres_hz - 2000))
    column = 200_500 // (STEP << level)
    loudest = drawn(sound, level, statistic="max")[row - 1 : row + 2, column].max()
    usual = drawn(sound, level, statistic="mean")[row - 1 : row + 2, column].max()
    assert loudest == pytest.approx(-6, abs=6)
    assert usual < loudest - 3


@pytest.mark.parametrize(
    ("statistic", "level", "index"), [("max", 0, 2), ("max", 0, -1), ("max", -1, 0), ("max", 9, 0), ("median", 0, 0)]
)
def test_what_is_not_there_is_refused(statistic: str, level: int, index: int) -> None:
    sound = opened(noise(1024 * STEP * 2))
    with pytest.raises(PositionOutside):
        render_tile(sound, statistic=statistic, level=level, index=index)


def test_a_column_may_be_longer_than_what_is_transformed_at_once() -> None:
    rate, length, start = 4_000, 40_000_000, 20_000_000
    samples = np.zeros(length, np.int16)
    samples[start : start + 100_000] = np.rint(tone(100_000, rate)[:, 0] * 32767)
    content = encode_wav(samples.tobytes(), sample_rate_hz=rate, channels=1, bits=16)
    sound = open_sound(io.BytesIO(content), format=Format.WAV)
    level = Pyramid.of(sound.shape).levels - 1
    step = 32 << level
    assert (level, step) == (11, 65_536)
    loudest = drawn(sound, level).max(axis=0)
    assert np.flatnonzero(loudest > -30).tolist() == [start // step, start // step + 1]


def test_a_tile_of_one_sample_is_a_tile() -> None:
    assert drawn(opened(noise(1)), 0).max() < 0


def test_the_sandbox_draws_the_same_tile() -> None:
    samples = noise(300_000)
    file = io.BytesIO(written(samples, RATE, "flac"))
    outcome = rendering.render_file_tile(file, format="flac", statistic="max", level=0, tile=1)
    sound = open_sound(file, format=Format.FLAC)
    assert outcome.blobs["tile"] == render_tile(sound, statistic="max", level=0, index=1)


def test_an_index_finds_every_tile_beyond_4_gib_too() -> None:
    pyramid = Pyramid(3 * CHUNK_SAMPLES, 44_100)
    ranges = {tile: (number * 2**31, 1000 + number) for number, tile in enumerate(pyramid.every_tile())}
    stored = TileFile(encode_index(pyramid, ranges))
    for tile, expected in ranges.items():
        assert stored.range_of(tile.statistic, tile.level, tile.index) == expected
    for statistic, level, index in (("max", 3, 0), ("max", 4, 24), ("mean", pyramid.levels, 0), ("sum", 4, 0)):
        with pytest.raises(KeyError):
            stored.range_of(statistic, level, index)
    with pytest.raises(ValueError, match="no index"):
        TileFile(bytes(100))
