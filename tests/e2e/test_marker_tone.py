"""Picture and sound share one clock: a marker at 23:30:00.000 is seen there and heard there, in every format."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest_django.fixtures import Settings

from stimuli.models import Recording
from stimuli.services import ingest
from stimuli.services.sources import pyramid_of
from tests.audio.marked_days import (
    HOURS,
    MARK_CLOCK_S,
    MarkedDay,
    marked_flac,
    marked_mp3,
    marked_opus,
    marked_wav,
)
from tests.audio.material import MARKER_S, found
from tests.servers import scratch_folder
from tests.stimuli.recordings import bring_in, fresh_storage
from tests.stimuli.sound_browser import SoundBrowser

pytestmark = pytest.mark.django_db

SOURCES: dict[str, Callable[[Path], MarkedDay]] = {
    "cbr.mp3": marked_mp3,
    "vbr.mp3": partial(marked_mp3, vbr=True),
    "day.flac": marked_flac,
    "day.wav": marked_wav,
    "day.opus": marked_opus,
}
# Of these the whole day is prepared, and its clock read off the silences that are found. Of the others only the chunk
# that holds the marker is, for it costs a twentieth: the place of 23:30 follows from how the file was put together.
WHOLE = {"cbr.mp3", "day.flac"}
DEAR = {"cbr.mp3", "day.flac", "day.opus", "day.wav"}  # these wait for --all
BEFORE_S = 0.1
AROUND = 100  # columns of the spectrogram, and bins of the waveform


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if name in DEAR else []) for name in SOURCES]
)
def test_a_marker_at_half_past_eleven_is_seen_and_heard_there(name: str, settings: Settings) -> None:
    with scratch_folder("marked") as folder:
        fresh_storage(settings, folder / "data")
        day = SOURCES[name](folder / name)
        sound = SoundBrowser(bring_in(folder / name))
        assert sound.recording.length_samples == day.length_samples
        if name in WHOLE:
            ingest.ingest_at_once(recording=sound.recording)
        else:
            make_chunk_of(sound.recording, day.mark)
        told = sound.manifest()
        expected = sample_at(told["clock"], MARK_CLOCK_S, day.rate) if name in WHOLE else day.mark
        assert abs(heard_at(sound, expected, day.rate) - expected) <= day.rate / 1000
        assert abs(seen_in_waveform(sound, told, expected)) <= 1
        for level in range(told["spectrogram"]["stored_from"] + 1):
            assert abs(seen_in_spectrogram(sound, told, expected, level)) <= 1, f"level {level}"


def make_chunk_of(recording: Recording, sample: int) -> None:
    """Prepare the part of a recording that holds a sample."""
    number = sample // pyramid_of(recording).chunk_samples
    ingest.make_chunk(recording=recording, number=number)
    recording.chunks.create(number=number)


def sample_at(clock: list[dict[str, Any]], clock_s: float, rate: int) -> int:
    """Where a time of the clock lies in the file, by the stretches that were found between its silences."""
    assert len(clock) == HOURS
    start, start_clock_s = max(
        ((one["start"], one["clock_s"]) for one in clock if one["clock_s"] <= clock_s), key=lambda pair: pair[1]
    )
    return int(start + (clock_s - start_clock_s) * rate)


def heard_at(sound: SoundBrowser, expected: int, rate: int) -> int:
    """Where the marker begins in what a listener gets."""
    start = expected - round(BEFORE_S * rate)
    return start + found(sound.slice(start, rate), rate)


def seen_in_waveform(sound: SoundBrowser, told: dict[str, Any], expected: int) -> int:
    """How many bins of the finest waveform the loudest one is from the marker's middle."""
    middle = middle_of_marker(told, expected) // told["peaks"]["bin_samples"]
    bins = sound.peaks(0, middle - AROUND, 2 * AROUND).astype(int)
    return int(np.argmax(np.abs(bins).max(axis=1))) - AROUND


def seen_in_spectrogram(sound: SoundBrowser, told: dict[str, Any], expected: int, level: int) -> int:
    """How many columns the brightest one is from the marker's middle."""
    columns, step = told["spectrogram"]["columns"], told["spectrogram"]["step_samples"] << level
    tile, column = divmod(middle_of_marker(told, expected) // step, columns)
    brightness = sound.tile("max", level, tile)[1].astype(float).sum(axis=0)
    first = max(column - AROUND, 0)
    return int(first + np.argmax(brightness[first : column + AROUND]) - column)


def middle_of_marker(told: dict[str, Any], expected: int) -> int:
    return int(expected + MARKER_S / 2 * told["sample_rate_hz"])
