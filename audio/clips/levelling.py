"""Short clips brought to a level in a sealed child, as plain WAV of 24 bits, each measured as it will be heard."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from audio.clips.plainclips import read_clip
from audio.clips.plainwav import wav
from audio.compiled import compiled
from audio.facts import Measures, Samples, Shape
from audio.measuring.examination import Examiner
from audio.sealed.asking import Outcome
from core.errors import AppError
from stimuli.errors.levels import LevelTooHigh, LevelUnknown

BITS = 24  # rounding then lies 144 dB below full scale, whatever the gain
FULL_SCALE = float(1 << (BITS - 1))
CLOSE_ENOUGH_LU = 0.05
MOST_ROUNDS = 50  # all go the same way, so that there is an end; a long fade through the gate takes a dozen


@dataclass(frozen=True)
class Levelled:
    """A clip at its new level."""

    content: bytes  # a plain WAV
    gain_db: float
    measures: Measures


def level_clips(
    *files: BinaryIO, names: Sequence[str], befores: Sequence[Mapping[str, Any]], target_lufs: float
) -> Outcome:
    """Give each clip a gain: facts `copies` with gain and measures, and the copy as a blob under its number."""
    entries: list[dict[str, Any]] = []
    blobs: dict[str, bytes] = {}
    for number, (file, name, before) in enumerate(zip(files, names, befores, strict=True)):
        try:
            shape, samples = read_clip(file, name=name)
            copy = levelled(samples, shape, Measures.from_json(dict(before)), target_lufs=target_lufs, name=name)
        except AppError as refusal:
            entries.append({"error": {"kind": type(refusal).__name__, "data": refusal.data}})
            continue
        blobs[str(number)] = copy.content
        entries.append({"gain_db": copy.gain_db, "after": copy.measures.to_json()})
    return Outcome({"copies": entries}, blobs)


def levelled(samples: Samples, shape: Shape, before: Measures, *, target_lufs: float, name: str = "") -> Levelled:
    """Bring a clip to a level; it may not be clipped there.

    One round is enough, unless parts of the sound pass the absolute gate of -70 LUFS on the way.
    """
    gain_db = distance_lu(before, target_lufs, name)
    for _ in range(MOST_ROUNDS):
        heard, data = _with_gain(samples, gain_db, name)
        after = _measured(heard, shape, before, gain_db, name)
        error_lu = distance_lu(after, target_lufs, name)
        if abs(error_lu) <= CLOSE_ENOUGH_LU:
            break
        gain_db += error_lu
    content = wav(data, sample_rate_hz=shape.sample_rate_hz, channels=shape.channels, bits=BITS)
    return Levelled(content, gain_db, after)


def distance_lu(measures: Measures, target_lufs: float, name: str = "") -> float:
    """How far a sound is below a level, which is the gain that brings it there."""
    if measures.integrated_lufs is None:
        raise LevelUnknown(name=name)
    return target_lufs - measures.integrated_lufs


def _with_gain(samples: Samples, gain_db: float, name: str) -> tuple[Samples, bytes]:
    """The samples with a gain, as they will be decoded again and as bytes of 24-bit integers.

    They are rounded to the nearest value and not dithered: the same input gives the same bytes.
    """
    heard, packed = samples.copy(), np.empty(3 * samples.size, np.uint8)
    largest = _amplified(heard.reshape(-1), 10 ** (gain_db / 20) * FULL_SCALE, packed)
    if largest > FULL_SCALE:
        raise LevelTooHigh(name=name, excess_db=math.ceil(200 * math.log10(largest / FULL_SCALE)) / 10)
    return heard, bytes(packed.data)


def _measured(heard: Samples, shape: Shape, before: Measures, gain_db: float, name: str) -> Measures:
    """Measure a copy, but for its true peak: that is the source's and the gain, and finding it takes a third of all."""
    examiner = Examiner(shape, name=name, true_peak=False)
    examiner.feed(heard)
    peak_dbtp = None if before.true_peak_dbtp is None else before.true_peak_dbtp + gain_db
    return replace(examiner.measures(), true_peak_dbtp=peak_dbtp)


@compiled
def _amplified(samples: NDArray[np.float32], factor: float, packed: NDArray[np.uint8]) -> float:
    """Scale samples in place and round them to 24 bits, packed too; return the largest magnitude, in steps."""
    largest = 0.0
    for i in range(samples.shape[0]):
        value = np.rint(samples[i] * factor)
        largest = max(largest, value + 1.0, -value)  # there is one step less above zero than below it
        whole = np.int32(value)
        packed[3 * i] = whole & 0xFF
        packed[3 * i + 1] = (whole >> 8) & 0xFF
        packed[3 * i + 2] = (whole >> 16) & 0xFF
        samples[i] = np.float32(value / FULL_SCALE)
    return largest


def warm_up() -> None:
    """Load the kernel."""
    _amplified(np.zeros(2, np.float32), 1.0, np.zeros(6, np.uint8))
