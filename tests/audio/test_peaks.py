"""Outlines hold every sample, levels agree with each other, and files follow the published layout."""

import io
import struct

import numpy as np
import pytest

from audio import peaks
from audio.decode.open import open_sound
from audio.errors import PositionOutside
from audio.formats import Format, Samples
from audio.tiles import encode_dat_header
from tests.audio.material import noise, written


@pytest.mark.parametrize("channels", [1, 2, 5])
@pytest.mark.parametrize("length", [1, 511, 512, 513, 5000])
def test_a_bin_has_the_lowest_and_highest_sample_of_all_channels(channels: int, length: int) -> None:
    samples = noise(length, channels=channels, level=0.3)
    bins = peaks.compute_peaks(samples, 512)
    parts = [samples[at : at + 512] for at in range(0, length, 512)]
    lowest = [max(np.floor(part.min() * 128), -128) for part in parts]
    highest = [min(np.ceil(part.max() * 128), 127) for part in parts]
    assert bins.tolist() == [[int(low), int(high)] for low, high in zip(lowest, highest, strict=True)]


def outline_of(*values: float) -> list[int]:
    samples: Samples = np.array(values, np.float32)[:, None]
    return [int(value) for value in peaks.compute_peaks(samples, 512)[0]]


def test_only_silence_is_drawn_as_silence_and_nothing_is_drawn_beyond_full_scale() -> None:
    assert outline_of(0, 0, -0.0) == [0, 0]
    assert outline_of(0, 1e-9) == [0, 1]
    assert outline_of(0, -1e-9) == [-1, 0]
    assert outline_of(2, -2) == [-128, 127]
    assert outline_of(0.5, 0.75) == [64, 96]
    assert outline_of(-0.5, -0.75) == [-96, -64]


def test_a_coarser_level_is_the_outline_of_longer_bins() -> None:
    samples = noise(512 * 4 * 4 * 3 + 700)
    found = peaks.compute_levels(peaks.compute_peaks(samples, 512), 3)
    assert [len(bins) for bins in found] == [50, 13, 4]
    for level, bins in enumerate(found):
        np.testing.assert_array_equal(bins, peaks.compute_peaks(samples, 512 * 4**level))


def test_a_file_begins_as_audiowaveform_begins_its_own() -> None:
    header = encode_dat_header(sample_rate_hz=44_100, bin_samples=2048, bins=3_000_000_000)
    assert len(header) == 24
    version, flags, rate, bin_samples = struct.unpack("<iIii", header[:16])
    length, channels = struct.unpack("<Ii", header[16:])
    assert (version, flags, rate, bin_samples, length, channels) == (2, 1, 44_100, 2048, 3_000_000_000, 1)


def test_any_bins_of_a_sound_can_be_drawn_alone() -> None:
    samples = noise(100_000, channels=2)
    file = io.BytesIO(written(samples, 16_000, "float"))
    sound = open_sound(file, format=Format.WAV)
    whole = peaks.compute_peaks(samples, 128)
    np.testing.assert_array_equal(peaks.render_peaks(sound, bin_samples=128, start=100, count=50), whole[100:150])
    np.testing.assert_array_equal(peaks.render_peaks(sound, bin_samples=128, start=780, count=50), whole[780:])
    assert len(peaks.render_peaks(sound, bin_samples=128, start=5000, count=5)) == 0
    with pytest.raises(PositionOutside):
        peaks.render_peaks(sound, bin_samples=128, start=-1, count=5)
    outcome = peaks.render_file_peaks(file, format="wav", bin_samples=128, start=100, count=50)
    assert outcome.blobs["peaks"] == whole[100:150].tobytes()
    assert outcome.facts == {"bins": 50}
