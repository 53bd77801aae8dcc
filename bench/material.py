"""Recordings that benchmarks are run on: an hour of soundscape as MP3, and the same hour again and again for a day."""

from pathlib import Path

import av
import numpy as np
import soundfile

from bench.soundscape import RATE_HZ, soundscape

KBITS = 128


def hour_of_mp3(path: Path) -> None:
    """Frames without a tag in front, so that files of them can be put together to longer ones."""
    bare = {"write_xing": "0", "id3v2_version": "0"}
    with av.open(str(path), "w", format="mp3", options=bare) as container:
        stream = container.add_stream("libmp3lame", rate=RATE_HZ, layout="mono")
        stream.bit_rate = KBITS * 1000
        for block in soundscape(hours=1):
            frame = av.AudioFrame.from_ndarray(block[np.newaxis], format="fltp", layout="mono")
            frame.sample_rate = RATE_HZ
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def repeated(hour: Path, path: Path, *, hours: int) -> None:
    with path.open("wb") as day:
        for _ in range(hours):
            day.write(hour.read_bytes())


def clips(folder: Path, *, items: int, conditions: int, rate_hz: int = 16_000) -> list[Path]:
    """Clips of four to five seconds in a folder for each condition, as of a speech enhancement challenge."""
    rng = np.random.default_rng(7)
    paths = []
    for item in range(items):
        envelope = np.repeat(rng.uniform(0.02, 1.0, 40), rate_hz // 8)[: round(rng.uniform(4, 5) * rate_hz)]
        speech = 0.1 * envelope * rng.standard_normal(len(envelope))
        for condition in range(conditions):
            path = folder / f"C{condition}" / f"S{item:03}.wav"
            path.parent.mkdir(parents=True, exist_ok=True)
            noise = 0.01 * condition * rng.standard_normal(len(speech))
            soundfile.write(path, speech + noise, rate_hz, subtype="PCM_16")
            paths.append(path)
    return paths
