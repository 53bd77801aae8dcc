"""True peak against the test signals of the EBU, and against interpolation without any shortcut."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audio.formats import Samples
from audio.loudness import window_bounds
from audio.partial_results import to_decibels
from audio.true_peak import GAIN_BOUND, INTERPOLATORS, TAPS, TruePeakMeter, magnitudes
from tests.audio.ebu import noise, peak_between, sine_of_peak
from tests.scale import ALL

# BS.1770-4, annex 2: the printed filter, of which the last two phases are the first two backwards.
PRINTED = (
    (
        *(0.0017089843750, 0.0109863281250, -0.0196533203125, 0.0332031250000, -0.0594482421875, 0.1373291015625),
        *(0.9721679687500, -0.1022949218750, 0.0476074218750, -0.0266113281250, 0.0148925781250, -0.0083007812500),
    ),
    (
        *(-0.0291748046875, 0.0292968750000, -0.0517578125000, 0.0891113281250, -0.1665039062500, 0.4650878906250),
        *(0.7797851562500, -0.2003173828125, 0.1015625000000, -0.0582275390625, 0.0330810546875, -0.0189208984375),
    ),
)


def true_peak(samples: Samples, rate_hz: int = 48000, pieces: int = 1) -> float:
    """Feed whole blocks, as a meter does."""
    meter = TruePeakMeter(rate_hz, samples.shape[1])
    block = rate_hz // 10
    edges = [round(len(samples) / block * n / pieces) * block for n in range(pieces)] + [len(samples)]
    for start, stop in pairwise(edges):
        piece = np.ascontiguousarray(samples[start:stop])
        bounds = window_bounds(start // block, len(piece), rate_hz)
        peaks = magnitudes(piece.reshape(-1), bounds * samples.shape[1]).view(np.float32)
        meter.feed(piece, bounds, peaks)
    return meter.finish()


def without_shortcuts(samples: Samples, phases: slice = slice(None)) -> float:
    padded = np.pad(samples.astype(np.float64), ((TAPS, TAPS), (0, 0)))
    between = [
        np.abs(np.convolve(padded[:, channel], row[::-1].astype(np.float64))).max()
        for row in INTERPOLATORS[phases]
        for channel in range(samples.shape[1])
    ]
    return float(max(np.abs(samples).max(), *between))


@pytest.mark.parametrize(
    ("divisor", "phase_degrees", "amplitude", "expected_dbtp"),
    [(4, 0.0, 0.5, -6.0), (4, 45.0, 0.5, -6.0), (6, 60.0, 0.5, -6.0), (8, 67.5, 0.5, -6.0), (4, 45.0, 1.41, 3.0)],
)
def test_a_peak_that_no_sample_hits_is_found(
    divisor: int, phase_degrees: float, amplitude: float, expected_dbtp: float
) -> None:
    found = to_decibels(true_peak(sine_of_peak(divisor, phase_degrees, amplitude)))  # Tech 3341, 15 to 19
    assert found is not None
    assert expected_dbtp - 0.4 <= found <= expected_dbtp + 0.2


@pytest.mark.parametrize("offset", range(4))
def test_a_peak_is_found_wherever_it_lies_between_samples(offset: int) -> None:
    found = to_decibels(true_peak(peak_between(offset)))  # Tech 3341, 20 to 23
    assert found is not None
    assert -0.4 <= found <= 0.2


@settings(max_examples=30 if ALL else 10)
@given(
    seed=st.integers(0, 2**31),
    rate_hz=st.sampled_from([8000, 16000, 44100]),
    channels=st.integers(1, 3),
    pieces=st.integers(1, 5),
)
def test_leaving_out_what_cannot_win_changes_nothing(seed: int, rate_hz: int, channels: int, pieces: int) -> None:
    samples = noise(rate_hz, channels, 1.5, np.random.default_rng(seed))
    assert true_peak(samples, rate_hz, pieces) == pytest.approx(without_shortcuts(samples), rel=1e-6)


def test_the_bound_holds_for_the_worst_sound_there_is() -> None:
    worst = np.sign(INTERPOLATORS[1])
    samples = np.zeros((4800, 1), np.float32)
    samples[1000 : 1000 + TAPS, 0] = 0.25 * worst
    peak = true_peak(samples)
    assert peak == pytest.approx(without_shortcuts(samples), rel=1e-6)
    assert 0.25 * GAIN_BOUND * 0.999 < peak < 0.25 * GAIN_BOUND


def test_a_peak_beyond_the_first_and_last_sample_counts() -> None:
    for at in (0, -1):
        samples = np.full((4800, 1), 0.01, np.float32)
        samples[at] = 0.5
        samples[at + (1 if at == 0 else -1)] = 0.5
        assert true_peak(samples) == pytest.approx(without_shortcuts(samples), rel=1e-6)
        assert true_peak(samples) > 0.55


def test_from_96_khz_on_one_value_between_two_samples_is_enough() -> None:
    samples = noise(96000, 1, 0.5, np.random.default_rng(3))
    assert true_peak(samples, 96000) == pytest.approx(without_shortcuts(samples, slice(1, 2)), rel=1e-6)


def test_the_filter_is_flatter_than_the_printed_one() -> None:
    def ripple_db(rows: np.typing.ArrayLike, up_to: float) -> float:
        filters = np.asarray(rows, np.float64)
        frequency = np.linspace(0, up_to, 200)
        response = np.abs(np.exp(-2j * np.pi * np.outer(frequency, np.arange(filters.shape[1]))) @ filters.T)
        return float(np.abs(20 * np.log10(response)).max())

    assert ripple_db(INTERPOLATORS, 0.43) < 0.05
    assert ripple_db(PRINTED, 0.43) > 0.5


def test_magnitudes_are_of_all_channels_and_show_what_is_no_number() -> None:
    samples = np.array([[0.1, -0.4], [0.2, 0.3], [-0.5, 0.0], [np.nan, 0.0]], np.float32)
    found = magnitudes(samples.reshape(-1), np.array([0, 4, 6, 8]))
    assert found[:2].view(np.float32) == pytest.approx([0.4, 0.5])
    assert found[2] > 0x7F800000
