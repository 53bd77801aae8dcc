"""Synthetic speech: repeatable, level, and shaped like the real thing where a number can tell."""

import io
import wave

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audio.synthesis import LEVEL_DB, PADDING_MS, Degradation, Signal, clip_bytes, degrade, levelled, speak
from tests.scale import ALL

RATE_HZ = 16000


def level_db(signal: Signal) -> float:
    return float(20 * np.log10(np.sqrt(np.mean(np.square(signal, dtype=np.float64)))))


def share_of_energy(signal: Signal, low_hz: float, high_hz: float) -> float:
    power = np.abs(np.fft.rfft(signal)) ** 2
    frequency = np.fft.rfftfreq(len(signal), 1 / RATE_HZ)
    return float(power[(frequency >= low_hz) & (frequency <= high_hz)].sum() / power.sum())


@pytest.fixture(scope="module")
def clean() -> Signal:
    return speak(7, 2.4)


@pytest.mark.parametrize("rate_hz", [8000, 16000, 48000])
def test_the_same_seed_says_the_same_and_another_seed_something_else(rate_hz: int) -> None:
    once, again, other = speak(1, 1.0, rate_hz), speak(1, 1.0, rate_hz), speak(2, 1.0, rate_hz)
    assert np.array_equal(once, again)
    assert not np.array_equal(once, other)
    assert len(once) == len(other) == rate_hz
    assert once.dtype == np.float32


@given(seed=st.integers(0, 2**31), kind=st.sampled_from(Degradation))
@settings(max_examples=20 if ALL else 5)
def test_every_clip_has_the_same_level_and_headroom(seed: int, kind: Degradation) -> None:
    signal = degrade(speak(seed, 1.2), kind, np.random.default_rng(seed))
    assert level_db(signal) == pytest.approx(LEVEL_DB, abs=0.1)
    assert np.abs(signal).max() < 10 ** (-3 / 20)
    assert len(signal) == round(1.2 * RATE_HZ)


def test_a_peaky_signal_is_levelled_below_the_ceiling() -> None:
    clicks = np.zeros(RATE_HZ)
    clicks[::500] = 1.0
    clicks[::8000] = 40.0
    signal = levelled(clicks)
    assert np.abs(signal).max() < 10 ** (-3 / 20)
    assert level_db(signal) == pytest.approx(LEVEL_DB, abs=1.0)


def test_it_has_the_rhythm_and_the_spectrum_of_speech(clean: Signal) -> None:
    """Energy mostly below 4 kHz and falling, syllables about four a second, silence between phrases."""
    assert share_of_energy(clean, 80, 4000) > 0.85
    assert share_of_energy(clean, 80, 1000) > share_of_energy(clean, 1000, 4000)
    frames = clean[: len(clean) // 320 * 320].reshape(-1, 320)
    envelope = np.sqrt(np.mean(frames**2, axis=1))
    modulation = np.abs(np.fft.rfft(envelope - envelope.mean())) ** 2
    frequency_hz = np.fft.rfftfreq(len(envelope), 320 / RATE_HZ)
    assert 2 <= frequency_hz[modulation.argmax()] <= 8
    assert np.mean(envelope < 0.05 * envelope.max()) > 0.05


def test_a_clip_begins_and_ends_without_a_click(clean: Signal) -> None:
    samples = np.abs(clean)
    assert samples[:10].max() < 0.01
    assert samples[-10:].max() < 0.01


def test_every_degradation_but_clean_changes_the_clip(clean: Signal) -> None:
    for kind in Degradation:
        changed = degrade(clean, kind, np.random.default_rng(3))
        distance = float(np.sqrt(np.mean((changed - clean) ** 2)))
        assert (distance < 1e-6) == (kind is Degradation.CLEAN), kind


def test_a_degradation_with_the_same_generator_state_is_repeatable(clean: Signal) -> None:
    for kind in Degradation:
        first = degrade(clean, kind, np.random.default_rng(5))
        assert np.array_equal(first, degrade(clean, kind, np.random.default_rng(5)))


def test_the_telephone_band_keeps_300_to_3400_hz(clean: Signal) -> None:
    narrow = degrade(clean, Degradation.BAND, np.random.default_rng(0))
    assert share_of_energy(narrow, 250, 3800) > 0.99
    assert share_of_energy(clean, 250, 3800) < 0.97


def test_noise_fills_the_pauses_and_modulated_noise_leaves_them_empty(clean: Signal) -> None:
    silent = np.abs(clean) < 1e-3
    noisy = degrade(clean, Degradation.NOISE, np.random.default_rng(0))
    coded = degrade(clean, Degradation.CODED, np.random.default_rng(0))
    assert level_db(noisy[silent]) > -45
    assert level_db(coded[silent]) < -55


def test_clip_bytes_is_a_padded_mono_16_bit_wav_file(clean: Signal) -> None:
    with wave.open(io.BytesIO(clip_bytes(clean, RATE_HZ))) as wav:
        assert (wav.getnchannels(), wav.getsampwidth(), wav.getframerate()) == (1, 2, RATE_HZ)
        samples = np.frombuffer(wav.readframes(wav.getnframes()), dtype="<i2")
    padding = PADDING_MS * RATE_HZ // 1000
    assert len(samples) == len(clean) + 2 * padding
    assert not samples[:padding].any()
    assert not samples[-padding:].any()
    assert np.abs(samples[padding + 400 : -padding - 400] / 32767 - clean[400:-400]).max() < 1e-4


def test_clip_bytes_are_the_same_bytes_every_time(clean: Signal) -> None:
    assert clip_bytes(clean, RATE_HZ) == clip_bytes(clean, RATE_HZ)
