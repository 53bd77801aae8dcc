"""A day of MP3 made browsable, against ffmpeg decoding it to nowhere, and against the usual tools."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from bench.material import hour_of_mp3, repeated
from bench.processes import Cost, cost_of

HOURS = int(os.environ.get("EARMARK_BENCH_HOURS", "24"))
# The machine may be faster at one time than at another, so ffmpeg decodes before and after our ingest.
NOWHERE = ("-f", "null", "-")
QUIETLY, WITH_TRUE_PEAK = "framelog=verbose", "framelog=verbose:peak=true"
QUIET = ("-nostdin", "-v", "error", "-threads", "1")


def run() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        hour, day = folder / "hour.mp3", folder / "day.mp3"
        hour_of_mp3(hour)
        repeated(hour, day, hours=HOURS)
        yield f"a recording of {HOURS} h, mono, 44.1 kHz, MP3 of 128 kbit/s, {day.stat().st_size / 1e6:.0f} MB"
        can_compare = shutil.which("ffmpeg") is not None
        decodes_s = [ffmpeg_s(day, *NOWHERE)] if can_compare else []
        alone, report = ingest(day, folder / "one", workers=1)
        decodes_s += [ffmpeg_s(day, *NOWHERE)] if can_compare else []
        both, together = ingest(day, folder / "two", workers=2)
        cpu_s = alone.cpu_s - report["start_up_s"]
        yield f"ingest with one worker: {report['whole_s']:.0f} s wall, {cpu_s:.0f} s CPU"
        yield f"two workers against one, wall: {report['whole_s'] / together['whole_s']:.2f} times faster (aim 1.8)"
        yield (
            f"peak memory of a worker and its children: {alone.peak_mb:.0f} MB (aim 400); "
            f"of one that makes two chunks at once: {both.peak_mb:.0f} MB"
        )
        yield f"the first hour can be browsed after {report['first_hour']:.1%} of the ingest (aim 10 %)"
        yield f"stored derivatives: {report['derived_mb']:.1f} MB (aim 110)"
        if can_compare:
            yield from _against_ffmpeg(cpu_s, mean(decodes_s), hour, day)
        else:
            yield "ffmpeg is not installed: not compared"


def ingest(day: Path, data: Path, *, workers: int, by_stage: bool = False) -> tuple[Cost, dict[str, float]]:
    """Import and ingest in processes of their own, on a database of their own.

    That Django starts and makes the tables is not counted: it is done once for all recordings.
    """
    data.mkdir()
    command = [sys.executable, "-m", "bench.ingest_once", str(day), str(data), str(workers)]
    command += ["stages"] if by_stage else []
    cost = cost_of(command, {"EARMARK_DATA_DIR": str(data), "EARMARK_LONGEST_RECORDING_H": "26"})
    figures = dict(line.split("=") for line in (data / "report").read_text().split())
    return cost, {name: float(value) for name, value in figures.items()}


def _against_ffmpeg(ours_s: float, decode_s: float, hour: Path, day: Path) -> Iterator[str]:
    yield f"CPU against ffmpeg decoding to null ({decode_s:.0f} s): {ours_s / decode_s:.2f} times (aim 1.5)"
    picture = hour.with_suffix(".png")
    drawn_s = HOURS * ffmpeg_s(
        hour, "-lavfi", "showspectrumpic=s=4096x1024:legend=0", "-frames:v", "1", "-y", str(picture)
    )
    loud_s, peak_s = (HOURS * ffmpeg_s(hour, "-af", f"ebur128={how}", *NOWHERE) for how in (QUIETLY, WITH_TRUE_PEAK))
    peaks_s, missing = _audiowaveform_s(day)
    for measured, tools_s in (("", loud_s + drawn_s + peaks_s), (" with true peak", peak_s + drawn_s + peaks_s)):
        yield (
            f"CPU of ebur128{measured} and showspectrumpic, one hour times {HOURS},{missing} {tools_s:.0f} s: "
            f"{tools_s / ours_s:.1f} times ours (aim 4)"
        )


def ffmpeg_s(path: Path, *work: str) -> float:
    return cost_of([str(shutil.which("ffmpeg")), *QUIET, "-i", str(path), *work]).cpu_s


def _audiowaveform_s(day: Path) -> tuple[float, str]:
    program = shutil.which("audiowaveform")
    if program is None:
        return 0.0, " without audiowaveform, which is not installed,"
    target = str(day.with_suffix(".dat"))
    return cost_of([program, "-q", "-i", str(day), "-o", target, "-z", "256", "-b", "8"]).cpu_s, " and audiowaveform,"
