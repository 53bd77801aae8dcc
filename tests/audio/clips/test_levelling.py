"""Copies at another level: on target, otherwise unchanged, and refused where they would be clipped."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from audio.clips.levelling import distance_lu, level_clips, levelled
from audio.clips.plainclips import examine_clips, read_clip
from audio.facts import Measures, Samples
from audio.measuring.examination import examine
from audio.synthesis import Degradation, degrade, speak
from audio.targets import PRESETS
from stimuli.errors.levels import LevelTooHigh, LevelUnknown
from tests.audio.ebu import SILENCE, Heard, noise, tone

RATE_HZ = 16000
FULL_SCALE = 2**23
LIMITS = {"longest_h": 1.0, "short_s": 600.0}


def speech(seed: int) -> Heard:
    return Heard(speak(seed, 4.0)[:, None], RATE_HZ)


def degraded(kind: Degradation) -> Callable[[], Heard]:
    return lambda: Heard(degrade(speak(3, 4.0), kind, np.random.default_rng(3))[:, None], RATE_HZ)


def fade() -> Heard:
    """Noise that stays near the gate for most of its time, so that every gain lets a little more of it through."""
    levels_db = np.linspace(0, 1, 30 * 8000) ** 0.12 * -55 - 40
    wave = np.random.default_rng(0).uniform(-1, 1, len(levels_db)) * 10 ** (levels_db / 20)
    return Heard(wave.astype(np.float32)[:, None], 8000)


SOUNDS: dict[str, Callable[[], Heard]] = {
    "speech": lambda: speech(1),
    "other speech": lambda: speech(2),
    **{f"speech, {kind}": degraded(kind) for kind in Degradation},
    "tone": lambda: Heard(tone(44100, [(-40, 3)]), 44100),
    "six channels": lambda: Heard(noise(48000, 6, 4, np.random.default_rng(6)) * np.float32(0.2), 48000),
    "an odd rate": lambda: Heard(noise(11025, 2, 4, np.random.default_rng(7)) * np.float32(0.2), 11025),
    "a high rate": lambda: Heard(noise(96000, 1, 2, np.random.default_rng(8)) * np.float32(0.2), 96000),
    "a tenth of a block too long": lambda: Heard(tone(48000, [(-30, 0.41)]), 48000),
    # Parts of these lie below the absolute gate before the change, and above it afterwards.
    "hardly anything": lambda: Heard(tone(48000, [(-66, 2), (-71, 2), (-74, 2)]), 48000),
    "steps out of the gate": lambda: Heard(tone(48000, [(-69.5 - n / 4, 1) for n in range(20)]), 48000),
}


@dataclass(frozen=True)
class Copied:
    """A file that went through the sealed child's work, and what is found when its copy is read by strangers."""

    source: Heard
    before: dict[str, Any]
    entry: dict[str, Any]
    heard: Heard
    kind: str

    @property
    def measures(self) -> Measures:
        """As measured on the copy itself."""
        return examine(self.heard)


def copied(sound: Heard, target_lufs: float, container: str = "WAV", coding: str = "FLOAT") -> Copied:
    file = io.BytesIO()
    soundfile.write(file, sound.samples, sound.shape.sample_rate_hz, format=container, subtype=coding)
    (verdict,) = examine_clips(file, names=["x"], **LIMITS)["clips"]
    outcome = level_clips(file, names=["x"], befores=[verdict["measures"]], target_lufs=target_lufs)
    (entry,) = outcome.facts["copies"]
    assert "error" not in entry, entry
    content = io.BytesIO(outcome.blobs["0"])
    info = soundfile.info(content)
    content.seek(0)
    samples, rate_hz = soundfile.read(content, dtype="float32", always_2d=True)
    source = Heard(read_clip(file, name="x")[1], sound.shape.sample_rate_hz)
    return Copied(source, verdict["measures"], entry, Heard(samples, rate_hz), f"{info.format} {info.subtype}")


def with_gain(samples: Samples, gain_db: float, name: str = "") -> Heard:
    """A copy that is louder by so much."""
    sound = Heard(samples, RATE_HZ)
    before = examine(sound)
    assert before.integrated_lufs is not None
    copy = levelled(samples, sound.shape, before, target_lufs=before.integrated_lufs + gain_db, name=name)
    return Heard(read_clip(io.BytesIO(copy.content), name="copy")[1], RATE_HZ)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.slug)
@pytest.mark.parametrize("name", SOUNDS)
def test_a_copy_is_on_target(name: str, preset: Any) -> None:
    copy = copied(SOUNDS[name](), preset.target_lufs)
    assert copy.measures.integrated_lufs == pytest.approx(preset.target_lufs, abs=0.05)
    assert copy.kind == "WAV PCM_24"
    assert copy.heard.shape.sample_rate_hz == copy.source.shape.sample_rate_hz
    assert copy.heard.samples.shape == copy.source.samples.shape


@pytest.mark.parametrize("name", SOUNDS)
def test_what_is_said_of_a_copy_is_what_is_measured_on_it(name: str) -> None:
    copy = copied(SOUNDS[name](), -30.0)
    said, found = copy.entry["after"], copy.measures.to_json()
    assert said.pop("true_peak_dbtp") == pytest.approx(found.pop("true_peak_dbtp"), abs=0.01)
    assert said == found


@settings(max_examples=20)
@given(seed=st.integers(0, 2**31), target=st.floats(-40, -24))
def test_any_speech_reaches_any_level(seed: int, target: float) -> None:
    assert copied(speech(seed), target).measures.integrated_lufs == pytest.approx(target, abs=0.05)


def test_a_fade_through_the_gate_reaches_its_level_step_by_step() -> None:
    copy = copied(fade(), -60.0)
    in_one_step_db = -60.0 - copy.before["integrated_lufs"]
    assert copy.entry["gain_db"] > in_one_step_db + 10
    assert copy.measures.integrated_lufs == pytest.approx(-60, abs=0.05)


@pytest.mark.parametrize(("container", "coding"), [("WAV", "PCM_16"), ("FLAC", "PCM_24"), ("OGG", "VORBIS")])
def test_a_copy_is_its_source_times_one_gain_rounded_to_24_bits(container: str, coding: str) -> None:
    sound = Heard(noise(RATE_HZ, 2, 2, np.random.default_rng(1)) * np.float32(0.2), RATE_HZ)
    copy = copied(sound, -33.0, container, coding)
    gain = 10 ** (copy.entry["gain_db"] / 20)
    expected = np.rint(copy.source.samples.astype(np.float64) * gain * FULL_SCALE) / FULL_SCALE
    np.testing.assert_array_equal(copy.heard.samples, expected.astype(np.float32))


def test_no_gain_gives_the_same_samples() -> None:
    samples = np.round(speak(5, 1.0)[:, None] * 32767).astype(np.int16)
    sound = (samples / np.float32(32768)).astype(np.float32)
    np.testing.assert_array_equal(with_gain(sound, 0.0).samples, sound)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_gain_up_to_full_scale_is_taken_and_one_beyond_is_refused(sign: int) -> None:
    samples = np.full((RATE_HZ, 1), 0.01, np.float32)
    samples[777] = sign * 0.5
    to_full_scale_db = float(20 * np.log10(2))
    assert np.abs(with_gain(samples, to_full_scale_db - 1e-6).samples).max() == pytest.approx(1, abs=1e-6)
    with pytest.raises(LevelTooHigh) as refusal:
        with_gain(samples, to_full_scale_db + 0.24, name="loud.wav")
    assert refusal.value.data == {"name": "loud.wav", "excess_db": 0.3}
    assert "loud.wav" in str(refusal.value)


def test_full_scale_itself_is_there_below_zero_only() -> None:
    samples = np.full((RATE_HZ, 1), 0.01, np.float32)
    samples[777] = -0.5
    to_full_scale_db = float(20 * np.log10(2))
    assert with_gain(samples, to_full_scale_db).samples.min() == -1
    with pytest.raises(LevelTooHigh):
        with_gain(-samples, to_full_scale_db)


@pytest.mark.parametrize("samples", [tone(RATE_HZ, [(SILENCE, 2)]), tone(RATE_HZ, [(-20, 0.3)])])
def test_what_has_no_loudness_cannot_be_levelled(samples: Samples) -> None:
    sound = Heard(samples, RATE_HZ)
    with pytest.raises(LevelUnknown, match="cannot be brought to a level"):
        levelled(samples, sound.shape, examine(sound), target_lufs=-30)


def test_a_clip_that_cannot_have_the_level_gets_its_own_verdict() -> None:
    click = 0.001 * speak(1, 1.0)
    click[777] = 0.9
    sounds = {"click": click, "silence": np.zeros(RATE_HZ), "speech": speak(2, 1.0)}
    files = [io.BytesIO() for _ in sounds]
    for file, sound in zip(files, sounds.values(), strict=True):
        soundfile.write(file, sound, RATE_HZ, format="WAV", subtype="PCM_24")
    befores = [one["measures"] for one in examine_clips(*files, names=list(sounds), **LIMITS)["clips"]]
    outcome = level_clips(*files, names=list(sounds), befores=befores, target_lufs=-30.0)
    kinds = [entry.get("error", {}).get("kind") for entry in outcome.facts["copies"]]
    assert kinds == ["LevelTooHigh", "LevelUnknown", None]
    assert list(outcome.blobs) == ["2"]


def test_the_gain_is_the_distance_to_the_target() -> None:
    assert distance_lu(Measures(-21.5, 3.0, -4.0, -5.0, 0.0, 0, 0.0, 0.0, 0.0), -30.0) == -8.5
