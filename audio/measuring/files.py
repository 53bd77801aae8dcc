"""Measuring a file of any length from outside: sealed children take its stretches, several at a time."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from audio.facts import Measures, Shape
from audio.measuring.gates import loudest, lufs, short_term_lufs
from audio.measuring.stretches import STRETCH_SAMPLES, stretches
from audio.measuring.tallies import Tally, measures_of
from audio.sealed.asking import run_sealed

ANY_LENGTH_H = 1e6


@dataclass(frozen=True)
class Measured:
    """A file's shape and measures, and the loudest moments that a meter would have shown."""

    shape: Shape
    measures: Measures
    loudest_momentary_lufs: float | None
    loudest_short_term_lufs: float | None

    @property
    def duration_s(self) -> float:
        return self.shape.length_samples / self.shape.sample_rate_hz

    def to_json(self) -> dict[str, Any]:
        measures, shape = self.measures.to_json(), self.shape.to_json()
        first = ("integrated_lufs", "loudness_range_lu", "true_peak_dbtp", "sample_peak_dbfs")
        return {
            **{name: measures[name] for name in first},
            "duration_s": self.duration_s,
            "sample_rate_hz": self.shape.sample_rate_hz,
            "channels": self.shape.channels,
            "loudest_momentary_lufs": self.loudest_momentary_lufs,
            "loudest_short_term_lufs": self.loudest_short_term_lufs,
            **measures,
            **shape,
        }


def measure_file(
    file: BinaryIO,
    name: str,
    progress: Callable[[float], None] = lambda share: None,
    stretch_samples: int = STRETCH_SAMPLES,
) -> Measured:
    """Measure a file; `progress` hears which share of it is done."""
    probed = run_sealed("audio.judging.files:probe", file, name=name, longest_h=ANY_LENGTH_H, short_s=0)
    shape = Shape.from_json(probed.facts["shape"])
    index = {"index": probed.blobs["index"]}

    def tally(part: tuple[int, int]) -> Tally:
        work = "audio.measuring.stretches:tally_stretch"
        outcome = run_sealed(work, file, name=name, blobs=index, start=part[0], stop=part[1])
        return Tally.from_parts(outcome.facts, outcome.blobs)

    tallies = []
    with ThreadPoolExecutor(os.cpu_count()) as children:
        for found in children.map(tally, stretches(shape, stretch_samples)):
            tallies.append(found)
            progress(sum(part.length_samples for part in tallies) / shape.length_samples)
    return _joined(shape, tallies)


def _joined(shape: Shape, tallies: list[Tally]) -> Measured:
    momentary = lufs(np.array([part.loudest_momentary for part in tallies]))
    short_term = short_term_lufs(np.concatenate([part.blocks for part in tallies]))
    return Measured(shape, measures_of(tallies, shape.sample_rate_hz), loudest(momentary), loudest(short_term))
