"""Spectrograms: what sines, noise and clicks look like in rows, columns and decibels, and the Fourier transform."""

import numpy as np
import pytest

from audio.pyramid import Codes, Powers, Spectrogram, spectrogram_at
from audio.spectrogram import (
    Columns,
    Transform,
    band_powers,
    encode_decibels,
    load_tables,
    mix_channels,
    pool_columns,
    transform_columns,
)
from tests.audio.material import noise

RATES = [8_000, 16_000, 22_050, 44_100, 48_000, 96_000]
# Rows up to half the sample rate, and rows up to what can be heard.
SOME_RATES = [pytest.param(rate, marks=[] if rate in (8_000, 44_100) else [pytest.mark.long]) for rate in RATES]


def column_of_sine(spectrogram: Spectrogram, frequency_hz: float, amplitude: float = 1) -> Powers:
    phases = 2 * np.pi * frequency_hz / spectrogram.sample_rate_hz * np.arange(spectrogram.window_samples) + 1
    samples = (amplitude * np.sin(phases)).astype(np.float32)
    powers: Powers = transform_columns(samples, spectrogram, hop=spectrogram.hop(2), count=1)[:, 0]
    return powers


@pytest.mark.parametrize("rate", SOME_RATES)
def test_a_full_scale_sine_at_the_centre_of_a_row_reads_0_db_there(rate: int) -> None:
    spectrogram = spectrogram_at(rate)
    for row, frequency_hz in enumerate(spectrogram.row_centres_hz):
        level_db = 10 * np.log10(column_of_sine(spectrogram, frequency_hz)[row])
        is_at_an_end = frequency_hz < 40 or frequency_hz > 0.99 * rate / 2
        assert level_db == pytest.approx(0, abs=0.7 if is_at_an_end else 0.15), frequency_hz


@pytest.mark.parametrize("rate", SOME_RATES)
def test_any_sine_reads_its_level_in_the_row_that_shows_it_best(rate: int) -> None:
    spectrogram = spectrogram_at(rate)
    for frequency_hz in np.geomspace(40, 0.97 * spectrogram.high_hz, 397):
        column = column_of_sine(spectrogram, frequency_hz, amplitude=0.1)
        assert 10 * np.log10(column.max()) == pytest.approx(-20, abs=0.1), frequency_hz
        best = int(np.argmax(column))
        row_hz = spectrogram.row_edges_hz[best] - spectrogram.row_edges_hz[best + 1]
        bin_hz = rate / spectrogram.window_samples
        assert abs(spectrogram.row_centres_hz[best] - frequency_hz) < row_hz / 2 + 1.5 * bin_hz


def test_sounds_far_apart_in_level_are_both_seen() -> None:
    spectrogram = spectrogram_at(44_100)
    column = column_of_sine(spectrogram, 1000) + column_of_sine(spectrogram, 5000, amplitude=1e-4)
    row = int(np.argmin(np.abs(spectrogram.row_centres_hz - 5000)))
    assert 10 * np.log10(column[row]) == pytest.approx(-80, abs=1)


def test_the_parameters_are_fixed_and_can_be_printed() -> None:
    assert spectrogram_at(44_100).to_json() == {
        "window": "hann",
        "window_samples": 2048,
        "step_samples": 256,
        "rows": 256,
        "scale": "mel",
        "low_hz": 20,
        "high_hz": 20_000,
        "floor_db": -120,
        "ceiling_db": 0,
        "sample_rate_hz": 44_100,
    }
    sizes = {rate: spectrogram_at(rate).window_samples for rate in [4_000, *RATES, 192_000]}
    assert list(sizes.values()) == [256, 512, 1024, 1024, 2048, 2048, 4096, 8192]
    assert spectrogram_at(16_000).high_hz == 8_000


@pytest.mark.parametrize("rate", [4_000, *RATES, 192_000])
def test_rows_run_from_high_to_low_and_leave_no_bin_out(rate: int) -> None:
    spectrogram = spectrogram_at(rate)
    assert np.all(np.diff(spectrogram.row_edges_hz) < 0)
    first, stop = spectrogram.bands.T
    assert np.all(first[:-1] <= stop[1:])
    assert np.all(stop - first >= 2)
    assert first.min() == 1
    assert stop.max() <= spectrogram.window_samples // 2


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_click_is_brightest_in_the_column_that_stands_for_its_sample(level: int) -> None:
    spectrogram = spectrogram_at(16_000)
    hop = spectrogram.hop(level)
    lead = spectrogram.lead(hop)
    for column in (1, 7, 20):
        samples = np.zeros(lead + 30 * hop, np.float32)
        samples[lead + column * hop + hop // 2] = 1
        powers = transform_columns(samples, spectrogram, hop=hop, count=22).sum(axis=0)
        assert np.argmax(powers) == column
        assert powers[column - 1] == pytest.approx(powers[column + 1], rel=1e-3)


def test_columns_are_the_same_however_the_sound_arrives() -> None:
    spectrogram = spectrogram_at(16_000)
    samples = noise(600_000)[:, 0]
    hop = spectrogram.hop(2)
    whole = transform_columns(samples, spectrogram, hop=hop, count=1100)
    rng = np.random.default_rng(3)
    columns, pieces, at = Columns(spectrogram, hop), [], 0
    while at < len(samples):
        step = int(rng.integers(1, 300_000))
        pieces += list(columns.feed(samples[at : at + step]))
        at += step
    pieces.append(columns.rest(1100 - sum(piece.shape[1] for piece in pieces)))
    np.testing.assert_array_equal(np.concatenate(pieces, axis=1), whole)


def test_codes_are_decibels_to_half_a_step() -> None:
    powers = np.geomspace(1e-13, 10, 100_000, dtype=np.float32)[None, :]
    expected = np.clip((10 * np.log10(powers.astype(np.float64)) + 120) * 255 / 120, 0, 255)
    np.testing.assert_allclose(encode_decibels(powers), expected, atol=0.5 + 0.06)
    ends: Codes = encode_decibels(np.array([[0, 1e-30, 1e-12, 1, 100]], np.float32))
    assert ends.tolist() == [[0, 0, 0, 255, 255]]


def test_pooling_joins_by_twos_and_lets_the_last_stand_alone() -> None:
    powers = np.array([[1, 3, 2, 2, 8]], np.float32)
    assert pool_columns(powers, "max").tolist() == [[3, 2, 8]]
    assert pool_columns(powers, "mean").tolist() == [[2, 2, 8]]
    assert pool_columns(powers, "mean", 2).tolist() == [[2, 8]]
    assert pool_columns(powers, "max", 3).tolist() == [[8]]
    assert pool_columns(powers.astype(np.uint8), "max").dtype == np.uint8


def test_channels_are_averaged() -> None:
    stereo = np.array([[1, 0], [0.5, -0.5], [0.25, 0.75]], np.float32)
    np.testing.assert_allclose(mix_channels(stereo), [0.5, 0, 0.5])
    np.testing.assert_array_equal(mix_channels(stereo[:, :1]), stereo[:, 0])


def test_tables_that_were_loaded_beforehand_are_not_computed_again() -> None:
    spectrogram_at.cache_clear()
    load_tables(11_025, 44_100)
    computed = spectrogram_at.cache_info().misses
    assert "bands" in vars(spectrogram_at(44_100))
    assert spectrogram_at.cache_info().misses == computed == 2


def one_bin_each(size: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    first = np.arange(1, size // 2, dtype=np.int64)
    return np.stack([first, first + 1], axis=1)


@pytest.mark.parametrize("size", [64, 128, 256, 512, 1024, 2048, 4096, 8192])
def test_every_bin_has_the_power_that_numpy_finds(size: int) -> None:
    samples = noise(20 * size)[:, 0]
    transform, hop, count = Transform.hann(size), size // 4, 45
    found = band_powers(samples, transform=transform, hop=hop, bands=one_bin_each(size), count=count)
    frames = np.stack([samples[i * hop : i * hop + size] * transform.window for i in range(count)])
    expected = np.abs(np.fft.rfft(frames.astype(np.float64), axis=1).T[1 : size // 2]) ** 2
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-7 * expected.max())


def test_a_sine_of_amplitude_one_in_the_middle_of_a_bin_has_power_one_there() -> None:
    samples = np.sin(2 * np.pi * 100 / 1024 * np.arange(1024) + 0.3).astype(np.float32)
    powers = band_powers(samples, transform=Transform.hann(1024), hop=512, bands=one_bin_each(1024), count=1)[:, 0]
    assert powers[99] == pytest.approx(1, abs=1e-5)
    assert powers[98] == powers[100] == pytest.approx(0.25, abs=1e-5)


def test_a_band_is_the_sum_of_its_bins() -> None:
    samples = noise(5000)[:, 0]
    bins = band_powers(samples, transform=Transform.hann(256), hop=128, bands=one_bin_each(256), count=30)
    bands = np.array([[3, 4], [5, 25], [1, 128]])
    found = band_powers(samples, transform=Transform.hann(256), hop=128, bands=bands, count=30)
    expected = [bins[2], bins[4:24].sum(axis=0), bins.sum(axis=0)]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_what_is_missing_at_the_end_counts_as_silence() -> None:
    samples = noise(1000)[:, 0]
    transform, bands = Transform.hann(256), one_bin_each(256)
    cut = band_powers(samples, transform=transform, hop=128, bands=bands, count=9)
    padded = np.concatenate([samples, np.zeros(9000, np.float32)])
    np.testing.assert_array_equal(cut, band_powers(padded, transform=transform, hop=128, bands=bands, count=9))
    assert cut[:, 8].max() == 0


def test_what_nobody_can_hear_has_no_power_and_what_is_just_louder_has() -> None:
    samples = noise(40 * 128)[:, 0]
    samples /= np.abs(samples).max()
    transform, bands = Transform.hann(256), one_bin_each(256)
    inaudible = band_powers(samples * np.float32(9e-8), transform=transform, hop=128, bands=bands, count=32)
    assert inaudible.max() == 0
    faint = band_powers(samples * np.float32(1.1e-7), transform=transform, hop=128, bands=bands, count=32)
    assert faint.min() > 0
    assert faint.max() < 10 ** (-120 / 10)
