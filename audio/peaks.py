"""Waveform peaks: the lowest and highest sample of each bin, as bytes."""

from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from audio.compiled import compiled
from audio.decode.base import Sound
from audio.decode.open import open_sound
from audio.formats import Format, Samples
from audio.pyramid import BIN_FACTOR
from audio.sandbox.client import Outcome
from audio.tiles import Peaks


def compute_peaks(samples: Samples, bin_samples: int) -> Peaks:
    """Return the bins of samples that begin with one, over all channels; the last may be shorter."""
    bins = np.empty((-(-len(samples) // bin_samples), 2), np.int8)
    flat = np.require(samples, np.float32, ["C", "W"]).reshape(-1)
    _compute_peaks(flat, bin_samples * samples.shape[1], bins)
    return bins


@compiled
def _compute_peaks(flat: NDArray[np.float32], width: int, bins: Peaks) -> None:
    """Values are rounded outwards: no sample is ever outside its outline, and only true silence is 0.

    Floating point numbers are compared as the whole numbers that have their order, which processors do many at a time.
    """
    bits = flat.view(np.int32)
    ends = np.empty(2, np.int32)
    for number in range(bins.shape[0]):
        start, stop = np.uint64(number * width), np.uint64(min((number + 1) * width, flat.shape[0]))
        low, high = np.int32(0x7FFFFFFF), np.int32(-0x80000000)
        for i in range(start, stop):
            ordered = bits[i] ^ ((bits[i] >> np.int32(31)) & np.int32(0x7FFFFFFF))
            low, high = min(low, ordered), max(high, ordered)
        ends[0] = low ^ ((low >> np.int32(31)) & np.int32(0x7FFFFFFF))
        ends[1] = high ^ ((high >> np.int32(31)) & np.int32(0x7FFFFFFF))
        values = ends.view(np.float32)
        bins[number, 0] = np.int8(min(max(np.floor(values[0] * 128), -128.0), 127.0))
        bins[number, 1] = np.int8(min(max(np.ceil(values[1] * 128), -128.0), 127.0))


def merge_bins(bins: Peaks) -> Peaks:
    """Join every four bins to one."""
    groups = np.arange(0, len(bins), BIN_FACTOR)
    lowest, highest = np.minimum.reduceat(bins[:, 0], groups), np.maximum.reduceat(bins[:, 1], groups)
    return np.stack([lowest, highest], axis=1)


def compute_levels(bins: Peaks, count: int) -> list[Peaks]:
    """Return bins at `count` levels, these being the first."""
    found = [bins]
    while len(found) < count:
        found.append(merge_bins(found[-1]))
    return found


def render_peaks(sound: Sound, *, bin_samples: int, start: int, count: int) -> Peaks:
    """Draw `count` bins from bin `start` on, or fewer where the recording ends."""
    return compute_peaks(sound.read(start * bin_samples, count * bin_samples), bin_samples)


def render_file_peaks(
    file: BinaryIO, *, format: str, bin_samples: int, start: int, count: int, name: str = "", index: bytes = b""
) -> Outcome:
    """Draw bins of a file, in the sandbox: the blob `peaks`."""
    sound = open_sound(file, format=Format(format), name=name, index=index)
    bins = render_peaks(sound, bin_samples=bin_samples, start=start, count=count)
    return Outcome({"bins": len(bins)}, {"peaks": bins.tobytes()})
