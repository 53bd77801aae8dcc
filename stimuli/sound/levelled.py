"""Short clips brought to a level in a sealed child, as plain WAV of 24 bits, each measured as it will be heard."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np

from core.errors import AppError
from stimuli.errors.levels import LevelTooHigh
from stimuli.sound.examination import Examiner
from stimuli.sound.facts import Measures, Samples, Shape
from stimuli.sound.levelling import CLOSE_ENOUGH_LU, MOST_ROUNDS, gain_for, refuse_clipping
from stimuli.sound.plainclips import amplified, read_clip
from stimuli.sound.plainwav import wav
from stimuli.sound.sealed import Outcome

BITS = 24  # rounding then lies 144 dB below full scale, whatever the gain
FULL_SCALE = float(1 << (BITS - 1))


def level_clips(
    *files: BinaryIO, names: Sequence[str], befores: Sequence[Mapping[str, Any]], target_lufs: float
) -> Outcome:
    """Give each clip a gain: facts `copies` with gain and measures, and the copy as a blob under its number."""
    entries: list[dict[str, Any]] = []
    blobs: dict[str, bytes] = {}
    for number, (file, name, before) in enumerate(zip(files, names, befores, strict=True)):
        try:
            shape, samples = read_clip(file, name=name)
            gain_db, data, after = levelled(samples, shape, Measures.from_json(dict(before)), target_lufs, name)
        except AppError as refusal:
            entries.append({"error": {"kind": type(refusal).__name__, "data": refusal.data}})
            continue
        blobs[str(number)] = wav(data, sample_rate_hz=shape.sample_rate_hz, channels=shape.channels, bits=BITS)
        entries.append({"gain_db": gain_db, "after": after.to_json()})
    return Outcome({"copies": entries}, blobs)


def levelled(
    samples: Samples, shape: Shape, before: Measures, target_lufs: float, name: str
) -> tuple[float, bytes, Measures]:
    """The gain, the samples with that gain as 24-bit integers, and what is measured on these.

    One round is enough, unless parts of the sound pass the absolute gate of -70 LUFS on the way.
    """
    gain_db = gain_for(before, target_lufs, name)
    refuse_clipping(before, gain_db, name)
    data = np.empty(3 * samples.size, np.uint8)
    for _ in range(MOST_ROUNDS):
        copy = samples.copy()
        largest = amplified(copy.reshape(-1), 10 ** (gain_db / 20) * FULL_SCALE, data)
        if largest > FULL_SCALE:
            raise LevelTooHigh(name=name, excess_db=math.ceil(200 * math.log10(largest / FULL_SCALE)) / 10)
        examiner = Examiner(shape, name=name)
        examiner.feed(copy)
        after = examiner.measures()
        error_lu = gain_for(after, target_lufs, name)
        if abs(error_lu) <= CLOSE_ENOUGH_LU:
            break
        gain_db += error_lu
    return gain_db, bytes(data.data), after
