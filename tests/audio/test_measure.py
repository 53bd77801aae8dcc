"""Measures of a recording, made in one pass: right, the same in pieces and segments, and ready before it is needed."""

import json
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audio import k_weighting as kweighting
from audio import measure
from audio import true_peak as truepeak
from audio.errors import SoundBroken
from audio.formats import Samples, Shape
from audio.measure import RecordingMeter, measure_sound, warm_up
from audio.partial_results import Measures, PartialResult, merge_results
from tests.audio.ebu import Heard, noise, tone
from tests.scale import ALL

RATE_HZ = 16000


def measured(samples: Samples, rate_hz: int = RATE_HZ) -> Measures:
    return measure_sound(Heard(samples, rate_hz))


def mono(*values: float) -> Samples:
    return np.array(values, np.float32)[:, None]


def quiet(length: int) -> Samples:
    return np.full((length, 1), 0.1, np.float32)


def in_segments(samples: Samples, rate_hz: int, size: int) -> list[PartialResult]:
    heard = Heard(samples, rate_hz)
    parts = []
    for start in range(0, len(samples), size):
        meter = RecordingMeter(heard.shape, start, min(start + size, len(samples)))
        for piece in heard.blocks(meter.reads_from, meter.reads_to, 7777):
            meter.feed(piece)
        parts.append(meter.partial_result())
    return parts


# --- Each measure -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("snr_db", [0.0, 10.0, 30.0])
@pytest.mark.parametrize("share", [0.3, 0.8])
def test_the_signal_to_noise_ratio_of_bursts_in_noise_is_estimated(snr_db: float, share: float) -> None:
    rng, length = np.random.default_rng(5), 8 * RATE_HZ
    floor = 0.01 * rng.standard_normal(length)
    bursts = 0.01 * 10 ** (snr_db / 20) * rng.standard_normal(length)
    bursts[np.arange(length) % RATE_HZ >= share * RATE_HZ] = 0  # a burst every second, and a pause
    found = measured((floor + bursts).astype(np.float32)[:, None])
    assert found.snr_estimate_db == pytest.approx(snr_db, abs=1.0)


def test_without_a_pause_that_holds_noise_there_is_no_estimate_of_the_ratio() -> None:
    steady = 0.1 * np.random.default_rng(1).standard_normal((3 * RATE_HZ, 1)).astype(np.float32)
    gated = steady * (np.arange(len(steady)) % RATE_HZ < RATE_HZ // 2)[:, None]
    for sound in (steady, gated.astype(np.float32), steady[: RATE_HZ // 2]):
        assert measured(sound).snr_estimate_db is None


def test_a_tone_is_measured() -> None:
    found = measured(tone(48000, [(-20, 5)]), 48000)
    assert found.integrated_lufs == pytest.approx(-20, abs=0.1)
    assert found.loudness_range_lu == pytest.approx(0, abs=0.01)
    assert found.true_peak_dbtp == pytest.approx(-20, abs=0.1)
    assert found.sample_peak_dbfs == pytest.approx(-20, abs=0.01)
    assert found.dc_offset == pytest.approx(0, abs=1e-6)
    assert found.clipped_samples == 0
    assert (found.leading_silence_s, found.trailing_silence_s, found.longest_silence_s) == (0, 0, 0)


def test_silence_has_no_levels_and_is_silent_throughout() -> None:
    found = measured(np.zeros((RATE_HZ + 3, 2), np.float32))
    assert found.integrated_lufs is found.loudness_range_lu is found.true_peak_dbtp is found.sample_peak_dbfs is None
    duration_s = (RATE_HZ + 3) / RATE_HZ
    assert found.leading_silence_s == found.trailing_silence_s == found.longest_silence_s == duration_s


@pytest.mark.parametrize("length", [1, 3, 159, 160, 161, 1599])
def test_even_a_few_samples_are_measured(length: int) -> None:
    found = measured(quiet(length))
    assert found.integrated_lufs is None
    assert found.sample_peak_dbfs == pytest.approx(-20, abs=0.001)
    assert (found.true_peak_dbtp or -100) >= (found.sample_peak_dbfs or 0)
    assert found.dc_offset == pytest.approx(0.1)
    assert found.trailing_silence_s == 0


def test_dc_offset_is_the_mean_of_the_worst_channel() -> None:
    samples = noise(RATE_HZ, 2, 1.05, np.random.default_rng(1))
    samples += np.array([0.01, -0.03], np.float32) - samples.mean(axis=0)
    assert measured(samples).dc_offset == pytest.approx(-0.03, abs=1e-6)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ([1.0, 1.0], 0),
        ([1.0, 1.0, 1.0], 3),
        ([-1.0] * 5, 5),
        ([32767 / 32768] * 4, 4),  # the largest positive sample of 16 bits
        ([8388607 / 8388608, 1.0, 32767 / 32768], 3),
        ([1.3, 1.2, 1.1], 3),  # beyond full scale everything is clipped in the end
        ([0.9995] * 3, 3),  # clipped, then turned down a little
        ([0.9991, 0.9995, 0.9993], 0),  # a loud crest, not a flat one
        ([0.998] * 9, 0),
        ([1.0, 1.0, -1.0, -1.0, 1.0, 1.0], 0),
        ([1.0] * 3 + [0.2] + [1.0] * 4, 7),
    ],
)
def test_clipped_samples_are_those_in_flat_runs_at_full_scale(run: list[float], expected: int) -> None:
    samples = np.concatenate([quiet(100), mono(*run), quiet(100)])
    assert measured(samples).clipped_samples == expected


def test_a_clipped_run_is_counted_across_windows_blocks_and_channels() -> None:
    samples = np.concatenate([quiet(RATE_HZ // 10 - 2), np.ones((4, 1), np.float32), quiet(RATE_HZ)])
    both = np.concatenate([samples, np.roll(samples, 1, axis=0)], axis=1)
    assert measured(samples).clipped_samples == 4
    assert measured(both).clipped_samples == 8


def test_a_pause_ends_a_clipped_run() -> None:
    window = RATE_HZ // 100
    samples = np.concatenate([quiet(window - 2), mono(1, 1), quiet(window), mono(1), quiet(window)])
    assert measured(samples).clipped_samples == 0


def test_a_peak_beyond_the_last_sample_counts_only_at_the_end_of_the_recording() -> None:
    fade = np.clip(np.arange(RATE_HZ) / 1000, 0, 1)[:, None].astype(np.float32)
    rising = np.full((RATE_HZ, 1), 0.5, np.float32) * fade
    assert measured(rising).true_peak_dbtp == pytest.approx(-5.0, abs=0.1)  # 1 dB above the samples
    hill = np.concatenate([rising, rising[::-1]])
    assert merge_results(in_segments(hill, RATE_HZ, RATE_HZ), RATE_HZ).true_peak_dbtp == pytest.approx(-6.02, abs=0.02)


def test_silence_is_found_at_the_ends_and_inside() -> None:
    def part(level: float, length_s: float) -> Samples:
        return np.full((round(length_s * RATE_HZ), 1), level, np.float32)

    samples = np.concatenate(
        [
            *(part(0.0009, 0.25), part(0.1, 0.5), part(0, 0.73), part(0.1, 0.2)),
            *(part(0.0002, 0.4), part(0.1, 0.1), part(0, 0.123)),
        ]
    )
    found = measured(samples)
    assert found.leading_silence_s == pytest.approx(0.25)
    assert found.trailing_silence_s == pytest.approx(0.123, abs=0.01)
    assert found.longest_silence_s == pytest.approx(0.73)


def test_one_loud_channel_is_enough_to_break_silence() -> None:
    samples = np.zeros((RATE_HZ, 2), np.float32)
    samples[:, 1] = 0.01
    assert measured(samples).longest_silence_s == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [5, 9000, -1])
def test_samples_that_are_no_numbers_are_refused(bad: float, at: int) -> None:
    samples = noise(RATE_HZ, 1, 1.01, np.random.default_rng(2))
    samples[at] = bad
    with pytest.raises(SoundBroken, match="not finite numbers") as error:
        measure_sound(Heard(samples, RATE_HZ), "odd.wav")
    assert error.value.data["name"] == "odd.wav"


def test_huge_samples_are_measured_all_the_same() -> None:
    assert measured(quiet(RATE_HZ) * 1e20).sample_peak_dbfs == pytest.approx(380, abs=0.01)


# --- In pieces and segments ------------------------------------------------------------------------------------------


@settings(max_examples=25 if ALL else 8)
@given(seed=st.integers(0, 2**31), rate_hz=st.sampled_from([8000, 11025, 16000, 96000]), channels=st.integers(1, 3))
def test_feeding_in_pieces_changes_nothing(seed: int, rate_hz: int, channels: int) -> None:
    rng = np.random.default_rng(seed)
    samples = noise(rate_hz, channels, 1.234, rng) * np.float32(2)
    meter = RecordingMeter(Heard(samples, rate_hz).shape)
    for piece in np.split(samples, np.sort(rng.integers(0, len(samples), 12))):
        meter.feed(piece)
    assert meter.measures() == measured(samples, rate_hz)
    assert meter.measures() == meter.measures()


@settings(max_examples=25 if ALL else 6)
@given(
    seed=st.integers(0, 2**31),
    rate_hz=st.sampled_from([8000, 11025, 16000]),
    channels=st.integers(1, 2),
    size=st.integers(3000, 30000),
)
def test_segments_add_up_to_the_whole(seed: int, rate_hz: int, channels: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    samples = np.clip(noise(rate_hz, channels, 4.321, rng) * np.float32(6), -1, 1)
    samples[5000:7000] = 0
    whole, joined = measured(samples, rate_hz), merge_results(in_segments(samples, rate_hz, size), rate_hz)
    assert joined.clipped_samples == whole.clipped_samples
    assert joined.sample_peak_dbfs == whole.sample_peak_dbfs
    assert joined.true_peak_dbtp == pytest.approx(whole.true_peak_dbtp, abs=1e-5)
    assert joined.integrated_lufs == pytest.approx(whole.integrated_lufs, abs=1e-6)
    assert joined.loudness_range_lu == pytest.approx(whole.loudness_range_lu, abs=1e-6)
    assert joined.dc_offset == pytest.approx(whole.dc_offset, abs=1e-9)
    assert joined.longest_silence_s == whole.longest_silence_s > 0
    assert joined.trailing_silence_s == pytest.approx(whole.trailing_silence_s, abs=1e-9)


def test_segments_cover_every_sample_once() -> None:
    samples = quiet(RATE_HZ * 3 + 77)
    for size in (1000, 1600, 4801, 16000, 48077, 100000):
        parts = in_segments(samples, RATE_HZ, size)
        assert sum(part.length_samples for part in parts) == len(samples)
        assert sum(len(part.blocks) for part in parts) == 30
        assert sum(len(part.quiet) for part in parts) == 301


def test_the_loudest_moment_is_found_across_two_segments() -> None:
    samples = np.concatenate([quiet(RATE_HZ * 2), tone(RATE_HZ, [(-3, 0.4)], (0.0,)), quiet(RATE_HZ)])
    whole = in_segments(samples, RATE_HZ, len(samples))[0].loudest_momentary
    joined = max(part.loudest_momentary for part in in_segments(samples, RATE_HZ, round(2.2 * RATE_HZ)))
    assert joined == pytest.approx(whole, rel=1e-6)


def test_a_partial_result_survives_the_way_out_of_the_sandbox() -> None:
    (part,) = in_segments(noise(11025, 2, 1.23, np.random.default_rng(4)), 11025, 10**6)
    facts, blobs = part.to_parts()
    again = PartialResult.from_parts(json.loads(json.dumps(facts)), blobs)
    for one in fields(PartialResult):
        assert np.array_equal(getattr(again, one.name), getattr(part, one.name)), one.name


# --- Readiness --------------------------------------------------------------------------------------------------------


def test_after_the_warm_up_nothing_is_left_to_compile() -> None:
    kernels: list[Any] = [
        *(kweighting._weigh, kweighting._filtered_energy, measure._clipped),
        *(truepeak.magnitudes, truepeak._raised, truepeak._copied, truepeak._largest_between),
    ]
    warm_up()
    before = [len(kernel.signatures) for kernel in kernels]
    for channels in (1, 2, 6):
        samples = noise(RATE_HZ, channels, 1.1, np.random.default_rng(channels))
        samples.setflags(write=False)
        measure_sound(Heard(samples, RATE_HZ))
    shape = Shape("wav", 192000, 1, 500, 24)
    meter = RecordingMeter(shape)
    meter.feed(quiet(500))
    meter.measures()
    assert [len(kernel.signatures) for kernel in kernels] == before
