"""A chunk holds what the whole recording has there, in whatever process and however often it is computed."""

import io
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from audio import chunks
from audio.array_archive import ChunkResult
from audio.chunks import analyse_chunk
from audio.decode.open import Sound, open_sound
from audio.errors import SoundBroken
from audio.formats import Format, Samples
from audio.measure import measure_sound
from audio.partial_results import merge_results
from audio.peaks import compute_peaks
from audio.pyramid import Pyramid, spectrogram_at
from audio.spectrogram import encode_decibels, mix_channels, pool_columns, render_tile, transform_columns
from tests.audio.material import mp3, noise, planted, written

RATE = 16_000
CHUNK = 1 << 21  # one tile of level 4 at this rate


def opened(samples: Samples, kind: str = "float") -> Sound:
    return open_sound(io.BytesIO(written(samples, RATE, kind)), format=Format.WAV)


def analysed(sound: Sound, chunk_samples: int = CHUNK) -> list[ChunkResult]:
    count = Pyramid.of(sound.shape, chunk_samples).chunks
    return [
        ChunkResult.from_bytes(analyse_chunk(sound, number, chunk_samples=chunk_samples)) for number in range(count)
    ]


@pytest.fixture(scope="module")
def samples() -> Samples:
    """Noise of changing level with markers, a clipped place on a border of chunks, and a silence across another."""
    positions = [0, 1000, CHUNK - 200, CHUNK + 70_000, 2 * CHUNK + 5]
    sound = planted(3 * CHUNK + 123_457, RATE, positions, channels=2)
    sound *= (0.2 + np.linspace(0, 1, len(sound)) ** 2)[:, None].astype(np.float32)
    sound[CHUNK - 5 : CHUNK + 5, 0] = 1
    sound[2 * CHUNK - 20_000 : 2 * CHUNK + 30_000] = 0
    return sound


@pytest.fixture(scope="module")
def results(samples: Samples) -> list[ChunkResult]:
    return analysed(opened(samples))


def test_chunks_add_up_to_the_measures_of_the_whole(samples: Samples, results: list[ChunkResult]) -> None:
    whole = asdict(measure_sound(opened(samples)))
    joined = asdict(merge_results([result.partial_result() for result in results], RATE))
    assert joined == pytest.approx(whole, abs=1e-6)
    assert joined["clipped_samples"] == 10
    assert joined["longest_silence_s"] == pytest.approx(50_000 / RATE, abs=0.02)


def test_chunks_join_to_the_peaks_of_the_whole(samples: Samples, results: list[ChunkResult]) -> None:
    levels = Pyramid.of(opened(samples).shape, CHUNK).peak_levels
    assert levels >= 3
    for level in range(levels):
        bins = np.concatenate([result.peaks(level) for result in results])
        np.testing.assert_array_equal(bins, compute_peaks(samples, 512 * 4**level))


def test_chunks_join_to_the_columns_of_the_whole(samples: Samples, results: list[ChunkResult]) -> None:
    spectrogram = spectrogram_at(RATE)
    hop = spectrogram.hop(2)
    padded = np.concatenate([np.zeros(spectrogram.lead(hop), np.float32), mix_channels(samples)])
    powers = transform_columns(padded, spectrogram, hop=hop, count=-(-len(samples) // hop))
    pyramid = Pyramid.of(opened(samples).shape, CHUNK)
    assert list(pyramid.joined_levels) == [5, 6]
    for statistic in ("max", "mean"):
        for level in pyramid.joined_levels:
            columns = np.concatenate([result.columns(statistic, level) for result in results], axis=1)
            expected = encode_decibels(pool_columns(powers, statistic, level - 2))
            assert columns.shape == expected.shape
            assert np.abs(columns.astype(int) - expected).max() <= 1


def test_a_stored_tile_looks_like_one_that_is_drawn_when_asked_for(
    results: list[ChunkResult], samples: Samples
) -> None:
    sound = opened(samples)
    pyramid = Pyramid.of(sound.shape, CHUNK)
    for result in results:
        tiles = list(pyramid.tiles_of_chunk(result.number))
        assert [(tile.statistic, tile.level, tile.index) for tile in tiles] == [
            ("max", 4, result.number),
            ("mean", 4, result.number),
        ]
        for number, tile in enumerate(tiles):
            drawn = render_tile(sound, statistic=tile.statistic, level=tile.level, index=tile.index)
            assert result.tile(number) == drawn


def test_quiet_runs_cross_the_border_of_chunks(results: list[ChunkResult]) -> None:
    runs = np.concatenate([result.runs() for result in results])
    long_ones = [run for run in runs.tolist() if run[0] == 0 and run[2] - run[1] > RATE]
    assert long_ones == [[0, 2 * CHUNK - 20_000, 2 * CHUNK], [0, 2 * CHUNK, 2 * CHUNK + 30_000]]


@pytest.mark.parametrize("number", [1, *[pytest.param(number, marks=pytest.mark.long) for number in (0, 3)]])
def test_a_chunk_is_the_same_bytes_every_time(samples: Samples, results: list[ChunkResult], number: int) -> None:
    first = analyse_chunk(opened(samples), number, chunk_samples=CHUNK)
    sound = opened(samples)
    analyse_chunk(sound, 2, chunk_samples=CHUNK)
    assert analyse_chunk(sound, number, chunk_samples=CHUNK) == first
    assert ChunkResult.from_bytes(first).tile(0) == results[number].tile(0)


@pytest.mark.parametrize("length", [0, 1, 100, 1599, 1600, 1601, 40_000])
@pytest.mark.parametrize("chunk_samples", [1 << 15, 1 << 16])
def test_recordings_of_any_length_come_in_chunks(length: int, chunk_samples: int) -> None:
    sound = opened(noise(length + chunk_samples))
    found = analysed(sound, chunk_samples)
    assert [result.number for result in found] == list(range(-(-(length + chunk_samples) // chunk_samples)))
    whole, joined = measure_sound(sound), merge_results([result.partial_result() for result in found], RATE)
    assert asdict(joined) == pytest.approx(asdict(whole), abs=1e-6)


def test_a_chunk_of_an_mp3_is_found_by_its_index_and_needs_no_master() -> None:
    content = mp3(noise(200_000), 44_100)
    outcome = chunks.analyse_file(io.BytesIO(content), format="mp3", number=1, chunk_samples=1 << 16, name="day.mp3")
    assert outcome.facts == {"length_samples": 200_000, "chunk_samples": 1 << 16}
    assert set(outcome.blobs) == {"chunk"}
    sound = open_sound(io.BytesIO(content), format=Format.MP3)
    np.testing.assert_array_equal(
        ChunkResult.from_bytes(outcome.blobs["chunk"]).peaks(0), compute_peaks(sound.read(1 << 16, 1 << 16), 512)
    )


def test_a_recording_that_breaks_off_is_refused() -> None:
    content = written(noise(200_000), RATE, "flac")
    with pytest.raises(SoundBroken):
        chunks.analyse_file(
            io.BytesIO(content[:-100_000]), format="flac", number=2, chunk_samples=1 << 16, name="day.flac"
        )


def test_after_warming_up_nothing_is_compiled_any_more() -> None:
    """A sandboxed child can neither read the compiler's cache nor afford to compile."""
    program = """
import gc, io
from numba.core.dispatcher import Dispatcher
from audio import chunks, peaks, spectrogram
from tests.audio.material import noise, written

def compiled():
    return sum(len(thing.signatures) for thing in gc.get_objects() if isinstance(thing, Dispatcher))

chunks.warm_up()
before = compiled()
assert before > 10, before
for kind, format, channels in (("wav", "wav", 1), ("wav", "wav", 2), ("flac", "flac", 3), ("opus", "opus", 1)):
    file = io.BytesIO(written(noise(300_000, channels=channels), 48_000, kind))
    for number in (0, 1, 4):
        chunks.analyse_file(file, format=format, number=number, chunk_samples=1 << 16)
    for level, statistic in ((0, "max"), (1, "mean")):
        spectrogram.render_file_tile(file, format=format, statistic=statistic, level=level, tile=0)
    peaks.render_file_peaks(file, format=format, bin_samples=128, start=3, count=1000)
assert compiled() == before, (compiled(), before)
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])
