"""Copies at another level: on target, otherwise unchanged, and refused where they would be clipped."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.errors.levels import LevelTooHigh, LevelUnknown
from stimuli.sound.examination import examine
from stimuli.sound.facts import Measures, Samples
from stimuli.sound.levelling import (
    PRESETS,
    gain_for,
    highest_target_lufs,
    level_to,
    refuse_clipping,
    with_gain,
)
from stimuli.synthesis import Degradation, degrade, speak
from tests.stimuli.sound.ebu import SILENCE, Heard, noise, tone

RATE_HZ = 16000


def decoded(content: bytes) -> tuple[Heard, Any]:
    info = soundfile.info(io.BytesIO(content))
    samples, rate_hz = soundfile.read(io.BytesIO(content), dtype="float32", always_2d=True)
    return Heard(samples, rate_hz), info


def speech(seed: int) -> Heard:
    return Heard(speak(seed, 4.0)[:, None], RATE_HZ)


def degraded(kind: Degradation) -> Callable[[], Heard]:
    return lambda: Heard(degrade(speak(3, 4.0), kind, np.random.default_rng(3))[:, None], RATE_HZ)


SOUNDS: dict[str, Callable[[], Heard]] = {
    "speech": lambda: speech(1),
    "other speech": lambda: speech(2),
    **{f"speech, {kind}": degraded(kind) for kind in Degradation},
    "tone": lambda: Heard(tone(44100, [(-40, 3)]), 44100),
    "six channels": lambda: Heard(noise(48000, 6, 4, np.random.default_rng(6)) * np.float32(0.2), 48000),
    "an odd rate": lambda: Heard(noise(11025, 2, 4, np.random.default_rng(7)) * np.float32(0.2), 11025),
    "a tenth of a block too long": lambda: Heard(tone(48000, [(-30, 0.41)]), 48000),
    # Parts of these lie below the absolute gate before the change, and above it afterwards.
    "hardly anything": lambda: Heard(tone(48000, [(-66, 2), (-71, 2), (-74, 2)]), 48000),
    "steps out of the gate": lambda: Heard(tone(48000, [(-69.5 - n / 4, 1) for n in range(20)]), 48000),
}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.slug)
@pytest.mark.parametrize("name", SOUNDS)
def test_a_copy_is_on_target(name: str, preset: Any) -> None:
    sound = SOUNDS[name]()
    copy = level_to(sound, preset.target_lufs)
    heard, info = decoded(copy.content)
    assert examine(heard).integrated_lufs == pytest.approx(preset.target_lufs, abs=0.1)
    assert copy.after == examine(heard)
    assert copy.before == examine(sound)
    assert (info.format, info.subtype) == ("FLAC", "PCM_24")
    assert (info.samplerate, info.channels) == (sound.shape.sample_rate_hz, sound.shape.channels)
    assert heard.samples.shape == sound.samples.shape


@settings(max_examples=20)
@given(seed=st.integers(0, 2**31), target=st.floats(-40, -24))
def test_any_speech_reaches_any_level(seed: int, target: float) -> None:
    copy = level_to(speech(seed), target)
    assert examine(decoded(copy.content)[0]).integrated_lufs == pytest.approx(target, abs=0.1)


def test_nothing_but_the_level_changes() -> None:
    sound = speech(5)
    heard, _ = decoded(with_gain(sound, -7.5))
    expected = sound.samples.astype(np.float64) * 10 ** (-7.5 / 20)
    assert np.abs(heard.samples - expected).max() <= 0.51 / 2**23


def test_no_gain_gives_the_same_samples_and_the_same_bytes_each_time() -> None:
    samples = np.round(speak(5, 1.0)[:, None] * 32767).astype(np.int16)
    sound = Heard((samples / np.float32(32768)).astype(np.float32), RATE_HZ)
    for bits in (16, 24):
        content = with_gain(sound, 0.0, bits)
        again, _ = soundfile.read(io.BytesIO(content), dtype="int16", always_2d=True)
        assert np.array_equal(again, samples)
        assert content == with_gain(sound, 0.0, bits)


def test_sixteen_bits_are_rounded_to_the_nearest() -> None:
    sound = speech(6)
    heard, info = decoded(with_gain(sound, -10.0, 16))
    assert info.subtype == "PCM_16"
    expected = sound.samples.astype(np.float64) * 10 ** (-10 / 20)
    assert np.abs(heard.samples - expected).max() <= 0.51 / 2**15


@pytest.mark.parametrize("sign", [1, -1])
def test_a_gain_up_to_full_scale_is_taken_and_one_beyond_is_refused(sign: int) -> None:
    samples = np.full((RATE_HZ, 1), 0.01, np.float32)
    samples[777] = sign * 0.5
    sound = Heard(samples, RATE_HZ)
    to_full_scale_db = 20 * np.log10(2)
    assert with_gain(sound, to_full_scale_db - 1e-6)
    with pytest.raises(LevelTooHigh) as refusal:
        with_gain(sound, to_full_scale_db + 0.24, name="loud.wav")
    assert refusal.value.data == {"name": "loud.wav", "excess_db": 0.3}
    assert "loud.wav" in str(refusal.value)


def test_full_scale_itself_is_there_below_zero_only() -> None:
    samples = np.full((RATE_HZ, 1), 0.01, np.float32)
    samples[777] = -0.5
    to_full_scale_db = float(20 * np.log10(2))
    heard, _ = decoded(with_gain(Heard(samples, RATE_HZ), to_full_scale_db))
    assert heard.samples.min() == -1
    with pytest.raises(LevelTooHigh):
        with_gain(Heard(-samples, RATE_HZ), to_full_scale_db)


def test_a_level_that_would_clip_is_refused_and_the_highest_that_would_not_is_known() -> None:
    sound = speech(8)
    measures = examine(sound)
    highest = highest_target_lufs(measures)
    assert highest is not None
    with pytest.raises(LevelTooHigh):
        level_to(sound, highest + 0.2)
    with pytest.raises(LevelTooHigh):
        refuse_clipping(measures, gain_for(measures, highest + 0.2))
    copy = level_to(sound, highest)
    assert copy.peaks_high
    assert copy.after.clipped_samples == 0
    assert not level_to(sound, highest - 6).peaks_high


@pytest.mark.parametrize("samples", [tone(RATE_HZ, [(SILENCE, 2)]), tone(RATE_HZ, [(-20, 0.3)])])
def test_what_has_no_loudness_cannot_be_levelled(samples: Samples) -> None:
    with pytest.raises(LevelUnknown, match="cannot be brought to a level"):
        level_to(Heard(samples, RATE_HZ), -30)
    silent = examine(Heard(samples, RATE_HZ))
    assert highest_target_lufs(silent) is None


def test_the_gain_is_the_distance_to_the_target() -> None:
    measures = Measures(-21.5, 3.0, -4.0, -5.0, 0.0, 0, 0.0, 0.0, 0.0)
    assert gain_for(measures, -30.0) == -8.5
    assert highest_target_lufs(measures) == -16.5
