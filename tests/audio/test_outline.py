"""Outlines for small waveforms: one character for every 64th of a sound."""

import numpy as np
import pytest

from audio.outline import ALPHABET, OutlineMeter, outline_of, outline_of_peaks
from audio.peaks import compute_peaks


def magnitudes(outline: str) -> list[float]:
    """As the page reads it."""
    return [(ALPHABET.index(sign) / 63) ** 2 for sign in outline]


def test_each_character_is_the_largest_magnitude_of_its_part_over_all_channels() -> None:
    samples = np.zeros((6400, 2), np.float32)
    samples[50, 0], samples[250, 1], samples[6399, 0] = 1.0, -0.25, 0.01
    found = magnitudes(outline_of(samples))
    assert len(found) == 64
    assert (found[0], found[1], found[2], found[63]) == pytest.approx((1.0, 0.0, 0.25, 0.01), abs=0.01)
    assert sum(found) == pytest.approx(1.26, abs=0.02)


@pytest.mark.parametrize("length", [1, 63, 100, 10_007])
def test_blocks_give_the_same_outline_as_the_whole(length: int) -> None:
    samples = np.random.default_rng(length).uniform(-1, 1, (length, 1)).astype(np.float32)
    meter = OutlineMeter(length)
    for start in range(0, length, 700):
        meter.feed(samples[start : start + 700])
    assert meter.outline() == outline_of(samples)


def test_peaks_give_the_outline_of_the_sound_they_were_made_of() -> None:
    samples = np.random.default_rng(1).uniform(-0.3, 0.3, (64 * 2048, 1)).astype(np.float32)
    made = magnitudes(outline_of_peaks(compute_peaks(samples, 512)))
    assert made == pytest.approx(magnitudes(outline_of(samples)), abs=0.03)  # peaks have 8 bits, rounded outwards
