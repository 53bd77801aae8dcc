"""The arithmetic of levels, tiles, bins and chunks, for recordings of any length."""

from itertools import pairwise

import pytest

from audio.formats import Shape
from audio.pyramid import CHUNK_SAMPLES, COLUMNS, STATISTICS, Pyramid, Tile

DAY_SAMPLES = 24 * 3600 * 44_100  # more than 2^31
LENGTHS = [1, 255, 26_460_000, CHUNK_SAMPLES, CHUNK_SAMPLES + 1, DAY_SAMPLES]


def test_a_day_has_the_levels_that_viewers_are_told_of() -> None:
    pyramid = Pyramid(DAY_SAMPLES, 44_100)
    told = pyramid.to_json()
    assert told["spectrogram"]["levels"] == 15
    assert told["spectrogram"]["stored_from"] == 4
    assert told["spectrogram"]["mean_from"] == 3
    assert told["spectrogram"]["columns"] == 1024
    assert told["spectrogram"]["statistics"] == ["max", "mean"]
    assert told["peaks"] == {"bin_samples": 512, "factor": 4, "levels": 9}
    assert (pyramid.chunks, pyramid.tiles(0), pyramid.tiles(4)) == (114, 14_535, 909)
    assert list(pyramid.joined_levels) == [8, 9, 10, 11, 12, 13, 14]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("rate", [4_000, 16_000, 44_100, 192_000])
def test_chunks_cover_every_sample_once(length: int, rate: int) -> None:
    pyramid = Pyramid(length, rate)
    edges = [pyramid.chunk(number) for number in range(pyramid.chunks)]
    assert edges[0][0] == 0
    assert edges[-1][1] == length
    assert all(before[1] == after[0] for before, after in pairwise(edges))
    assert all(start < stop for start, stop in edges)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("rate", [4_000, 16_000, 44_100, 192_000])
@pytest.mark.parametrize("chunk_samples", [1 << 16, 1 << 20, CHUNK_SAMPLES])
def test_every_stored_tile_comes_from_one_chunk_or_is_joined_from_columns(
    length: int, rate: int, chunk_samples: int
) -> None:
    if length // chunk_samples > 200:
        length = 200 * chunk_samples + 1
    pyramid = Pyramid(length, rate, chunk_samples)
    from_chunks = [tile for number in range(pyramid.chunks) for tile in pyramid.tiles_of_chunk(number)]
    stored = list(pyramid.every_tile())
    joined = [tile for tile in stored if tile.level in pyramid.joined_levels]
    assert sorted(map(repr, [*from_chunks, *joined])) == sorted(map(repr, stored))
    for level in pyramid.joined_levels:
        columns = [pyramid.chunk_columns(level, number) for number in range(pyramid.chunks)]
        assert sum(columns) == pyramid.columns(level)
        assert COLUMNS % columns[0] == 0 or pyramid.chunks == 1


@pytest.mark.parametrize("length", LENGTHS)
def test_the_last_level_shows_everything_in_one_tile_and_the_one_before_does_not(length: int) -> None:
    pyramid = Pyramid(length, 44_100)
    assert pyramid.tiles(pyramid.levels - 1) == 1
    assert pyramid.levels == 1 or pyramid.tiles(pyramid.levels - 2) == 2


def test_no_column_and_no_bin_is_longer_than_a_chunk() -> None:
    pyramid = Pyramid(DAY_SAMPLES, 44_100, chunk_samples=1 << 16)
    assert pyramid.step(pyramid.levels - 1) == 1 << 16
    assert pyramid.bin_samples(pyramid.peak_levels - 1) <= 1 << 16


def test_the_order_of_the_index_is_statistic_level_index() -> None:
    tiles = list(Pyramid(5 * CHUNK_SAMPLES, 44_100).every_tile())
    keys = [(STATISTICS.index(tile.statistic), tile.level, tile.index) for tile in tiles]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys) > 100


def test_a_pyramid_knows_which_tiles_there_are() -> None:
    pyramid = Pyramid(DAY_SAMPLES, 44_100)
    there = [Tile("max", 0, 0), Tile("mean", 0, 14_534), Tile("mean", 14, 0)]
    not_there = [Tile("max", 0, 14_535), Tile("max", 15, 0), Tile("max", -1, 0), Tile("max", 0, -1), Tile("sum", 0, 0)]
    assert [pyramid.has(tile) for tile in there + not_there] == [True] * 3 + [False] * 5


@pytest.mark.parametrize("channels", range(1, 9))
def test_a_chunk_holds_no_more_values_however_many_channels_there_are(channels: int) -> None:
    pyramid = Pyramid.of(Shape("opus", 48_000, channels, DAY_SAMPLES, 16))
    assert CHUNK_SAMPLES / 2 < pyramid.chunk_samples * channels <= CHUNK_SAMPLES
    assert all(pyramid.chunk_samples % pyramid.step(level) == 0 for level in pyramid.stored_levels)
    assert sum(stop - start for start, stop in map(pyramid.chunk, range(pyramid.chunks))) == DAY_SAMPLES
