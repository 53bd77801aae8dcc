"""Bit depths: what a sound needs, and dither where it gets less. Sources are seeded, so that every figure is fixed."""

import hashlib

import numpy as np
import pytest
from numpy.typing import NDArray

from audio.clips import encode_pcm
from audio.wav import DepthMeter, add_dither, common_depth, measure_depth

SECONDS, RATE = 10, 48000
SHA256 = hashlib.sha256(b"a recording").hexdigest()


def noise(bits: int, *, level: float = 0.1, seed: int = 1) -> NDArray[np.float32]:
    """Seconds of noise in steps of so many bits."""
    steps = 2.0 ** (bits - 1)
    values = np.random.default_rng(seed).normal(0, level, (SECONDS * RATE, 1)).clip(-0.9, 0.9)
    return (np.round(values * steps) / steps).astype(np.float32)


@pytest.mark.parametrize(
    ("sound", "stored", "needed"),
    [
        (noise(16), 16, 16),
        (noise(16), 24, 16),
        (noise(16), 32, 16),
        (noise(20), 24, 20),
        (noise(24), 24, 24),
        (noise(24), 32, 24),
        (noise(8), 24, 16),
        (np.random.default_rng(1).normal(0, 1e-3, (5000, 2)).astype(np.float32), 32, 32),
        (np.full((100, 1), 1.5, np.float32), 32, 32),
        (np.full((100, 1), -1.0, np.float32), 24, 16),
        (np.zeros((100, 1), np.float32), 24, 24),
        (np.zeros((0, 1), np.float32), 24, 24),
    ],
)
def test_a_sound_needs_as_many_bits_as_its_samples_have(sound: NDArray[np.float32], stored: int, needed: int) -> None:
    assert measure_depth(sound, stored) == needed
    meter = DepthMeter(stored)
    for block in np.array_split(sound, 7):
        meter.feed(block)
    assert meter.bits == needed


def test_a_collection_has_the_lowest_depth_of_its_sounds_and_of_what_they_were_made_from() -> None:
    assert common_depth({16, 24}, {16, 24}) == 16
    assert common_depth({24, 32}, {24, 32}) == 24
    assert common_depth({32}, {32}) == 24
    assert common_depth({24}, {16}) == 24, "copies of sounds that all have 16 bits keep what the gain made of them"
    assert common_depth({24}, {16, 24}) == 16
    assert common_depth(set(), set()) == 24


def test_the_error_of_dither_is_noise_of_a_quarter_of_a_squared_step_whatever_the_sound_is() -> None:
    """Triangular dither: mean 0 and variance 1/4 of a step squared (1/6 of the dither, 1/12 of the rounding)."""
    for sound in (noise(24), noise(24, level=1e-4, seed=2)):
        error = add_dither(sound, 16, SHA256).astype(np.float64) - sound.astype(np.float64) * 2**15
        assert abs(error).max() <= 1.5
        assert error.mean() == pytest.approx(0, abs=0.005)
        assert error.var() == pytest.approx(0.25, rel=0.02)
        assert abs(np.corrcoef(error[:, 0], sound[:, 0])[0, 1]) < 0.01
        assert abs(np.corrcoef(error[1:, 0], error[:-1, 0])[0, 1]) < 0.01, "white"


def test_dither_keeps_what_rounding_would_lose() -> None:
    """A third of a step is lost by rounding; on average it is still there after dither."""
    third = np.full((SECONDS * RATE, 1), round(2**8 / 3) * 2.0**-23, np.float32)
    assert not np.any(np.frombuffer(encode_pcm(third, 16), "<i2"))
    kept = np.frombuffer(encode_pcm(third, 16, dither=SHA256), "<i2")
    assert kept.mean() == pytest.approx(1 / 3, abs=0.01)
    assert set(np.unique(kept)) == {-1, 0, 1}


def test_the_lowest_byte_tells_nothing_after_dither() -> None:
    """All of its values occur about equally often, as in noise that had 16 bits from the start."""
    for values in (encode_pcm(noise(16, level=0.1, seed=3), 16), encode_pcm(noise(24, level=0.1), 16, dither=SHA256)):
        counts = np.bincount(np.frombuffer(values, np.uint8)[::2], minlength=256)
        assert counts.min() > 0.9 * SECONDS * RATE / 256
        assert counts.max() < 1.1 * SECONDS * RATE / 256


def test_a_file_is_always_dithered_the_same_and_another_one_otherwise() -> None:
    sound = noise(24)
    again, other = add_dither(sound, 16, SHA256), add_dither(sound, 16, hashlib.sha256(b"another").hexdigest())
    np.testing.assert_array_equal(add_dither(sound, 16, SHA256), again)
    assert (again != other).mean() > 0.3
    ramp = ((np.arange(1, 1001) * 8191 % 65536 - 32768) / 2**23).astype(np.float32).reshape(-1, 1)
    found = hashlib.sha256(encode_pcm(ramp, 16, dither=SHA256)).hexdigest()
    assert found.startswith("479ccb6e6a0a4c29"), "on every machine and with every version"


def test_silence_stays_silent_and_full_scale_is_not_passed() -> None:
    sound = np.concatenate(
        [np.zeros((5000, 2), np.float32), np.full((5000, 2), 1 - 2.0**-23, np.float32), -np.ones((5000, 2), np.float32)]
    )
    values = np.frombuffer(encode_pcm(sound, 16, dither=SHA256), "<i2").reshape(-1, 2)
    assert not values[:5000].any()
    assert values[5000:10000].min() >= 32766
    assert values[10000:].max() <= -32767
