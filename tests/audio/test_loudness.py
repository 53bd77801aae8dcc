"""Loudness against the test signals of the EBU, against two other implementations, and against itself."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import av
import numpy as np
import pyebur128
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audio.formats import Samples
from audio.k_weighting import WARM_UP_BLOCKS, KWeighting, LoudnessMeter, channel_weights, k_weighting
from audio.loudness import (
    block_from,
    block_start,
    integrated_lufs,
    loudest,
    loudness_range_lu,
    momentary_lufs,
    short_term_lufs,
    sliding_sums,
    window_bounds,
)
from tests.audio.ebu import SILENCE, STEREO_DB, Part, noise, tone
from tests.scale import ALL

# The filters of all rates are compared with each other in every run, and with the signals of the EBU by --all.
RATES_HZ = (16000, *[pytest.param(rate_hz, marks=pytest.mark.long) for rate_hz in (44100, 48000)])
every_rate = pytest.mark.parametrize("rate_hz", RATES_HZ)


def metered(samples: Samples, rate_hz: int) -> LoudnessMeter:
    meter = LoudnessMeter(rate_hz, samples.shape[1])
    meter.feed(samples)
    return meter


# --- EBU Tech 3341 and 3342 -------------------------------------------------------------------------------------------

INTEGRATED: dict[str, tuple[list[Part], Sequence[float], float]] = {
    "3341-1": ([(-23, 20)], STEREO_DB, -23),
    "3341-2": ([(-33, 20)], STEREO_DB, -33),
    "3341-3": ([(-36, 10), (-23, 60), (-36, 10)], STEREO_DB, -23),
    "3341-4": ([(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], STEREO_DB, -23),
    "3341-5": ([(-26, 20), (-20, 20.1), (-26, 20)], STEREO_DB, -23),
    "3341-6, five channels": ([(0, 20)], (-28, -28, -24, -30, -30), -23),
    "3341-6, with effects": ([(0, 20)], (-28, -28, -24, -10, -30, -30), -23),
}
RANGES: dict[str, tuple[list[Part], float]] = {
    "3342-1": ([(-20, 20), (-30, 20)], 10),
    "3342-2": ([(-20, 20), (-15, 20)], 5),
    "3342-3": ([(-40, 20), (-20, 20)], 20),
    "3342-4": ([(-50, 20), (-35, 20), (-20, 20), (-35, 20), (-50, 20)], 15),
}


@every_rate
@pytest.mark.parametrize("case", INTEGRATED)
def test_integrated_loudness_is_that_of_the_ebu(case: str, rate_hz: int) -> None:
    parts, offsets_db, expected = INTEGRATED[case]
    blocks = metered(tone(rate_hz, parts, offsets_db), rate_hz).blocks
    assert integrated_lufs(blocks) == pytest.approx(expected, abs=0.1)


@every_rate
@pytest.mark.parametrize("case", RANGES)
def test_loudness_range_is_that_of_the_ebu(case: str, rate_hz: int) -> None:
    parts, expected = RANGES[case]
    assert loudness_range_lu(metered(tone(rate_hz, parts), rate_hz).blocks) == pytest.approx(expected, abs=0.1)


@every_rate
@pytest.mark.parametrize(("level", "case"), [(-23, "3341-1"), (-33, "3341-2")])
def test_a_steady_tone_has_one_momentary_and_short_term_loudness(level: float, case: str, rate_hz: int) -> None:
    blocks = metered(tone(rate_hz, INTEGRATED[case][0]), rate_hz).blocks
    assert momentary_lufs(blocks) == pytest.approx(level, abs=0.1)
    assert short_term_lufs(blocks) == pytest.approx(level, abs=0.1)


@every_rate
def test_short_term_loudness_stands_still_over_a_pattern_of_its_length(rate_hz: int) -> None:
    blocks = metered(tone(rate_hz, [(-20, 1.34), (-30, 1.66)] * 5), rate_hz).blocks  # 3341-9
    assert short_term_lufs(blocks) == pytest.approx(-23, abs=0.1)


@every_rate
def test_momentary_loudness_stands_still_over_a_pattern_of_its_length(rate_hz: int) -> None:
    blocks = metered(tone(rate_hz, [(-20, 0.18), (-30, 0.22)] * 25), rate_hz).blocks  # 3341-12
    assert momentary_lufs(blocks) == pytest.approx(-23, abs=0.1)


@every_rate
@pytest.mark.parametrize("step", range(0, 20, 3))
def test_the_loudest_short_term_is_found_wherever_it_begins(step: int, rate_hz: int) -> None:
    parts = [(SILENCE, step * 0.15), (-23.0, 3.0), (SILENCE, 1.0)]  # 3341-10
    assert loudest(short_term_lufs(metered(tone(rate_hz, parts), rate_hz).blocks)) == pytest.approx(-23, abs=0.1)


# From 100 ms on, which are a block, beginnings lie in later blocks as these lie in the first.
@every_rate
@pytest.mark.parametrize("step", [*range(5), *[pytest.param(step, marks=pytest.mark.long) for step in range(5, 20)]])
def test_the_loudest_momentary_is_found_wherever_it_begins(step: int, rate_hz: int) -> None:
    parts = [(SILENCE, step * 0.02), (-23.0, 0.4), (SILENCE, 1.0)]  # 3341-13
    assert metered(tone(rate_hz, parts), rate_hz).loudest_momentary_lufs == pytest.approx(-23, abs=0.1)


@every_rate
def test_the_loudest_momentary_is_that_of_400_ms_every_10_ms_to_the_last_bit(rate_hz: int) -> None:
    samples = noise(rate_hz, 1, 3, np.random.default_rng(4))
    weighting = KWeighting(rate_hz, 1)
    bounds = window_bounds(0, len(samples), rate_hz)
    weighting.block_energies(samples, bounds)
    energies = KWeighting(rate_hz, 1).pass_through(samples, bounds)
    assert weighting.loudest_momentary == sliding_sums(energies, 40).max() / (0.4 * rate_hz)


@every_rate
def test_a_meter_can_be_read_while_it_runs(rate_hz: int) -> None:
    meter = LoudnessMeter(rate_hz, 2)
    assert meter.loudest_momentary_lufs is None
    steps = range(20 if ALL else 5)
    for step in steps:  # 3341-14, and 11 in the same signal
        meter.feed(tone(rate_hz, [(SILENCE, step * 0.02), (-38.0 + step, 0.4), (SILENCE, 1.0)]))
        assert meter.loudest_momentary_lufs == pytest.approx(-38 + step, abs=0.1)
    meter = LoudnessMeter(rate_hz, 2)
    for step in steps:
        meter.feed(tone(rate_hz, [(SILENCE, step * 0.15), (-38.0 + step, 3.0), (SILENCE, 1.0)]))
        assert loudest(short_term_lufs(meter.blocks)) == pytest.approx(-38 + step, abs=0.1)


# --- The filter and the channels --------------------------------------------------------------------------------------


def test_at_48_khz_the_filter_is_the_printed_one() -> None:
    shelf = [1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585]
    high_pass = [-1.99004745483398, 0.99007225036621]
    assert k_weighting(48000) == pytest.approx(np.array([*shelf, *high_pass]), abs=1e-8)


@pytest.mark.parametrize("rate_hz", [8000, 11025, 16000, 22050, 32000, 44100, 96000, 192000])
def test_a_sine_reads_the_same_at_every_rate(rate_hz: int) -> None:
    level = integrated_lufs(metered(tone(rate_hz, [(0, 2)], (0.0,), 997.0), rate_hz).blocks)
    assert level == pytest.approx(-3.01, abs=0.05)  # BS.1770-4, annex 1


def test_two_equal_channels_are_three_decibels_louder_than_one() -> None:
    once, twice = (tone(48000, [(-20, 2)], offsets) for offsets in [(0.0,), STEREO_DB])
    assert integrated_lufs(metered(twice, 48000).blocks) == pytest.approx(
        (integrated_lufs(metered(once, 48000).blocks) or 0) + 3.01, abs=0.005
    )


def test_surround_channels_weigh_more_and_effects_nothing() -> None:
    assert channel_weights(6) == (1, 1, 1, 0, 1.41, 1.41)
    assert channel_weights(5) == (1, 1, 1, 1.41, 1.41)
    assert channel_weights(2) == (1, 1)
    assert channel_weights(7) == (1,) * 7
    only_effects = np.zeros((48000, 6), np.float32)
    only_effects[:, 3] = 0.5
    assert integrated_lufs(metered(only_effects, 48000).blocks) is None


# --- Nothing to measure -----------------------------------------------------------------------------------------------


def test_silence_has_no_loudness() -> None:
    meter = metered(np.zeros((5 * 16000, 1), np.float32), 16000)
    assert integrated_lufs(meter.blocks) is None
    assert loudness_range_lu(meter.blocks) is None
    assert meter.loudest_momentary_lufs is None
    assert loudest(short_term_lufs(meter.blocks)) is None


def test_a_tone_below_the_absolute_gate_has_no_loudness() -> None:
    assert integrated_lufs(metered(tone(48000, [(-71, 5)]), 48000).blocks) is None
    assert integrated_lufs(metered(tone(48000, [(-69, 5)]), 48000).blocks) == pytest.approx(-69, abs=0.1)


def test_loudness_begins_at_four_tenths_of_a_second_and_range_at_three_seconds() -> None:
    short, enough = tone(48000, [(-23, 0.399)]), tone(48000, [(-23, 0.4)])
    assert integrated_lufs(metered(short, 48000).blocks) is None
    assert integrated_lufs(metered(enough, 48000).blocks) == pytest.approx(-23, abs=0.1)
    assert loudness_range_lu(metered(tone(48000, [(-23, 2.9)]), 48000).blocks) is None
    assert loudness_range_lu(metered(tone(48000, [(-23, 3.0)]), 48000).blocks) == 0


def test_hours_of_silence_after_sound_leave_no_slow_numbers_behind() -> None:
    meter = LoudnessMeter(8000, 1)
    meter.feed(tone(8000, [(-20, 1), (SILENCE, 2)], (0.0,)))
    meter.feed(np.zeros((8000, 1), np.float32))
    assert not meter._weighting._states.any()


# --- In pieces --------------------------------------------------------------------------------------------------------


@settings(max_examples=25 if ALL else 6)
@given(seed=st.integers(0, 2**31), rate_hz=st.sampled_from([8000, 11025, 16000, 22050]), channels=st.integers(1, 3))
def test_feeding_in_pieces_changes_nothing(seed: int, rate_hz: int, channels: int) -> None:
    rng = np.random.default_rng(seed)
    samples = noise(rate_hz, channels, 2.35, rng)
    whole, pieces = metered(samples, rate_hz), LoudnessMeter(rate_hz, channels)
    for piece in np.split(samples, np.sort(rng.integers(0, len(samples), 12))):
        pieces.feed(piece)
    assert np.array_equal(whole.blocks, pieces.blocks)
    assert whole.loudest_momentary_lufs == pieces.loudest_momentary_lufs
    assert len(whole.blocks) == 23


@pytest.mark.parametrize("rate_hz", [11025, 16000, 44100])
def test_a_meter_that_starts_a_second_early_agrees_with_one_that_heard_everything(rate_hz: int) -> None:
    samples = noise(rate_hz, 2, 6, np.random.default_rng(5))
    first = block_from(3 * rate_hz + 17, rate_hz)
    late = LoudnessMeter(rate_hz, 2, first - WARM_UP_BLOCKS)
    late.feed(samples[block_start(first - WARM_UP_BLOCKS, rate_hz) :])
    assert late.blocks[WARM_UP_BLOCKS:] == pytest.approx(metered(samples, rate_hz).blocks[first:], rel=1e-9)


def test_samples_may_be_read_only_strided_or_of_double_precision() -> None:
    samples = noise(16000, 2, 1, np.random.default_rng(1))
    expected = metered(samples, 16000).blocks
    frozen = samples.copy()
    frozen.setflags(write=False)
    doubled: Any = samples.astype(np.float64)
    for other in (frozen, np.asfortranarray(samples), doubled):
        assert np.array_equal(metered(other, 16000).blocks, expected)


# --- Other implementations --------------------------------------------------------------------------------------------


def libebur128(samples: Samples, rate_hz: int) -> float:
    state = pyebur128.R128State(samples.shape[1], rate_hz, pyebur128.MeasurementMode.MODE_I)
    state.add_frames(np.ascontiguousarray(samples).reshape(-1), len(samples))
    return float(pyebur128.get_loudness_global(state))


def ffmpeg(samples: Samples, rate_hz: int) -> tuple[float, float]:
    graph = av.filter.Graph()
    layout = {1: "mono", 2: "stereo", 6: "5.1"}[samples.shape[1]]
    source = graph.add_abuffer(sample_rate=rate_hz, format="flt", layout=layout, time_base=Fraction(1, rate_hz))
    meter, sink = graph.add("ebur128", "metadata=1"), graph.add("abuffersink")
    source.link_to(meter)
    meter.link_to(sink)
    graph.configure()
    frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="flt", layout=layout)
    frame.sample_rate, frame.pts = rate_hz, 0
    graph.push(frame)
    graph.push(None)
    found: dict[str, str] = {}
    while True:
        try:
            found |= graph.pull().metadata
        except av.EOFError:
            return float(found["lavfi.r128.I"]), float(found["lavfi.r128.LRA"])


@every_rate
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_libebur128_and_ffmpeg_find_the_same_loudness(channels: int, rate_hz: int) -> None:
    samples = noise(rate_hz, channels, 15 if ALL else 5, np.random.default_rng([channels, rate_hz]))
    level = integrated_lufs(metered(samples, rate_hz).blocks)
    assert level == pytest.approx(libebur128(samples, rate_hz), abs=0.001)
    assert level == pytest.approx(ffmpeg(samples, rate_hz)[0], abs=0.02)


@pytest.mark.parametrize("seed", [0, *[pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2)]])
def test_ffmpeg_finds_the_same_range(seed: int) -> None:
    """libebur128 would not do: it looks once a second, where Tech 3342 recommends ten times."""
    samples = noise(8000, 1, 240, np.random.default_rng(seed))
    assert loudness_range_lu(metered(samples, 8000).blocks) == pytest.approx(ffmpeg(samples, 8000)[1], abs=0.1)
