"""Timers inside sandboxed children: a fork server that loads this module wraps its work before it forks.

`Timers` adds the module to the work that the sandbox loads beforehand, so that no code of the platform knows of timers.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

from bench.stages import CPU, WALL, Stopwatch

STAGES, FORK_SERVER = "stages", "fork_server_s"
STARTED, DECODE, OPEN, BETWEEN = "started, request, confined", "decoding", "opening", "Python between the stages"


class Timers:
    """What the children of this process have measured, and what it cost to start their fork server."""

    def __init__(self) -> None:
        from audio.sandbox import client

        self.inside, self.fork_server_s = Stopwatch(), 0.0
        client.allow_work(modules=[__name__], preloaded=[__name__])
        self._understood = client._outcome  # noqa: SLF001 - the one place where every response passes
        client._outcome = self._outcome  # noqa: SLF001

    def _outcome(self, response: Any, *, name: str) -> Any:
        found = response.head.get("facts", {}).pop(STAGES, None)
        if found:
            self.fork_server_s = found.pop(FORK_SERVER)
            self.inside.add(found)
        return self._understood(response, name=name)


def warm_up() -> None:
    """Called by the fork server once, after everything else is loaded."""
    server, stopwatch = sys.modules["__main__"], Stopwatch()
    _wrap(stopwatch)
    server.__dict__["_work"] = _timed(server.__dict__["_work"], stopwatch, time.process_time())


def _timed(work: Callable[..., Any], stopwatch: Stopwatch, fork_server_s: float) -> Callable[..., Any]:
    from audio.sandbox.client import Outcome

    def timed(*request: Any) -> Outcome:
        started = {CPU: {STARTED: time.thread_time()}, WALL: {}}  # the parent alone knows when, by the clock
        with stopwatch.stage(BETWEEN):
            found = work(*request)
        stopwatch.add(started)
        return Outcome({**found.facts, STAGES: {FORK_SERVER: fork_server_s, **stopwatch.spent()}}, found.blobs)

    return timed


def _wrap(stopwatch: Stopwatch) -> None:
    from audio import chunks, clips, peaks, spectrogram, validate
    from audio.decode import base
    from audio.k_weighting import KWeighting
    from audio.measure import RecordingMeter
    from audio.sandbox import limits
    from audio.silence import QuietRuns
    from audio.true_peak import TruePeakMeter

    around = stopwatch.around
    stopwatch.around_each(base.Sound, "blocks", stage=DECODE)
    around(clips, "read_clip", "read_plain", stage=DECODE)
    for module in (chunks, spectrogram, peaks, validate):
        around(module, "open_sound", stage=OPEN)
    around(validate, "build_index", stage="frame index built")
    around(validate, "check_container", stage="container checked")
    around(RecordingMeter, "__init__", "feed", stage="silence, clipping, sample peak")
    around(RecordingMeter, "measures", "partial_result", stage="gates, range")
    around(KWeighting, "block_energies", "pass_through", stage="K-weighting, loudest moment")
    around(TruePeakMeter, "feed", stage="true peak")
    around(QuietRuns, "feed", stage="quiet runs")
    around(peaks, "compute_peaks", "compute_levels", stage="peaks")
    around(spectrogram, "band_powers", stage="spectrogram: transform, mel bands")
    for module in (chunks, spectrogram):
        around(module, "encode_decibels", "pool_columns", stage="spectrogram: pooling, 8 bits")
        around(module, "encode_tile", stage="spectrogram: JPEG")
    around(chunks, "write_archive", stage="packing")
    around(clips, "_with_gain", "encode_wav", stage="copies scaled and packed")
    around(limits, "set_limits", "install_filter", stage=STARTED)
