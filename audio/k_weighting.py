"""K-weighting filter of ITU-R BS.1770-4 at any sample rate, and a loudness meter for streams of any length."""

import math
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from audio.formats import Samples
from audio.loudness import BLOCKS_PER_S, MOMENTARY_BLOCKS, WINDOWS_PER_BLOCK, Bounds, Energies, Framer, loudest, lufs

P = ParamSpec("P")
R = TypeVar("R")

WARM_UP_BLOCKS = 10  # after 1 s nothing is left of how the filter began
SURROUND = 1.41
# BS.1770-4, tables 3 and 4, for the channel orders of WAV and FLAC. The effects channel of 5.1 and 7.1 does not count.
CHANNEL_WEIGHTS: dict[int, tuple[float, ...]] = {
    4: (1.0, 1.0, SURROUND, SURROUND),
    5: (1.0, 1.0, 1.0, SURROUND, SURROUND),
    6: (1.0, 1.0, 1.0, 0.0, SURROUND, SURROUND),
    8: (1.0, 1.0, 1.0, 0.0, 1.0, 1.0, SURROUND, SURROUND),
}
STATES = 6
NEGLIGIBLE = 1e-18


def channel_weights(channels: int) -> tuple[float, ...]:
    return CHANNEL_WEIGHTS.get(channels, (1.0,) * channels)


def k_weighting(sample_rate_hz: int) -> NDArray[np.float64]:
    """Return b0 b1 b2 a1 a2 of the shelf, then a1 a2 of the high-pass, whose zeros are 1 -2 1 at every rate.

    BS.1770-4 prints coefficients for 48 kHz only. These are the analogue prototypes behind them (as libebur128 has
    them), brought to any rate by the bilinear transform, corners in place; at 48 kHz they are the printed ones.
    """
    corner, gain_db, quality = 1681.974450955533, 3.999843853973347, 0.7071752369554196
    k = math.tan(math.pi * corner / sample_rate_hz)
    high = 10 ** (gain_db / 20)
    band = high**0.4996667741545416
    a0 = 1 + k / quality + k * k
    shelf = [high + band * k / quality + k * k, 2 * (k * k - high), high - band * k / quality + k * k]
    shelf += [2 * (k * k - 1), 1 - k / quality + k * k]
    corner, quality = 38.13547087602444, 0.5003270373238773
    k = math.tan(math.pi * corner / sample_rate_hz)
    b0 = 1 + k / quality + k * k
    high_pass = [2 * (k * k - 1), 1 - k / quality + k * k]
    return np.array([value / a0 for value in shelf] + [value / b0 for value in high_pass])


def _in_order(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a loop whose sums are done in the written order, with fused multiply-adds.

    The filter is written so that one multiply-add lies between a sample and the next. Where the compiler may choose
    the order (as in `compiled`) it makes that chain longer, and the filter five times slower.
    """
    return cast("Callable[P, R]", njit(cache=True, nogil=True, fastmath={"contract"})(function))


@_in_order
def _filtered_energy(
    flat: Samples,
    first: int,
    stop: int,
    step: int,
    k: NDArray[np.float64],
    state: NDArray[np.float64],
) -> tuple[float, float]:
    """Filter every `step`th sample; return the energy after the filter, and the sum before it."""
    b0, b1, b2, a1, a2, c1, c2 = k[0], k[1], k[2], k[3], k[4], k[5], k[6]
    x1, x2, y1, y2, z1, z2 = state[0], state[1], state[2], state[3], state[4], state[5]
    energy, total = 0.0, 0.0
    for i in range(first, stop, step):
        x = np.float64(flat[i])
        y = ((b0 * x + b1 * x1 + b2 * x2) - a2 * y2) - a1 * y1
        z = ((y - 2.0 * y1 + y2) - c2 * z2) - c1 * z1
        x2, x1, y2, y1, z2, z1 = x1, x, y1, y, z1, z
        energy += z * z
        total += x
    state[0], state[1], state[2], state[3], state[4], state[5] = x1, x2, y1, y2, z1, z2
    for i in range(STATES):  # what dies away in silence must not become denormal numbers, which are slow
        if abs(state[i]) < NEGLIGIBLE:
            state[i] = 0.0
    return energy, total


@_in_order
def _weigh(
    flat: Samples,
    bounds: Bounds,
    weights: NDArray[np.float64],
    k: NDArray[np.float64],
    states: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> Energies:
    """Return the energy (not divided by time) between each two bounds, and add each channel's samples to its sum."""
    channels = weights.shape[0]
    energies = np.zeros(bounds.shape[0] - 1)
    for channel in range(channels):
        for window in range(energies.shape[0]):
            first, stop = bounds[window] * channels + channel, bounds[window + 1] * channels
            energy, total = _filtered_energy(flat, first, stop, channels, k, states[channel])
            energies[window] += weights[channel] * energy
            sums[channel] += total
    return energies


@_in_order
def _largest_sum(energies: Energies, count: int) -> float:
    """Return the largest sum of `count` neighbours, each added in the order of time, as `sliding_sums` does it."""
    sums = np.zeros(energies.shape[0] - count + 1)
    for first in range(count):
        for i in range(sums.shape[0]):
            sums[i] += energies[first + i]
    return float(sums.max())


class KWeighting:
    """The K-filter of all channels with its memory, and the loudest 400 ms so far."""

    def __init__(self, sample_rate_hz: int, channels: int) -> None:
        self.sums = np.zeros(channels)  # of the samples themselves: what is needed for the DC offset
        self.loudest_momentary = 0.0  # a mean energy, on a grid of 10 ms: on one of 100 ms it may read 0.6 LU low
        self._weights = np.array(channel_weights(channels))
        self._coefficients = k_weighting(sample_rate_hz)
        self._states = np.zeros((channels, STATES))
        self._momentary_samples = sample_rate_hz * MOMENTARY_BLOCKS / BLOCKS_PER_S
        self._tail = np.zeros(0)

    def block_energies(self, samples: Samples, bounds: Bounds) -> Energies:
        """Take whole blocks, and return the mean energy of each."""
        energies = self.pass_through(samples, bounds)
        self._note_loudest(energies)
        lengths = np.diff(bounds[::WINDOWS_PER_BLOCK])
        means: Energies = energies.reshape(-1, WINDOWS_PER_BLOCK).sum(axis=1) / lengths
        return means

    def pass_through(self, samples: Samples, bounds: Bounds) -> Energies:
        """Take any samples, and return the energy of each window, not divided by its time."""
        return _weigh(samples.reshape(-1), bounds, self._weights, self._coefficients, self._states, self.sums)

    def _note_loudest(self, energies: Energies) -> None:
        windows = MOMENTARY_BLOCKS * WINDOWS_PER_BLOCK
        known = np.concatenate([self._tail, energies])
        self._tail = known[-(windows - 1) :]
        if len(known) >= windows:
            loudest = _largest_sum(known, windows)
            self.loudest_momentary = max(self.loudest_momentary, loudest / self._momentary_samples)


# --- Meter ------------------------------------------------------------------------------------------------------------


class LoudnessMeter:
    """Measures a stream. Feed it from the start of `first_block` on; blocks of neighbouring streams can be joined."""

    def __init__(self, sample_rate_hz: int, channels: int, first_block: int = 0) -> None:
        self._framer = Framer(sample_rate_hz, channels, first_block)
        self._weighting = KWeighting(sample_rate_hz, channels)
        self._energies: list[Energies] = []

    def feed(self, samples: Samples) -> None:
        self._energies += [self._weighting.block_energies(*piece) for piece in self._framer.cut(samples)]

    @property
    def blocks(self) -> Energies:
        """The whole blocks so far; the first WARM_UP_BLOCKS are wrong if the stream began inside a sound."""
        return np.concatenate([np.zeros(0), *self._energies])

    @property
    def loudest_momentary_lufs(self) -> float | None:
        """The highest momentary loudness so far, looked for every 10 ms."""
        return loudest(lufs(np.array([self._weighting.loudest_momentary])))
