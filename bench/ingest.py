"""A day of MP3 made browsable, against ffmpeg decoding it to nowhere, and against the usual tools."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.material import hour_of_mp3, repeated
from bench.processes import Cost, cost_of

HOURS = int(os.environ.get("EARMARK_BENCH_HOURS", "24"))
QUIET = ("-nostdin", "-v", "error", "-threads", "1")


def run() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        hour, day = folder / "hour.mp3", folder / "day.mp3"
        hour_of_mp3(hour)
        repeated(hour, day, hours=HOURS)
        yield f"a recording of {HOURS} h, mono, 44.1 kHz, MP3 of 128 kbit/s, {day.stat().st_size / 1e6:.0f} MB"
        alone, report = _ingest(day, folder / "one", workers=1)
        both, _ = _ingest(day, folder / "two", workers=2)
        yield f"ingest with one worker: {alone.wall_s:.0f} s wall, {alone.cpu_s:.0f} s CPU"
        yield f"two workers against one, wall: {alone.wall_s / both.wall_s:.2f} times faster (aim 1.8)"
        yield f"peak memory of a worker and its children: {alone.peak_mb:.0f} MB (aim 400)"
        yield f"the first hour can be browsed after {report['first_hour']:.1%} of the ingest (aim 10 %)"
        yield f"stored derivatives: {report['derived_mb']:.1f} MB (aim 110)"
        yield from _against_ffmpeg(alone, hour, day)


def _ingest(day: Path, data: Path, *, workers: int) -> tuple[Cost, dict[str, float]]:
    """Import and ingest in processes of their own, on a database of their own."""
    data.mkdir()
    command = [sys.executable, "-m", "bench.ingest_once", str(day), str(data), str(workers)]
    cost = cost_of(command, {"EARMARK_DATA_DIR": str(data), "EARMARK_LONGEST_RECORDING_H": "26"})
    figures = dict(line.split("=") for line in (data / "report").read_text().split())
    return cost, {name: float(value) for name, value in figures.items()}


def _against_ffmpeg(alone: Cost, hour: Path, day: Path) -> Iterator[str]:
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        yield "ffmpeg is not installed: not compared"
        return
    decode = cost_of([ffmpeg, *QUIET, "-i", str(day), "-f", "null", "-"])
    ratio = alone.cpu_s / decode.cpu_s
    yield f"CPU against ffmpeg decoding to null ({decode.cpu_s:.0f} s): {ratio:.2f} times (aim 1.5)"
    loud = cost_of([ffmpeg, *QUIET, "-i", str(hour), "-af", "ebur128=framelog=verbose", "-f", "null", "-"])
    picture = hour.with_suffix(".png")
    draw = ["-lavfi", "showspectrumpic=s=4096x1024:legend=0", "-frames:v", "1", "-y", str(picture)]
    drawn = cost_of([ffmpeg, *QUIET, "-i", str(hour), *draw])
    tools_s, missing = (loud.cpu_s + drawn.cpu_s) * HOURS, ""
    audiowaveform = shutil.which("audiowaveform")
    if audiowaveform:
        peaks = cost_of(
            [audiowaveform, "-q", "-i", str(day), "-o", str(day.with_suffix(".dat")), "-z", "256", "-b", "8"]
        )
        tools_s += peaks.cpu_s
    else:
        missing = "; audiowaveform is not installed and not counted"
    yield (
        f"CPU of the usual tools, ebur128 and showspectrumpic from one hour times {HOURS}{missing} ({tools_s:.0f} s), "
        f"against ours: {tools_s / alone.cpu_s:.1f} times more (aim 4 with audiowaveform)"
    )
