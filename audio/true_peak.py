"""True-peak meter by ITU-R BS.1770-4, annex 2: the largest magnitude between samples, found at quarters."""

import numpy as np
from numpy.typing import NDArray

from audio.compiled import compiled
from audio.formats import Samples
from audio.loudness import Bounds

TAPS = 24  # a phase; BS.1770-4 prints a filter with 12
KAISER_BETA = 5.0  # with 24 taps: flat within 0.05 dB up to 0.43 of the sample rate
TAPS_AT_ONCE = 12  # as many as find room in registers
OVERSAMPLED_TWICE_FROM_HZ = 96_000
MAGNITUDE = np.int32(0x7FFFFFFF)  # of a float32: all but the sign; magnitudes are ordered as their bits are


def _interpolators() -> NDArray[np.float32]:
    """Return the filters that give the sound 1/4, 2/4 and 3/4 of a sample after the one before the middle tap."""
    rows = []
    for quarter in (1, 2, 3):
        distance = np.arange(TAPS) - (TAPS // 2 - 1) - quarter / 4
        window = np.i0(KAISER_BETA * np.sqrt(1 - np.square(2 * distance / TAPS)))
        row = np.sinc(distance) * window
        rows.append(row / row.sum())
    return np.array(rows, np.float32)


INTERPOLATORS = _interpolators()
# No interpolated value is larger than this times the largest sample under the filter: |sum h x| <= sum |h| max |x|.
GAIN_BOUND = float(np.abs(INTERPOLATORS.astype(np.float64)).sum(axis=1).max()) * (1 + 1e-5)


@compiled
def magnitudes(flat: Samples, bounds: Bounds) -> NDArray[np.int32]:
    """Return the bits of the largest magnitude in each window of all channels; bits of no number are the largest."""
    bits = flat.view(np.int32)
    found = np.zeros(bounds.shape[0] - 1, np.int32)
    for window in range(found.shape[0]):
        largest = np.int32(0)
        # Unsigned, as no index counted from the end is: only then is the loop done on whole vector registers.
        for i in range(np.uint64(bounds[window]), np.uint64(bounds[window + 1])):
            largest = max(largest, bits[i] & MAGNITUDE)
        found[window] = largest
    return found


@compiled
def _largest_between(under: Samples, count: int, first_phase: int, stop_phase: int, out: Samples) -> np.int32:
    """Return the bits of the largest magnitude that the filters of some phases give at the first `count` places."""
    largest = np.int32(0)
    bits = out.view(np.int32)
    for phase in range(first_phase, stop_phase):
        out[:] = 0
        for tap in range(0, TAPS, TAPS_AT_ONCE):
            for i in range(count):
                value = out[i]
                for k in range(TAPS_AT_ONCE):
                    value += INTERPOLATORS[phase, tap + k] * under[i + tap + k]
                out[i] = value
        for i in range(count):
            largest = max(largest, bits[i] & MAGNITUDE)
    return largest


@compiled
def _copied(flat: Samples, start: int, channel: int, history: NDArray[np.float32], out: Samples) -> None:
    """Copy one channel from `start` on; what lies before the samples is in its history."""
    channels, past = history.shape
    for i in range(out.shape[0]):
        at = start + i
        out[i] = history[channel, at + past] if at < 0 else flat[at * channels + channel]


@compiled
def _raised(
    flat: Samples,
    bounds: Bounds,
    peaks: NDArray[np.float32],
    history: NDArray[np.float32],
    highest: NDArray[np.float32],
    first_phase: int,
    stop_phase: int,
) -> None:
    """Raise `highest`, the peak so far, by what lies between the samples of those windows that can raise it.

    `peaks` has the largest sample of each window after that of the window before them all; `history` has the samples
    of each channel before these, and is left with the last of these.
    """
    channels, past = history.shape
    highest_bits = highest.view(np.int32)
    for window in range(bounds.shape[0] - 1):
        if max(peaks[window], peaks[window + 1]) * GAIN_BOUND <= highest[0]:
            continue
        count = bounds[window + 1] - bounds[window]
        under, out = np.empty(past + count, np.float32), np.empty(count, np.float32)
        for channel in range(channels):
            _copied(flat, bounds[window] - past, channel, history, under)
            bits = _largest_between(under, count, first_phase, stop_phase, out)
            highest_bits[0] = max(highest_bits[0], bits)
    last = np.empty(past, np.float32)
    for channel in range(channels):
        _copied(flat, bounds[-1] - past, channel, history, last)
        history[channel] = last


class TruePeakMeter:
    """Measures a stream of whole windows; each must be at least as long as the filter, but for the last."""

    def __init__(self, sample_rate_hz: int, channels: int) -> None:
        self.highest = np.zeros(1, np.float32)  # full scale is 1
        self._phases = (1, 2) if sample_rate_hz >= OVERSAMPLED_TWICE_FROM_HZ else (0, 3)
        self._history = np.zeros((channels, TAPS - 1), np.float32)
        self._last_peak = np.zeros(1, np.float32)

    def feed(self, samples: Samples, bounds: Bounds, peaks: NDArray[np.float32]) -> None:
        """Take windows that begin and end at `bounds`, and the largest magnitude in each."""
        self.highest[0] = max(self.highest[0], peaks.max(initial=0))  # the samples are part of the finer grid
        peaks = np.concatenate([self._last_peak, peaks])
        _raised(samples.reshape(-1), bounds, peaks, self._history, self.highest, *self._phases)
        self._last_peak = peaks[-1:]

    def finish(self) -> float:
        """Let the sound fade out of the filter, and return the true peak."""
        silence = np.zeros((TAPS, self._history.shape[0]), np.float32)
        self.feed(silence, np.array([0, TAPS]), np.zeros(1, np.float32))
        return float(self.highest[0])
