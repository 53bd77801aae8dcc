"""The demo's soundscape: hours that are found, joints that are not heard, sources that sound when they should."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray

from audio.clock import find_hours
from audio.decode.base import Sound
from audio.decode.open import open_sound
from audio.formats import Format
from audio.silence import QuietRuns
from listening.demos.soundscape.palette import FRAME_BYTES, FRAME_SAMPLES, KINDS, Palette, make_palette
from listening.demos.soundscape.sources import RATE_HZ, SCENE_S, SCENE_SAMPLES
from protocols.tcsd_plane.soundscape.joining import write_recording
from protocols.tcsd_plane.soundscape.programmes import (
    DAY,
    GAP_S,
    HOUR_S,
    HOUR_SCENES,
    MORNING,
    Presence,
    Programme,
    hour_frame,
    shares,
)
from protocols.tcsd_plane.soundscape.summaries import Passage
from tests.scale import ALL

FEW = {name: KINDS[name] for name in ("hush", "dog", "siren", "hammering")}
TWO_HOURS = Programme(
    name="two hours",
    first_hour=11,
    hours=2,
    has_bell=True,
    presences={name: (Presence(12, 3, 1),) for name in FEW},
)
AROUND = round(0.01 * RATE_HZ)  # of a joint: where a click would be


@pytest.fixture(scope="module")
def palette() -> Palette:
    return make_palette(FEW)


@pytest.fixture(scope="module")
def path(palette: Palette, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("soundscape") / "two hours.mp3"
    write_recording(TWO_HOURS, palette, place)
    return place


@pytest.fixture(scope="module")
def sound(path: Path) -> Sound:
    return open_sound(path.open("rb"), format=Format.MP3)


# --- The day ----------------------------------------------------------------------------------------------------------


def test_a_day_has_a_night_a_dawn_rush_hours_and_weather() -> None:
    present = {clock_h: next(iter(shares(DAY.hourly[clock_h]))) for clock_h in range(DAY.hours)}
    assert {present[clock_h] for clock_h in (0, 1, 2, 3, 23)} == {"hush"}
    assert [present[clock_h] for clock_h in (5, 8, 10, 12, 14, 17, 22)] == [
        *("chorus", "traffic", "hammering", "voices", "rain", "traffic", "crickets")
    ]
    assert {scene.kind for scene in DAY.scenes} == set(KINDS)


def test_the_scenes_of_an_hour_fill_it_and_none_follows_itself_where_there_is_another() -> None:
    for hour, scenes in enumerate(DAY.hourly):
        assert len(scenes) == HOUR_SCENES - 2
        assert scenes[0].clock_h == pytest.approx(hour + SCENE_S / HOUR_S)
        assert scenes[-1].start_s - hour * (HOUR_S + GAP_S) == pytest.approx(HOUR_S - 2 * SCENE_S, abs=0.02)
        repeated = {
            one.kind for one, other in pairwise(scenes) if (one.kind, one.variant) == (other.kind, other.variant)
        }
        assert all(KINDS[kind].variants == 1 for kind in repeated)


def test_the_bell_strikes_as_clocks_do() -> None:
    assert [DAY.strokes(hour) for hour in (0, 1, 11, 12, 13, 23)] == [12, 1, 11, 12, 1, 11]
    assert MORNING.strokes(0) == 0


# --- The sources ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in KINDS if name != "hush"])
def test_a_source_is_the_same_each_time_and_sounds_where_passages_are_taken(name: str) -> None:
    source = KINDS[name].source
    made = source(default_rng(7))
    assert made.shape == (SCENE_SAMPLES,)
    assert np.isfinite(made).all()
    if ALL or name not in FEW:  # those few are made again for the palette below
        assert np.array_equal(made, source(default_rng(7)))
    passage = Passage(DAY.scenes[0])
    start, stop = (round((at_s - passage.scene.start_s) * RATE_HZ) for at_s in (passage.start_s, passage.stop_s))
    assert np.abs(made[start:stop]).max() > 0.2 * np.abs(made).max()


# --- The file ---------------------------------------------------------------------------------------------------------


def test_the_same_palette_is_made_each_time_of_frames_of_one_size(palette: Palette) -> None:
    assert make_palette(FEW) == palette
    assert {len(piece) % FRAME_BYTES for piece in palette.values()} == {0}


def test_hours_are_found_where_they_were_put(sound: Sound) -> None:
    assert sound.shape.length_samples == TWO_HOURS.frames * FRAME_SAMPLES
    assert sound.shape.length_samples / RATE_HZ == pytest.approx(2 * HOUR_S + GAP_S, abs=0.02)
    around = round((0 if ALL else HOUR_S - 10 * SCENE_S) * RATE_HZ)  # decoded: everything, or what lies around the gap
    quiet = QuietRuns(sample_rate_hz=RATE_HZ, start=around)
    for block in sound.blocks(around, sound.shape.length_samples - around):
        quiet.feed(block)
    first, second = find_hours(quiet.runs(), shape=sound.shape)
    assert (first.clock_s, second.clock_s) == (0, HOUR_S)
    assert second.start == pytest.approx(hour_frame(1) * FRAME_SAMPLES, abs=0.002 * RATE_HZ)


def test_no_joint_is_heard(sound: Sound) -> None:
    """Around every joint of two scenes there is the same air, whatever the scenes are."""
    scenes = TWO_HOURS.hourly[0]
    pairs = {(one.kind, other.kind): other for one, other in pairwise(scenes)}
    assert len(pairs) == len(FEW) ** 2
    joints = {kinds: _around(sound, scene.start_s) for kinds, scene in pairs.items()}
    air = joints["hush", "hush"]
    for kinds, joint in joints.items():
        assert np.sqrt(np.mean((joint - air) ** 2)) < 0.25 * np.sqrt(np.mean(air**2)), kinds


def test_scenes_lie_where_the_programme_says(sound: Sound) -> None:
    """Sources are loud in the middle of their scenes, and nothing is loud in a hush."""
    levels = {kind: _level_db(sound, TWO_HOURS.nearest(kind, 12.5).start_s) for kind in FEW}
    assert levels["hush"] < -45
    assert min(level for kind, level in levels.items() if kind != "hush") > -40


def test_the_bell_strikes_at_the_beginning_of_an_hour(sound: Sound) -> None:
    start = round((HOUR_S + GAP_S) * RATE_HZ)
    loud = np.abs(sound.read(start, SCENE_SAMPLES)[:, 0]).reshape(-1, RATE_HZ // 10).max(axis=1) > 0.1
    strokes = np.count_nonzero(np.diff(loud.astype(int)) == 1)
    assert strokes == TWO_HOURS.strokes(1) == 12


def _around(sound: Sound, at_s: float) -> NDArray[np.float32]:
    return sound.read(round(at_s * RATE_HZ) - AROUND, 2 * AROUND)[:, 0]


def _level_db(sound: Sound, start_s: float) -> float:
    samples = sound.read(round((start_s + 7) * RATE_HZ), 5 * RATE_HZ)
    return float(10 * np.log10(np.mean(samples**2)))
