"""Clips: served with the samples of the source and nothing else, and normalised to a loudness."""

import io
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from audio import validate as work
from audio.clips import (
    encode_clip,
    encode_clips,
    encode_pcm,
    examine_plain_clips,
    gain_to_target_lu,
    normalise_clip,
    normalise_clips,
    read_clip,
    read_plain,
)
from audio.decode.open import open_file
from audio.errors import LevelTooHigh, LevelUnknown
from audio.formats import Samples
from audio.loudness import PRESETS
from audio.measure import measure_sound
from audio.partial_results import Measures
from audio.synthesis import Degradation, degrade, speak
from audio.wav import common_bytes, encode_wav, is_plain, plain_bytes, wav_head
from tests.audio.ebu import SILENCE, Heard, noise, tone
from tests.scale import ALL

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


@cache
def sound_called(name: str) -> Heard:
    return SOUNDS[name]()


@dataclass(frozen=True)
class Copied:
    """A file that was normalised as in the sandbox, and what other programs find in its copy."""

    source: Heard
    before: dict[str, Any]
    entry: dict[str, Any]
    heard: Heard
    kind: str

    @cached_property
    def measures(self) -> Measures:
        """As measured on the copy itself."""
        return measure_sound(self.heard)


@cache
def copy_of(name: str, target_lufs: float) -> Copied:
    return copied(sound_called(name), target_lufs)


def copied(sound: Heard, target_lufs: float, container: str = "WAV", coding: str = "FLOAT") -> Copied:
    file = io.BytesIO()
    soundfile.write(file, sound.samples, sound.shape.sample_rate_hz, format=container, subtype=coding)
    (verdict,) = examine_plain_clips(file, names=["x"], **LIMITS)["clips"]
    outcome = normalise_clips(file, names=["x"], befores=[verdict["measures"]], target_lufs=target_lufs)
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
    before = measure_sound(sound)
    assert before.integrated_lufs is not None
    copy = normalise_clip(samples, sound.shape, before, target_lufs=before.integrated_lufs + gain_db, name=name)
    return Heard(read_clip(io.BytesIO(copy.content), name="copy")[1], RATE_HZ)


# All sounds at the first preset, and one at every preset; the others at the other presets wait for --all.
TARGETS = [
    pytest.param(
        name,
        preset.target_lufs,
        id=f"{name}-{preset.slug}",
        marks=[] if name == "speech" or preset is PRESETS[0] else [pytest.mark.long],
    )
    for name in SOUNDS
    for preset in PRESETS
]


@pytest.mark.parametrize(("name", "target_lufs"), TARGETS)
def test_a_copy_is_on_target(name: str, target_lufs: float) -> None:
    copy = copy_of(name, target_lufs)
    assert copy.measures.integrated_lufs == pytest.approx(target_lufs, abs=0.05)
    assert copy.kind == "WAV PCM_24"
    assert copy.heard.shape.sample_rate_hz == copy.source.shape.sample_rate_hz
    assert copy.heard.samples.shape == copy.source.samples.shape


@pytest.mark.parametrize("name", SOUNDS)
def test_what_is_said_of_a_copy_is_what_is_measured_on_it(name: str) -> None:
    copy = copy_of(name, -30.0)
    said, found = dict(copy.entry["after"]), copy.measures.to_json()
    assert said.pop("true_peak_dbtp") == pytest.approx(found.pop("true_peak_dbtp"), abs=0.01)
    assert said == found


@settings(max_examples=20 if ALL else 3)
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
    with pytest.raises(LevelTooHigh) as error:
        with_gain(samples, to_full_scale_db + 0.24, name="loud.wav")
    assert error.value.data == {"name": "loud.wav", "excess_db": 0.3}
    assert "loud.wav" in str(error.value)


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
        normalise_clip(samples, sound.shape, measure_sound(sound), target_lufs=-30)


def test_a_clip_that_cannot_have_the_level_gets_its_own_verdict() -> None:
    click = 0.001 * speak(1, 1.0)
    click[777] = 0.9
    sounds = {"click": click, "silence": np.zeros(RATE_HZ), "speech": speak(2, 1.0)}
    files = [io.BytesIO() for _ in sounds]
    for file, sound in zip(files, sounds.values(), strict=True):
        soundfile.write(file, sound, RATE_HZ, format="WAV", subtype="PCM_24")
    befores = [one["measures"] for one in examine_plain_clips(*files, names=list(sounds), **LIMITS)["clips"]]
    outcome = normalise_clips(*files, names=list(sounds), befores=befores, target_lufs=-30.0)
    kinds = [entry.get("error", {}).get("kind") for entry in outcome.facts["copies"]]
    assert kinds == ["LevelTooHigh", "LevelUnknown", None]
    assert list(outcome.blobs) == ["2"]


def test_the_gain_is_the_distance_to_the_target() -> None:
    assert gain_to_target_lu(Measures(-21.5, 3.0, -4.0, -5.0, 0.0, 0, 0.0, 0.0, 0.0), -30.0) == -8.5


RATE = 16000


def encoded(sound: np.ndarray, format: str = "WAV", subtype: str | None = None, title: str = "") -> io.BytesIO:
    file = io.BytesIO()
    shape = {"samplerate": RATE, "channels": sound.shape[1], "format": format, "subtype": subtype}
    with soundfile.SoundFile(file, "w", **shape) as target:
        if title:
            target.title = title
        target.write(sound)
    return file


def integers(count: int, channels: int, bits: int) -> np.ndarray:
    limit = 2 ** (bits - 1)
    values = np.random.default_rng(1).integers(-limit, limit, (count, channels))
    values[:2] = [[-limit] * channels, [limit - 1] * channels]
    return values


def chunks(content: bytes) -> list[tuple[bytes, int]]:
    found, at = [], 12
    while at < len(content):
        name, size = struct.unpack_from("<4sI", content, at)
        found.append((name, size))
        at += 8 + size + size % 2
    assert at == len(content)
    return found


@pytest.mark.parametrize("bits", [16, 24])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("format", ["WAV", "FLAC", "AIFF"])
def test_every_sample_of_a_lossless_source_is_served(bits: int, channels: int, format: str) -> None:
    values = integers(1001, channels, bits)
    source = encoded((values << (32 - bits)).astype(np.int32), format, f"PCM_{bits}", title="condition 7")
    content = encode_clip(source, name="x", bits=bits)
    back, _ = soundfile.read(io.BytesIO(content), dtype="int32", always_2d=True)
    np.testing.assert_array_equal(back >> (32 - bits), values)
    assert b"condition" not in content
    assert [name for name, _ in chunks(content)] == [b"fmt ", b"data"]
    assert len(content) == plain_bytes(1001, channels, bits)


def test_sixteen_bits_are_served_unchanged_in_a_collection_of_twenty_four() -> None:
    values = integers(500, 1, 16)
    content = encode_clip(encoded(values.astype(np.int16), subtype="PCM_16"), name="x", bits=24)
    back, _ = soundfile.read(io.BytesIO(content), dtype="int32", always_2d=True)
    np.testing.assert_array_equal(back, values << 16)


def test_floating_point_is_rounded_to_24_bits_and_kept_inside_full_scale() -> None:
    sound = np.array([[0.1], [-1.0], [1.0], [1.5], [-2.0]], np.float32)
    content = encode_clip(encoded(sound, subtype="FLOAT"), name="x", bits=24)
    back, _ = soundfile.read(io.BytesIO(content), dtype="float64", always_2d=True)
    full = 1 - 2.0**-23
    np.testing.assert_allclose(back[:, 0], [0.1, -1.0, full, full, -1.0], atol=2.0**-23)


@pytest.mark.parametrize("difference", range(0, 40, 2))
def test_clips_of_an_item_are_equally_long_in_bytes(difference: int) -> None:
    lengths = [plain_bytes(1000, 1, 16), plain_bytes(1000 + difference // 2, 1, 16)]
    total = common_bytes(lengths)
    clips = [
        encode_wav(bytes(length - 44), sample_rate_hz=RATE, channels=1, bits=16, total_bytes=total)
        for length in lengths
    ]
    assert {len(clip) for clip in clips} == {total}
    for clip, length in zip(clips, lengths, strict=True):
        assert dict(chunks(clip))[b"data"] == length - 44
        assert struct.unpack_from("<I", clip, 4)[0] == len(clip) - 8
        assert len(soundfile.read(io.BytesIO(clip))[0]) == (length - 44) // 2
    kinds = [[name for name, _ in chunks(clip)] for clip in clips]
    assert kinds[0] == kinds[1], "a clip that is not filled would stand out"


def test_a_plain_file_is_known_and_any_other_is_not() -> None:
    content = encode_wav(bytes(200), sample_rate_hz=RATE, channels=1, bits=16)
    assert is_plain(content[:44], len(content), bits=16)
    assert not is_plain(content[:44], len(content), bits=24)
    assert not is_plain(content[:44], len(content) + 2, bits=16)
    assert not is_plain(content[:43], 43, bits=16)
    titled = encoded(np.zeros((100, 1)), subtype="PCM_16", title="mine").getvalue()
    assert not is_plain(titled[:44], len(titled), bits=16)
    filled = encode_wav(bytes(200), sample_rate_hz=RATE, channels=1, bits=16, total_bytes=300)
    assert not is_plain(filled[:44], len(filled), bits=16)


def test_odd_data_is_followed_by_a_byte_that_is_not_counted() -> None:
    content = encode_wav(encode_pcm(np.zeros((3, 1), np.float32), 24), sample_rate_hz=RATE, channels=1, bits=24)
    assert chunks(content) == [(b"fmt ", 16), (b"data", 9)]
    assert len(content) == plain_bytes(3, 1, 24) == 44 + 9 + 1


def test_a_broken_clip_gets_its_own_verdict_among_good_ones() -> None:
    good, bad = encoded(np.zeros((100, 1)), subtype="PCM_16"), io.BytesIO(b"not a sound")
    outcome = encode_clips(
        good, bad, good, names=["a", "b", "c"], bits=16, depth=16, totals=[0, 0, 0], dithers=["", "", ""]
    )
    assert [sorted(entry) for entry in outcome.facts["clips"]] == [[], ["error"], []]
    assert outcome.facts["clips"][1]["error"]["kind"] == "NotAudio"
    assert set(outcome.blobs) == {"0", "2"}


def plain_file(bits: int, channels: int = 1, *, rate: int = 16000, count: int = 8000) -> io.BytesIO:
    limit = 2 ** (bits - 1)
    values = np.random.default_rng(bits + channels).integers(-limit, limit, (count, channels))
    values[:2] = [[-limit] * channels, [limit - 1] * channels]
    file = io.BytesIO()
    soundfile.write(file, (values << (32 - bits)).astype(np.int32), rate, format="WAV", subtype=f"PCM_{bits}")
    return file


@pytest.mark.parametrize("bits", [16, 24])
@pytest.mark.parametrize("channels", [1, 2, 5])
def test_the_same_samples_come_out_as_from_the_decoder(bits: int, channels: int) -> None:
    file = plain_file(bits, channels)
    plain = read_plain(io.BytesIO(encode_wav(file.getvalue()[44:], sample_rate_hz=16000, channels=channels, bits=bits)))
    sound = open_file(file, name="x")
    assert plain is not None
    shape, samples = plain
    assert (shape.sample_rate_hz, shape.channels, shape.length_samples, shape.bits) == (16000, channels, 8000, bits)
    np.testing.assert_array_equal(samples, sound.read(0, 8000))


def test_verdicts_are_those_of_the_decoder_for_every_kind_of_file() -> None:
    flac, empty = io.BytesIO(), io.BytesIO()
    soundfile.write(flac, np.random.default_rng(0).uniform(-0.1, 0.1, 9000), 8000, format="FLAC")
    soundfile.write(empty, np.zeros(0), 8000, format="WAV")
    odd = [
        io.BytesIO(plain_file(16).getvalue()[:-500]),
        io.BytesIO(wav_head(0, sample_rate_hz=16000, channels=1, bits=16)),
        io.BytesIO(encode_wav(bytes(600), sample_rate_hz=3, channels=1, bits=16)),
        io.BytesIO(encode_wav(bytes(600), sample_rate_hz=16000, channels=100, bits=16)),
        io.BytesIO(encode_wav(bytes(602), sample_rate_hz=16000, channels=2, bits=16)),
        io.BytesIO(b"RIFF"),
    ]
    files = [plain_file(16), plain_file(24), flac, empty, *odd]
    names = [str(number) for number in range(len(files))]
    slow = work.examine_clips(*files, names=names, **LIMITS)["clips"]
    fast = examine_plain_clips(*files, names=names, **LIMITS)["clips"]
    for one, other in zip(slow, fast, strict=True):
        one.pop("sha256", None)
        other.pop("sha256", None)
        assert one == other
    assert sum("error" in verdict for verdict in fast) == 6  # half a frame at the end does no harm


def test_a_long_plain_file_is_left_to_those_who_take_it_in_pieces() -> None:
    (verdict,) = examine_plain_clips(plain_file(16), names=["long"], longest_h=1.0, short_s=0.1)["clips"]
    assert (verdict["is_short"], verdict["measures"]) == (False, None)
