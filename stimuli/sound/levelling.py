"""Copies of a recording at another level: the gain that is needed, and the FLAC file with that gain."""

import io
import math
from dataclasses import dataclass

import numpy as np
import soundfile

from stimuli.errors.levels import LevelTooHigh, LevelUnknown
from stimuli.sound.examination import Examiner, Readable, examine
from stimuli.sound.facts import Measures
from stimuli.sound.targets import PRESETS as PRESETS
from stimuli.sound.targets import TRUE_PEAK_LIMIT_DBTP

CLOSE_ENOUGH_LU = 0.05
MOST_ROUNDS = 8
SUBTYPES = {16: "PCM_16", 24: "PCM_24"}
COMPRESSION = 0.25  # of 0 to 1; the default takes half as long again for 3 % fewer bytes


@dataclass(frozen=True)
class Copy:
    """A file at a new level, with what was measured on both sides of the change."""

    content: bytes
    gain_db: float
    before: Measures
    after: Measures

    @property
    def peaks_high(self) -> bool:
        """Whether the copy passes the true peak that EBU R 128 allows; a player may then clip it."""
        return self.after.true_peak_dbtp is not None and self.after.true_peak_dbtp > TRUE_PEAK_LIMIT_DBTP


def gain_for(measures: Measures, target_lufs: float, name: str = "") -> float:
    """Return the gain in dB that brings a recording to a level."""
    if measures.integrated_lufs is None:
        raise LevelUnknown(name=name)
    return target_lufs - measures.integrated_lufs


def highest_target_lufs(measures: Measures) -> float | None:
    """Return the level at which the largest sample reaches full scale, rounded down to what can be asked for."""
    if measures.integrated_lufs is None or measures.sample_peak_dbfs is None:
        return None
    return math.floor((measures.integrated_lufs - measures.sample_peak_dbfs) * 10) / 10


def with_gain(sound: Readable, gain_db: float, bits: int = 24, name: str = "") -> bytes:
    """Return a FLAC file of the sound with this gain: same rate, channels and length."""
    return _encoded(sound, gain_db, bits, name)[0]


def level_to(
    sound: Readable, target_lufs: float, bits: int = 24, name: str = "", before: Measures | None = None
) -> Copy:
    """Bring a recording to a level, and measure the copy as it will be decoded; `before` saves measuring it again.

    One round is enough, unless parts of the sound pass the absolute gate of -70 LUFS on the way.
    """
    before = before or examine(sound, name)
    gain_db = gain_for(before, target_lufs, name)
    refuse_clipping(before, gain_db, name)
    for _ in range(MOST_ROUNDS):
        content, after = _encoded(sound, gain_db, bits, name)
        error_lu = gain_for(after, target_lufs, name)
        if abs(error_lu) <= CLOSE_ENOUGH_LU:
            break
        gain_db += error_lu
    return Copy(content, gain_db, before, after)


def refuse_clipping(measures: Measures, gain_db: float, name: str = "") -> None:
    """Refuse a gain that takes the largest sample beyond full scale."""
    if measures.sample_peak_dbfs is not None and measures.sample_peak_dbfs + gain_db > 0:
        raise LevelTooHigh(name=name, excess_db=_rounded_up(measures.sample_peak_dbfs + gain_db))


def _encoded(sound: Readable, gain_db: float, bits: int, name: str) -> tuple[bytes, Measures]:
    """Encode with a gain, and measure what will be decoded again.

    Samples are rounded to the nearest value and not dithered: the same input gives the same bytes, and with 24 bits
    the rounding lies 144 dB below full scale.
    """
    file = io.BytesIO()
    shape, full_scale = sound.shape, 2 ** (bits - 1)
    examiner = Examiner(shape, name=name)
    factor = 10 ** (gain_db / 20) * full_scale
    kind = {"format": "FLAC", "subtype": SUBTYPES[bits], "compression_level": COMPRESSION}
    with soundfile.SoundFile(file, "w", shape.sample_rate_hz, shape.channels, **kind) as flac:
        for samples in sound.blocks():
            values = np.rint(samples * np.float64(factor))
            largest = max(values.max() + 1, -values.min())  # there is one step less above zero than below it
            if largest > full_scale:
                raise LevelTooHigh(name=name, excess_db=_rounded_up(20 * math.log10(largest / full_scale)))
            flac.write(values.astype(np.int32) << (32 - bits))  # libsndfile takes the upper bits of 32
            examiner.feed((values / full_scale).astype(np.float32))
    return file.getvalue(), examiner.measures()


def _rounded_up(decibels: float) -> float:
    return math.ceil(decibels * 10) / 10
