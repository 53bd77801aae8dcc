"""Runs of quiet, found to the sample, in pieces, in stretches, and through a codec."""

import io
from itertools import pairwise

import numpy as np
import pytest

from audio.clock import DEPTHS, Runs, join_runs
from audio.decode.open import open_sound
from audio.formats import Format, Samples
from audio.silence import QuietRuns
from tests.audio.material import mp3, noise, written

RATE = 8_000


def with_silence(length: int, *silences: tuple[int, int], level: float = 0.1, channels: int = 1) -> Samples:
    """Noise whose every sample is louder than any depth, but for the silences."""
    samples = noise(length, level=level, channels=channels)
    samples += np.where(samples < 0, -0.01, 0.01).astype(np.float32)
    for start, stop in silences:
        samples[start:stop] = 0
    return samples


def found(samples: Samples, *, pieces: int = 1, start: int = 0) -> Runs:
    quiet = QuietRuns(sample_rate_hz=RATE, start=start)
    for piece in np.array_split(samples, pieces):
        quiet.feed(piece)
    return quiet.runs()


@pytest.mark.parametrize("pieces", [1, 7, 40])
@pytest.mark.parametrize("channels", [1, 3])
def test_a_run_begins_and_ends_at_its_samples(pieces: int, channels: int) -> None:
    samples = with_silence(100_000, (30_001, 45_678), (60_000, 60_500), channels=channels)
    runs = found(samples, pieces=pieces, start=2**33)
    assert runs[runs[:, 0] == 0].tolist() == [[0, 2**33 + 30_001, 2**33 + 45_678]]
    assert len(runs) == len(DEPTHS)


def test_one_loud_channel_breaks_the_quiet() -> None:
    samples = with_silence(40_000, (10_000, 30_000), channels=2)
    samples[20_500, 1] = 0.5
    runs = found(samples)
    assert join_runs(runs, 0, RATE) == [(10_000, 20_500), (20_501, 30_000)]


def test_depths_tell_a_quiet_night_from_nothing() -> None:
    samples = with_silence(100_000, (40_000, 60_000))
    for depth, limit in enumerate(DEPTHS):
        night = samples.copy()
        night[20_000:80_000] = 0.5 * limit
        night[40_000:60_000] = 0
        assert join_runs(found(night), depth, RATE) == [(20_000, 80_000)]
        if depth + 1 < len(DEPTHS):
            assert join_runs(found(night), depth + 1, RATE) == [(40_000, 60_000)]


@pytest.mark.parametrize(
    "edges", [[0, 100_000], [0, 40_000, 100_000], [0, 59_990, 100_000], [0, 30_000, 50_000, 50_001, 99_999, 100_000]]
)
def test_runs_of_neighbouring_stretches_join(edges: list[int]) -> None:
    samples = with_silence(100_000, (0, 9_000), (39_990, 60_000), (99_000, 100_000))
    parts = [found(samples[a:b], start=a) for a, b in pairwise(edges)]
    runs = np.concatenate(parts)
    for depth in range(len(DEPTHS)):
        assert join_runs(runs, depth, RATE) == [(0, 9_000), (39_990, 60_000)]


def test_a_sound_that_is_quiet_throughout_is_one_run() -> None:
    runs = found(np.zeros((50_000, 1), np.float32), pieces=3)
    assert join_runs(runs, 0, RATE) == [(0, 50_000)]


@pytest.mark.parametrize("kind", ["mp3", "opus"])
def test_a_silence_that_went_through_a_codec_is_found_within_frames_of_its_place(kind: str) -> None:
    rate, start, stop = 48_000, 3 * 48_000, 8 * 48_000
    samples = noise(11 * rate, level=0.05)
    samples[start:stop] = 0
    content = mp3(samples, rate) if kind == "mp3" else written(samples, rate, kind)
    quiet = QuietRuns(sample_rate_hz=rate, start=0)
    for block in open_sound(io.BytesIO(content), format=Format(kind)).blocks():
        quiet.feed(block)
    for depth in range(len(DEPTHS)):
        [(begins, ends)] = join_runs(quiet.runs(), depth, 4 * rate)
        tolerance_s = 0.03 if depth == 0 else 0.2  # what a decoder remembers fades slowly
        assert abs(begins - start) < tolerance_s * rate
        assert abs(ends - stop) < tolerance_s * rate
