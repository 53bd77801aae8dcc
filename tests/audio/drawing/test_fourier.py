"""The transform against numpy's, and what it does where there is too little or nothing to transform."""

import numpy as np
import pytest

from audio.drawing.fourier import Transform, band_powers
from tests.audio.material import noise


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
