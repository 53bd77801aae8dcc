"""Timers inside sealed children: a nursery that is told to load this module wraps its work before it forks.

`ask_for_timers` names it where a test run names its own work, so that no code of the platform knows of timers.
"""

import os
import sys
import time
from collections.abc import Callable
from typing import Any

from audio.sandbox.client import TEST_WORK
from bench.stages import CPU, WALL, Stopwatch

STAGES, NURSERY = "stages", "nursery_s"
BORN, DECODE, OPEN, BETWEEN = "born, question, sealed off", "decoding", "opening", "Python between the stages"


class Timers:
    """What the children of this process have measured, and what it cost to start their nursery."""

    def __init__(self) -> None:
        from audio.sandbox import client as asking
        from audio.sandbox.fork_server import PRELOADED

        self.inside, self.nursery_s = Stopwatch(), 0.0
        os.environ[TEST_WORK] = ",".join([*PRELOADED, __name__])
        self._understood = asking._outcome  # noqa: SLF001 - the one place where every answer passes
        asking._outcome = self._outcome  # noqa: SLF001

    def _outcome(self, answer: Any, *, name: str) -> Any:
        found = answer.head.get("facts", {}).pop(STAGES, None)
        if found:
            self.nursery_s = found.pop(NURSERY)
            self.inside.add(found)
        return self._understood(answer, name=name)


def warm_up() -> None:
    """Called by the nursery once, after everything else is loaded."""
    nursery, stopwatch = sys.modules["__main__"], Stopwatch()
    _wrap(stopwatch)
    nursery.__dict__["_work"] = _timed(nursery.__dict__["_work"], stopwatch, time.process_time())


def _timed(work: Callable[[Any], Any], stopwatch: Stopwatch, nursery_s: float) -> Callable[[Any], Any]:
    from audio.sandbox.client import Outcome

    def timed(question: Any) -> Outcome:
        born = {CPU: {BORN: time.thread_time()}, WALL: {}}  # when it was born by the clock, the parent alone knows
        with stopwatch.stage(BETWEEN):
            found = work(question)
        stopwatch.add(born)
        return Outcome({**found.facts, STAGES: {NURSERY: nursery_s, **stopwatch.spent()}}, found.blobs)

    return timed


def _wrap(stopwatch: Stopwatch) -> None:
    from audio import chunks, peaks, spectrogram
    from audio import chunks as storeys
    from audio import clips as levelling
    from audio import clips as plainclips
    from audio import spectrogram as rendering
    from audio import validate as files
    from audio.decode import base
    from audio.k_weighting import KWeighting
    from audio.measure import RecordingMeter
    from audio.sandbox import limits as confinement
    from audio.silence import QuietRuns
    from audio.true_peak import TruePeakMeter

    around = stopwatch.around
    stopwatch.around_each(base.Sound, "blocks", stage=DECODE)
    around(plainclips, "read_plain", stage=DECODE)
    around(levelling, "read_clip", stage=DECODE)
    for module in (chunks, rendering, peaks, files):
        around(module, "open_sound", stage=OPEN)
    around(files, "build_index", stage="frame index built")
    around(files, "confirm", stage="second opinion on the file")
    around(RecordingMeter, "__init__", "feed", stage="silence, clipping, sample peak")
    around(RecordingMeter, "measures", "tally", stage="gates, range")
    around(KWeighting, "block_energies", "pass_through", stage="K-weighting, loudest moment")
    around(TruePeakMeter, "feed", stage="true peak")
    around(QuietRuns, "feed", stage="quiet runs")
    around(peaks, "outline", "levels", stage="peaks")
    around(spectrogram, "band_powers", stage="spectrogram: transform, mel bands")
    for module in (chunks, storeys, rendering):
        around(module, "codes", "pooled", stage="spectrogram: pooling, 8 bits")
    for module in (storeys, rendering):
        around(module, "picture", stage="spectrogram: JPEG")
    around(chunks, "pack", stage="packing")
    around(levelling, "_with_gain", "wav", stage="copies scaled and packed")
    around(confinement, "limit", "forbid_calls", stage=BORN)
