"""Measurement of a recording in one pass over it, whole or in segments that add up."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from audio.compiled import compiled
from audio.decode.open import open_file
from audio.errors import NOT_FINITE, SoundBroken
from audio.formats import Readable, Samples, Shape
from audio.k_weighting import WARM_UP_BLOCKS, KWeighting
from audio.loudness import (
    Bounds,
    Energies,
    Framer,
    block_from,
    block_start,
    loudest,
    lufs,
    short_term_lufs,
    window_bounds,
)
from audio.partial_results import Measures, PartialResult, merge_results
from audio.sandbox.client import Outcome, run_sandboxed
from audio.true_peak import TruePeakMeter, magnitudes

QUIET = 0.001  # -60 dBFS: a window is silent if no sample of it is larger
NEAR_FULL_SCALE = np.float32(0.999)
FULL_SCALE = np.float32(32767 / 32768)  # the largest sample of 16 bits; what is beyond it counts as equal to it
SHORTEST_CLIPPED_RUN = 3
INFINITE = 0x7F800000  # the bits of an infinite float32; those of no number are larger


@compiled
def _clipped(
    flat: Samples,
    bounds: Bounds,
    peaks: NDArray[np.float32],
    lasts: NDArray[np.float32],
    runs: NDArray[np.int64],
) -> int:
    """Count the samples in long enough runs of one value near full scale; a run may go on from call to call."""
    channels = runs.shape[0]
    count = 0
    for window in range(peaks.shape[0]):
        if peaks[window] < NEAR_FULL_SCALE:
            runs[:] = 0
            continue
        for i in range(bounds[window] * channels, bounds[window + 1] * channels):
            channel = i % channels
            value = max(min(flat[i], FULL_SCALE), -FULL_SCALE)
            if abs(value) < NEAR_FULL_SCALE:
                runs[channel] = 0
                continue
            runs[channel] = runs[channel] + 1 if runs[channel] > 0 and value == lasts[channel] else 1
            lasts[channel] = value
            if runs[channel] == SHORTEST_CLIPPED_RUN:
                count += SHORTEST_CLIPPED_RUN
            elif runs[channel] > SHORTEST_CLIPPED_RUN:
                count += 1
    return count


class _NoMeter(TruePeakMeter):
    """In the place of a meter where the true peak is known already: it finds none."""

    def feed(self, samples: Samples, bounds: Bounds, peaks: NDArray[np.float32]) -> None:
        pass


class RecordingMeter:
    """Measures the segment of a recording that begins with the first block inside [start, stop).

    Feed it the samples from `reads_from` to `reads_to`, in pieces of any size: it needs a second before the segment for
    its filters, and the end of the last block. Stretches that join each other cover every sample exactly once.
    """

    def __init__(
        self, shape: Shape, start: int = 0, stop: int | None = None, name: str = "", *, true_peak: bool = True
    ) -> None:
        rate = shape.sample_rate_hz
        stop = shape.length_samples if stop is None else stop
        self.shape, self.name = shape, name
        self.first_block = block_from(start, rate)
        self.owns_from = min(block_start(self.first_block, rate), shape.length_samples)
        self.reads_to = min(block_start(block_from(stop, rate), rate), shape.length_samples)
        first_read = max(self.first_block - WARM_UP_BLOCKS, 0)
        self.reads_from = block_start(first_read, rate)
        self._framer = Framer(rate, shape.channels, first_read)
        self._weighting = KWeighting(rate, shape.channels)
        self._true_peak = (TruePeakMeter if true_peak else _NoMeter)(rate, shape.channels)
        self._lasts, self._runs = np.zeros(shape.channels, np.float32), np.zeros(shape.channels, np.int64)
        self._position = self.reads_from
        self._found: PartialResult | None = None
        self._begin()

    def _begin(self) -> None:
        """Start counting; the filters keep what they have heard."""
        self._energies: list[Energies] = []
        self._quiet: list[NDArray[np.bool_]] = []
        self._peak, self._clipped = 0.0, 0
        self._true_peak.highest[:] = 0
        self._weighting.sums[:] = 0
        self._weighting.loudest_momentary = 0.0

    def feed(self, samples: Samples) -> None:
        samples = samples[: max(self.reads_to - self._position, 0)]
        before = max(self.owns_from - self._position, 0)
        self._position += len(samples)
        if before:
            self._take_all(samples[:before])
            if self._position >= self.owns_from:
                self._begin()
        if len(samples) > before:
            self._take_all(samples[before:])

    def partial_result(self) -> PartialResult:
        """Return what was found, after everything was fed."""
        if self._found is None:
            self._found = self._finish()
        return self._found

    def _finish(self) -> PartialResult:
        rest = self._framer.rest()
        if len(rest) and self._position > self.owns_from:
            bounds = window_bounds(self._framer.block, len(rest), self.shape.sample_rate_hz)
            self._look(rest, bounds)
            self._weighting.pass_through(rest, bounds)  # for the sums; it is no whole block
        ends = self._position == self.shape.length_samples
        return PartialResult(
            length_samples=max(self._position - self.owns_from, 0),
            blocks=np.concatenate([np.zeros(0), *self._energies]),
            quiet=np.concatenate([np.zeros(0, np.bool_), *self._quiet]),
            sums=self._weighting.sums,
            sample_peak=self._peak,
            true_peak=self._true_peak.finish() if ends else float(self._true_peak.highest[0]),
            clipped_samples=self._clipped,
            loudest_momentary=self._weighting.loudest_momentary,
        )

    def measures(self) -> Measures:
        """Measure the whole, if the segment is the whole."""
        return merge_results([self.partial_result()], self.shape.sample_rate_hz)

    def _take_all(self, samples: Samples) -> None:
        for piece, bounds in self._framer.cut(samples):
            self._look(piece, bounds)
            self._energies.append(self._weighting.block_energies(piece, bounds))

    def _look(self, samples: Samples, bounds: Bounds) -> None:
        """Find silence, peaks and clipping."""
        bits = magnitudes(samples.reshape(-1), bounds * self.shape.channels)
        if bits.max() >= INFINITE:
            raise SoundBroken(name=self.name, problem=NOT_FINITE)
        peaks = bits.view(np.float32)
        self._peak = max(self._peak, float(peaks.max()))
        self._quiet.append(peaks < QUIET)
        self._clipped += _clipped(samples.reshape(-1), bounds, peaks, self._lasts, self._runs)
        self._true_peak.feed(samples, bounds, peaks)


def measure_sound(sound: Readable, name: str = "") -> Measures:
    """Measure a whole recording."""
    meter = RecordingMeter(sound.shape, name=name)
    for samples in sound.blocks():
        meter.feed(samples)
    return meter.measures()


def warm_up() -> None:
    """Compile, or load from disk, every kernel for the kinds of samples that occur."""
    samples = np.ones((4000, 2), np.float32)
    meter = RecordingMeter(Shape("wav", 8000, 2, len(samples), 16))
    meter.feed(samples)
    meter.measures()


# --- Segments, in the sandbox -----------------------------------------------------------------------------------------


SEGMENT_SAMPLES = 2**25


def segments(shape: Shape, size: int) -> Iterator[tuple[int, int]]:
    """Cut a recording into pieces that join each other."""
    for start in range(0, shape.length_samples, size):
        yield start, min(start + size, shape.length_samples)


def measure_segment(file: BinaryIO, index: bytes = b"", *, start: int, stop: int, name: str = "") -> Outcome:
    """Measure [start, stop) of a file; see RecordingMeter for what belongs to it."""
    sound = open_file(file, name=name, index=index)
    meter = RecordingMeter(sound.shape, start, stop, name=name)
    for samples in sound.blocks(meter.reads_from, meter.reads_to):
        meter.feed(samples)
    facts, blobs = meter.partial_result().to_parts()
    return Outcome(facts, blobs)


# --- Files of any length ----------------------------------------------------------------------------------------------


ANY_LENGTH_H = 1e6


@dataclass(frozen=True)
class FileMeasures:
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
    segment_samples: int = SEGMENT_SAMPLES,
) -> FileMeasures:
    """Measure a file; `progress` hears which share of it is done."""
    probed = run_sandboxed("audio.validate:probe_file", file, name=name, longest_h=ANY_LENGTH_H, short_s=0)
    shape = Shape.from_json(probed.facts["shape"])
    index = {"index": probed.blobs["index"]}

    def result(part: tuple[int, int]) -> PartialResult:
        work = "audio.measure:measure_segment"
        outcome = run_sandboxed(work, file, name=name, blobs=index, start=part[0], stop=part[1])
        return PartialResult.from_parts(outcome.facts, outcome.blobs)

    results = []
    with ThreadPoolExecutor(os.cpu_count()) as children:
        for found in children.map(result, segments(shape, segment_samples)):
            results.append(found)
            progress(sum(part.length_samples for part in results) / shape.length_samples)
    return _merge(shape, results)


def _merge(shape: Shape, results: list[PartialResult]) -> FileMeasures:
    momentary = lufs(np.array([part.loudest_momentary for part in results]))
    short_term = short_term_lufs(np.concatenate([part.blocks for part in results]))
    return FileMeasures(shape, merge_results(results, shape.sample_rate_hz), loudest(momentary), loudest(short_term))
