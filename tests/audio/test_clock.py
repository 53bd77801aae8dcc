"""Hours found by the silences between them, and nothing found where there are none."""

import io

import numpy as np
import pytest

from audio.clock import DEPTHS, Run, Runs, Stretch, find_hours, find_silences
from audio.decode.open import open_sound
from audio.formats import Format, Shape
from audio.silence import QuietRuns
from tests.audio.material import noise, written

RATE = 44_100
HOUR = 3600 * RATE
GAP = 5 * RATE


def a_day(hours: int = 24, *, first: int = HOUR, gap: int = GAP, trailing: bool = False) -> tuple[list[Run], int]:
    """The separators of a recording of so many hours, and its length."""
    runs, position = [], first
    for _ in range(hours - 1):
        runs.append((position, position + gap))
        position += gap + HOUR
    if trailing:
        runs.append((position, position + gap))
        position += gap
    return runs, position


def at_every_depth(runs: list[Run]) -> Runs:
    rows = [(depth, *run) for run in sorted(runs) for depth in range(len(DEPTHS))]
    return np.array(rows, np.int64).reshape(-1, 3)


def hours_of(runs: list[Run], length: int, clock_s: float = 0) -> list[Stretch]:
    return find_hours(at_every_depth(runs), shape=Shape("mp3", RATE, 1, length, 16), clock_s=clock_s)


@pytest.mark.parametrize("hours", [2, 3, 24, 30])
@pytest.mark.parametrize("trailing", [False, True])
def test_each_hour_begins_where_the_silence_before_it_ends(hours: int, trailing: bool) -> None:
    runs, length = a_day(hours, trailing=trailing)
    found = hours_of(runs, length)
    assert [stretch.clock_s for stretch in found] == [3600 * hour for hour in range(hours)]
    assert [stretch.start for stretch in found] == [hour * (HOUR + GAP) for hour in range(hours)]
    assert all(stretch.stop - stretch.start == HOUR for stretch in found)
    assert find_silences(found, length) == runs


def test_the_day_may_begin_at_any_time() -> None:
    runs, length = a_day(3)
    assert [stretch.clock_s for stretch in hours_of(runs, length, clock_s=18 * 3600)] == [64_800, 68_400, 72_000]
    runs, length = a_day(4, first=20 * 60 * RATE)
    found = hours_of(runs, length, clock_s=10 * 3600 + 40 * 60)
    assert [stretch.clock_s for stretch in found] == [38_400, 39_600, 43_200, 46_800]


def test_a_recorder_that_is_milliseconds_off_means_whole_hours() -> None:
    position, runs = 0, []
    for hour in range(23):
        position += HOUR + (-1) ** hour * 700
        runs.append((position, position + GAP + 40 * hour))
        position = runs[-1][1]
    found = hours_of(runs, position + HOUR - 300)
    assert [stretch.clock_s for stretch in found] == [3600 * hour for hour in range(24)]


def test_other_silences_do_not_disturb() -> None:
    runs, length = a_day(24)
    rng = np.random.default_rng(7)
    others, position = [], 0
    while position < length:
        start = position + int(rng.uniform(2, 30) * RATE)
        position = start + int(rng.uniform(1, 30) * RATE)
        if all(position < run[0] or start > run[1] for run in runs):
            others.append((start, position))
    found = hours_of(runs + others, length)
    assert len(others) > 2000
    assert find_silences(found, length) == runs


def test_of_two_sets_of_silences_the_one_at_the_exact_hours_is_taken() -> None:
    runs, length = a_day(24, first=HOUR // 3)
    length -= HOUR // 2
    early = [(start - 49 * RATE // 10, start - 9 * RATE // 10) for start, _ in runs]
    assert find_silences(hours_of(runs + early, length), length) == runs


def test_a_separator_that_cannot_be_seen_costs_no_more_than_itself() -> None:
    runs, length = a_day(24)
    del runs[10], runs[3]
    found = hours_of(runs, length)
    assert len(found) == 22
    assert found[3].stop - found[3].start == 2 * HOUR + GAP
    assert [stretch.clock_s for stretch in found[-3:]] == [21 * 3600, 22 * 3600, 23 * 3600]


def test_a_night_as_quiet_as_a_separator_is_told_from_it_at_a_greater_depth() -> None:
    runs, length = a_day(24)
    night = (2 * HOUR, 7 * HOUR)
    shallow = [run for run in runs if run[1] < night[0] or run[0] > night[1]]
    rows = [(0, *run) for run in sorted([*shallow, night])]
    rows += [(depth, *run) for run in runs for depth in range(1, len(DEPTHS))]
    found = find_hours(np.array(rows, np.int64), shape=Shape("mp3", RATE, 1, length, 16))
    assert find_silences(found, length) == runs


def test_the_loudest_depth_that_shows_them_all_says_where_they_end() -> None:
    runs, length = a_day(24)
    narrow = [(start + 500, stop - 500) for start, stop in runs]
    rows = [(depth, *run) for i in range(23) for depth, run in ((0, runs[i]), (1, narrow[i]), (2, narrow[i]))]
    found = find_hours(np.array(rows, np.int64), shape=Shape("mp3", RATE, 1, length, 16))
    assert find_silences(found, length) == runs


@pytest.mark.parametrize(
    "runs",
    [
        [],
        [(HOUR, HOUR + GAP)],
        [(HOUR // 2, HOUR // 2 + GAP), (3 * HOUR // 2, 3 * HOUR // 2 + GAP)],
        [(hour * HOUR // 2, hour * HOUR // 2 + GAP) for hour in (1, 4, 7, 10)],
        [(hour * (HOUR + GAP), hour * (HOUR + GAP) + 60 * RATE) for hour in range(1, 24)],
        [(hour * (HOUR + GAP), hour * (HOUR + GAP) + RATE) for hour in range(1, 24)],
    ],
    ids=["none", "one", "two", "every 90 minutes", "of a minute", "of a second"],
)
def test_silences_that_separate_no_hours_are_none(runs: list[Run]) -> None:
    assert hours_of(runs, 24 * HOUR) == []


def test_nothing_lies_between_stretches_that_are_not_there() -> None:
    assert find_silences([], 1000) == []


def test_hours_are_found_in_sound() -> None:
    rate = 1_000
    samples = np.resize(noise(100 * rate, level=0.02), ((2 * 3600 + 5) * rate, 1))
    samples[3600 * rate : 3605 * rate] = 0
    samples[900 * rate : 905 * rate] = 0
    sound = open_sound(io.BytesIO(written(samples, rate, "wav")), format=Format.WAV)
    quiet = QuietRuns(sample_rate_hz=rate, start=0)
    for block in sound.blocks():
        quiet.feed(block)
    first, second = find_hours(quiet.runs(), shape=sound.shape)
    # A sample of the noise beside a silence may itself be nearly silent.
    assert first.stop == pytest.approx(3600 * rate, abs=3)
    assert second.start == pytest.approx(3605 * rate, abs=3)
    assert (first.clock_s, second.clock_s) == (0, 3600)
    assert second.to_json() == {"start": second.start, "stop": len(samples), "clock_s": 3600}
