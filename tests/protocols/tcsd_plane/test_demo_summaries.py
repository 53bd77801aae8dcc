"""Summaries of the demo: a minute each, of the recording's own sound, as consistent and as diverse as they claim."""

from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile

from audio.decode.open import open_sound
from audio.formats import Format
from listening.demos.soundscape.palette import KINDS, make_palette
from listening.demos.soundscape.sources import RATE_HZ, SCENE_S
from protocols.tcsd_plane.soundscape.example import CROSSES, EXAMPLE, seven_summaries
from protocols.tcsd_plane.soundscape.joining import write_recording
from protocols.tcsd_plane.soundscape.programmes import DAY, MORNING, Presence, Programme, Scene, shares
from protocols.tcsd_plane.soundscape.summaries import (
    SLOTS,
    SUMMARY_S,
    Passage,
    Summary,
    cue_sheet,
    eight_summaries,
    evenly,
    write_summaries,
)
from stimuli.imports.text_cells import parse_text_cell

NAMES = (
    *("random", "downsampling"),
    *(f"{way} z={z}" for way in ("greedy", "reference") for z in ("0", "0.5", "1")),
    *(cross.condition for cross in CROSSES),
)


@cache
def every_summary() -> dict[str, tuple[Programme, Summary]]:
    return {
        **{name: (DAY, summary) for name, summary in eight_summaries(DAY).items()},
        **{name: (MORNING, summary) for name, summary in seven_summaries().items()},
    }


def diversity(summary: Summary) -> int:
    return len({passage.scene.kind for passage in summary})


def consistency(programme: Programme, summary: Summary) -> float:
    """How present what is heard is in its part of the recording, on average over the summary."""
    width_h = programme.hours / SLOTS
    present = []
    for number, passage in enumerate(summary):
        slot = number * SLOTS // len(summary)
        start_h = programme.first_hour + slot * width_h
        present.append(shares(programme.between(start_h, start_h + width_h)).get(passage.scene.kind, 0))
    return float(np.mean(present))


@pytest.mark.parametrize("name", NAMES)
def test_a_summary_is_a_minute_of_passages_each_inside_one_scene(name: str) -> None:
    programme, summary = every_summary()[name]
    assert sum(passage.duration_s for passage in summary) == pytest.approx(SUMMARY_S)
    assert len({passage.start_s for passage in summary}) == len(summary)
    for passage in summary:
        assert passage.scene in programme.scenes
        assert passage.scene.start_s < passage.start_s < passage.stop_s < passage.scene.start_s + SCENE_S


@pytest.mark.parametrize("name", NAMES)
def test_the_cue_sheet_of_a_summary_tells_its_passages(name: str) -> None:
    _, summary = every_summary()[name]
    cues = parse_text_cell(cue_sheet(summary), "cues", ())["cues"]
    assert [from_s for _, from_s in cues] == pytest.approx([passage.start_s for passage in summary], abs=0.001)
    lengths = [right - left for left, right in pairwise([*(at_s for at_s, _ in cues), SUMMARY_S])]
    assert lengths == pytest.approx([passage.duration_s for passage in summary])


def test_no_two_summaries_are_the_same() -> None:
    assert set(every_summary()) == set(NAMES)
    assert len({tuple(passage.start_s for passage in summary) for _, summary in every_summary().values()}) == 15


@pytest.mark.parametrize("way", ["greedy", "reference"])
def test_more_weight_on_diversity_gives_more_of_it_and_less_consistency(way: str) -> None:
    three = [every_summary()[f"{way} z={z}"][1] for z in ("0", "0.5", "1")]
    kinds, present = [diversity(one) for one in three], [consistency(DAY, one) for one in three]
    assert kinds[0] < kinds[1] <= kinds[2]
    assert present[0] > present[1] > present[2]


def test_who_hears_everything_chooses_better_than_who_hears_samples() -> None:
    ways = eight_summaries(DAY)
    assert consistency(DAY, ways["reference z=0"]) > consistency(DAY, ways["greedy z=0"])
    assert consistency(DAY, ways["random"]) < consistency(DAY, ways["downsampling"])


def test_downsampling_takes_every_hour_in_its_order() -> None:
    assert [int(passage.scene.clock_h) for passage in evenly(DAY)] == list(range(24))


def test_what_is_written_is_the_sound_of_the_recording(tmp_path: Path) -> None:
    kinds = {"hush": KINDS["hush"], "dog": KINDS["dog"]}
    programme = Programme("one hour", 9, 1, {name: (Presence(9, 3, 1),) for name in kinds})
    write_recording(programme, make_palette(kinds), tmp_path / "hour.mp3")
    passage = Passage(programme.nearest("dog", 9.5))
    write_summaries(tmp_path / "hour.mp3", {tmp_path / "summary.mp3": [passage, passage]})
    heard, rate = soundfile.read(tmp_path / "summary.mp3", dtype="float32")
    sound = open_sound((tmp_path / "hour.mp3").open("rb"), format=Format.MP3)
    whole = sound.read(round(passage.start_s * rate), len(heard) // 2)[:, 0]
    middle = slice(rate // 10, len(whole) - rate // 10)
    assert rate == RATE_HZ
    # Coded once more, so not the same samples; but the same sound, and not a sample later.
    for half in (heard[: len(whole)], heard[len(whole) :]):
        assert np.corrcoef(half[middle], whole[middle])[0, 1] > 0.95


# --- The example ------------------------------------------------------------------------------------------------------


def test_the_crosses_stand_as_the_study_describes_them() -> None:
    assert [cross.condition for cross in CROSSES] == [f"example {number}" for number in range(1, 8)]
    tc = {number: cross.tc for number, cross in enumerate(CROSSES, start=1)}
    sd = {number: cross.sd for number, cross in enumerate(CROSSES, start=1)}
    assert sd[2] > sd[1]
    assert 0 < tc[1] - tc[2] < 0.15
    assert max(tc[3], sd[3]) < 0.2
    assert sd[3] < sd[4] < sd[3] + 0.15
    assert tc[4] > tc[3]
    assert tc[5] == max(tc.values()) > 0.8
    assert 0 < tc[6] - sd[6] < 0.15
    assert sd[7] == sd[6]
    assert tc[7] < tc[6]


def test_the_crosses_follow_what_the_summaries_hold() -> None:
    seven = seven_summaries()
    by_tc = sorted(CROSSES, key=lambda cross: cross.tc)
    measured = [consistency(MORNING, seven[cross.condition]) for cross in by_tc]
    by_sd = sorted(CROSSES, key=lambda cross: cross.sd)
    assert measured[0] == min(measured)
    assert measured[-1] == max(measured)
    assert [diversity(seven[cross.condition]) for cross in (by_sd[0], by_sd[-1])] == [1, 10]


def test_every_passage_that_a_justification_plays_holds_what_it_is_said_to_hold() -> None:
    for cross, shown in zip(CROSSES, EXAMPLE, strict=True):
        kinds = [_scene_at(start_s, stop_s).kind for start_s, stop_s in shown["hears"]]
        assert kinds == [kind for kind, _ in cross.moments]


def test_what_the_justifications_say_of_the_morning_is_so() -> None:
    hours = {MORNING.first_hour + number: shares(scenes) for number, scenes in enumerate(MORNING.hourly)}
    overall = shares(MORNING.scenes)
    assert [next(iter(hours[clock_h])) for clock_h in (3, 4, 8)] == ["hush", "hush", "car"]
    for clock_h in (5, 6, 7):
        others = [share for kind, share in hours[clock_h].items() if kind not in {"birds", "chorus"}]
        assert hours[clock_h].get("birds", 0) + hours[clock_h].get("chorus", 0) > max(others)
    assert len(overall) == 10
    assert 0.4 < overall["hush"] < 0.5
    minutes = {kind: share * MORNING.hours * 60 for kind, share in overall.items()}
    assert max(minutes[kind] for kind in ("owl", "dog", "steps", "rooster")) < 6
    assert minutes["wind"] < 30
    assert all("hush" in found and next(iter(found)) != "wind" for found in hours.values())
    assert max(scene.clock_h for scene in MORNING.scenes if scene.kind == "rooster") < 8


def test_the_last_summary_is_the_one_before_it_in_another_order() -> None:
    ordered, disordered = seven_summaries()["example 6"], seven_summaries()["example 7"]
    assert {passage.start_s for passage in ordered} == {passage.start_s for passage in disordered}
    times_h = [passage.scene.clock_h for passage in ordered]
    assert times_h == sorted(times_h)
    assert (disordered[0].scene.kind, disordered[-1].scene.kind) == ("car", "rooster")


def _scene_at(start_s: float, stop_s: float) -> Scene:
    return next(scene for scene in MORNING.scenes if scene.start_s <= start_s and stop_s <= scene.start_s + SCENE_S)
