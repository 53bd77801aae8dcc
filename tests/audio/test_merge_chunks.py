"""Merging chunks: the final files hold what the chunks held; before that all is shown as far as it is known."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from audio.array_archive import ChunkResult
from audio.chunks import analyse_chunk
from audio.decode.open import Sound, open_sound
from audio.formats import Format, Samples
from audio.measure import measure_sound
from audio.merge_chunks import MergedFiles, merge_chunks, partial_peaks, partial_tile
from audio.peaks import compute_peaks
from audio.pyramid import Pyramid, Tile
from audio.spectrogram import render_tile
from audio.tiles import TileFile
from audio.wav import encode_wav
from tests.audio.material import noise, written

RATE = 16_000
CHUNK = 1 << 21
LENGTH = 5 * CHUNK + 70_001


@pytest.fixture(scope="module")
def samples() -> Samples:
    return noise(LENGTH) * np.linspace(1, 0.01, LENGTH, dtype=np.float32)[:, None]


@pytest.fixture(scope="module")
def sound(samples: Samples) -> Sound:
    return open_sound(io.BytesIO(written(samples, RATE, "float")), format=Format.WAV)


@pytest.fixture(scope="module")
def chunk_archives(sound: Sound) -> list[bytes]:
    return [analyse_chunk(sound, number, chunk_samples=CHUNK) for number in range(6)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("merged")


@pytest.fixture(scope="module")
def merged(chunk_archives: list[bytes], sound: Sound, folder: Path) -> MergedFiles:
    return merge_chunks(iter(chunk_archives), shape=sound.shape, folder=folder, chunk_samples=CHUNK)


@pytest.fixture(scope="module")
def pyramid(sound: Sound) -> Pyramid:
    return Pyramid.of(sound.shape, CHUNK)


def stored(folder: Path, tile: Tile) -> bytes:
    offset, length = TileFile((folder / "tiles.idx").read_bytes()).range_of(tile.statistic, tile.level, tile.index)
    return (folder / "tiles.pack").read_bytes()[offset : offset + length]


def pixels(content: bytes) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    with Image.open(io.BytesIO(content)) as image:
        return np.asarray(image).astype(np.int64)


def test_every_stored_tile_is_in_the_pack_and_looks_as_if_drawn_from_the_sound(
    merged: MergedFiles, folder: Path, sound: Sound, pyramid: Pyramid
) -> None:
    assert [(level, pyramid.tiles(level)) for level in pyramid.stored_levels] == [(4, 6), (5, 3), (6, 2), (7, 1)]
    for tile in pyramid.every_tile():
        drawn = render_tile(sound, statistic=tile.statistic, level=tile.level, index=tile.index)
        assert np.abs(pixels(stored(folder, tile)) - pixels(drawn)).mean() < 0.1, tile
    sizes = [
        TileFile((folder / "tiles.idx").read_bytes()).range_of(t.statistic, t.level, t.index)[1]
        for t in pyramid.every_tile()
    ]
    assert sum(sizes) == (folder / "tiles.pack").stat().st_size


def test_every_level_of_peaks_is_a_file_that_audiowaveform_could_have_written(
    merged: MergedFiles, folder: Path, samples: Samples
) -> None:
    names = [name for name in merged.files if name.endswith(".dat")]
    assert names[:3] == ["peaks-512.dat", "peaks-2048.dat", "peaks-8192.dat"]
    for level, name in enumerate(names):
        content = (folder / name).read_bytes()
        bins = compute_peaks(samples, 512 * 4**level)
        header = np.frombuffer(content, "<i4", 6).tolist()
        assert header == [2, 1, RATE, 512 * 4**level, len(bins), 1]
        assert content[24:] == bins.tobytes()


def test_measures_and_loudness_are_those_of_the_whole(merged: MergedFiles, folder: Path, sound: Sound) -> None:
    whole = measure_sound(sound)
    assert merged.measures.to_json() == pytest.approx(whole.to_json(), abs=1e-6)
    energies = np.frombuffer((folder / "loudness.f32").read_bytes(), "<f4")
    assert len(energies) == LENGTH * 10 // RATE
    assert energies[0] > energies[-1] > 0
    assert merged.clock == ()


def test_merging_again_gives_the_same_files(
    merged: MergedFiles, folder: Path, chunk_archives: list[bytes], sound: Sound, tmp_path: Path
) -> None:
    again = merge_chunks(chunk_archives, shape=sound.shape, folder=tmp_path, chunk_samples=CHUNK)
    assert again == merged
    for name in merged.files:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [1, 0, 2, 3, 4, 5], [0, 1, 1, 2, 3, 4, 5], []])
def test_chunks_that_are_missing_or_out_of_order_are_not_folded(
    order: list[int], chunk_archives: list[bytes], sound: Sound, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="hunk"):
        merge_chunks(
            [chunk_archives[number] for number in order], shape=sound.shape, folder=tmp_path, chunk_samples=CHUNK
        )


def test_before_the_fold_tiles_are_shown_as_far_as_they_are_known(
    chunk_archives: list[bytes], pyramid: Pyramid, merged: MergedFiles, folder: Path
) -> None:
    ready = {number: ChunkResult.from_bytes(chunk_archives[number]) for number in (0, 3)}
    whole, complete = partial_tile(pyramid, Tile("max", 4, 3), ready.get)
    assert complete
    assert whole == stored(folder, Tile("max", 4, 3))
    nothing, complete = partial_tile(pyramid, Tile("mean", 4, 2), ready.get)
    assert not complete
    assert pixels(nothing).max() == 0
    part, complete = partial_tile(pyramid, Tile("mean", 6, 0), ready.get)
    assert not complete
    difference = np.abs(pixels(part) - pixels(stored(folder, Tile("mean", 6, 0))))
    assert difference[:, :250].mean() < 0.5
    assert difference[:, 770:].mean() < 0.5
    assert pixels(part)[:, 270:760].max() < 10


def test_when_all_chunks_are_there_tiles_are_the_final_ones(
    chunk_archives: list[bytes], pyramid: Pyramid, merged: MergedFiles, folder: Path
) -> None:
    ready = dict(enumerate(map(ChunkResult.from_bytes, chunk_archives)))
    for tile in pyramid.every_tile():
        assert partial_tile(pyramid, tile, ready.get) == (stored(folder, tile), True)


def test_before_the_fold_peaks_are_shown_as_far_as_they_are_known(
    chunk_archives: list[bytes], pyramid: Pyramid, samples: Samples
) -> None:
    ready = {number: ChunkResult.from_bytes(chunk_archives[number]) for number in (0, 2, 5)}
    for level in range(pyramid.peak_levels):
        bins = compute_peaks(samples, 512 * 4**level)
        per_chunk = CHUNK // (512 * 4**level)
        known = np.isin(np.arange(len(bins)) // per_chunk, list(ready))
        found, complete = partial_peaks(pyramid, level, 0, 10**9, ready.get)
        assert not complete
        np.testing.assert_array_equal(found, np.where(known[:, None], bins, 0))
        start, count = 2 * per_chunk + 1, per_chunk - 2
        if count > 0:
            part, complete = partial_peaks(pyramid, level, start, count, ready.get)
            assert complete
            np.testing.assert_array_equal(part, bins[start : start + count])
    beyond, _ = partial_peaks(pyramid, 0, 10**9, 10, ready.get)
    assert len(beyond) == 0


def test_hours_are_found_across_chunks(tmp_path: Path) -> None:
    rate, chunk = 4_000, 1 << 23
    samples = np.zeros((2 * 3600 + 5) * rate, np.int16)
    samples[:: 3 * rate] = 655  # clicks that are too near to each other for a silence between hours
    samples[3600 * rate - 1] = samples[3605 * rate] = 655
    samples[3600 * rate : 3605 * rate] = 0
    content = encode_wav(samples.tobytes(), sample_rate_hz=rate, channels=1, bits=16)
    sound = open_sound(io.BytesIO(content), format=Format.WAV)
    chunk_archives = [analyse_chunk(sound, number, chunk_samples=chunk) for number in range(-(-len(samples) // chunk))]
    merged = merge_chunks(chunk_archives, shape=sound.shape, folder=tmp_path, chunk_samples=chunk, clock_s=7200)
    assert [stretch.clock_s for stretch in merged.clock] == [7200, 10_800]
    assert merged.clock[1].start == pytest.approx(3605 * rate, abs=3)
