"""Audacity projects: clips come out sample for sample, and a project that lies is rejected with a sentence."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from stimuli.imports.aup3 import Clip, Project, open_project
from stimuli.imports.aup3_document import MalformedDocument, read_document
from stimuli.imports.extraction import write_clip
from tests.errors import raises_error
from tests.stimuli.imports import audacity
from tests.stimuli.imports.projects import FLOAT, INT16, INT24, Document, MadeClip, MadeTrack, noise, write_project


def extracted(project: Project, clip: Clip, folder: Path) -> tuple[np.ndarray, str]:
    target = folder / "clip.wav"
    write_clip(project, clip, target)
    samples, _ = soundfile.read(target, dtype="float64", always_2d=True)
    return samples, soundfile.info(target).subtype


@pytest.mark.parametrize(
    ("form", "scale", "subtype"), [(INT16, 2**15, "PCM_16"), (INT24, 2**23, "PCM_24"), (FLOAT, 1, "FLOAT")]
)
@pytest.mark.parametrize("character_bytes", [1, 2, 4])
def test_samples_come_out_as_they_went_in(
    tmp_path: Path, form: int, scale: int, subtype: str, character_bytes: int
) -> None:
    sound = noise(2500, form=form)
    track = MadeTrack([MadeClip(sound, name="Übung 1")], form=form)
    place = write_project(tmp_path / "p.aup3", track, character_bytes=character_bytes)
    with open_project(place, name="p.aup3") as project:
        (clip,) = project.clips
        assert (clip.name, clip.sample_rate_hz, clip.length_samples) == ("Übung 1", 8000, 2500)
        samples, found = extracted(project, clip, tmp_path)
    assert found == subtype
    np.testing.assert_array_equal(samples[:, 0] * scale, sound)


def test_clips_are_numbered_by_time_then_from_the_top_down(tmp_path: Path) -> None:
    late, early = MadeClip(noise(10), offset_s=123.0, name="late"), MadeClip(noise(10), offset_s=0.0, name="early")
    below = MadeClip(noise(10), offset_s=0.0, name="below")
    place = write_project(tmp_path / "p.aup3", MadeTrack([late, early]), MadeTrack([below]))
    with open_project(place, name="p") as project:
        assert [clip.name for clip in project.clips] == ["early", "below", "late"]


def test_trimmed_ends_are_not_heard_and_silent_blocks_are(tmp_path: Path) -> None:
    sound = noise(4000)
    clip = MadeClip(sound, offset_s=10, trim_left_s=0.25, trim_right_s=0.125, silent_blocks=1)
    place = write_project(tmp_path / "p.aup3", MadeTrack([clip]))
    with open_project(place, name="p") as project:
        found = project.clips[0]
        assert found.start_s == 10.25
        samples, _ = extracted(project, found, tmp_path)
    whole = np.concatenate([np.zeros(1000, np.float32), sound])
    np.testing.assert_array_equal(samples[:, 0], whole[2000:-1000])


def test_linked_tracks_are_the_channels_of_stereo_clips(tmp_path: Path) -> None:
    left, right = noise(1500, 1), noise(1500, 2)
    tracks = MadeTrack([MadeClip(left)], linked=1), MadeTrack([MadeClip(right)])
    with open_project(write_project(tmp_path / "p.aup3", *tracks), name="p") as project:
        samples, _ = extracted(project, project.clips[0], tmp_path)
        assert len(project.clips) == 1
    np.testing.assert_array_equal(samples, np.stack([left, right], axis=1))


def test_what_audacity_adds_while_playing_is_noticed(tmp_path: Path) -> None:
    tracks = [
        MadeTrack([MadeClip(noise(10))]),
        MadeTrack([MadeClip(noise(10), offset_s=1)], gain=0.5),
        MadeTrack([MadeClip(noise(10), offset_s=2, envelope=((0.0, 1.0), (1.0, 0.2)))]),
    ]
    with open_project(write_project(tmp_path / "p.aup3", *tracks, unsaved=True), name="p") as project:
        assert [clip.is_altered for clip in project.clips] == [False, True, True]
        assert project.unsaved


def altered(statement: str) -> Callable[[Path], None]:
    def alter(place: Path) -> None:
        with closing(sqlite3.connect(place)) as database:
            database.executescript(statement)

    return alter


def overwritten(offset: int, content: bytes) -> Callable[[Path], None]:
    def alter(place: Path) -> None:
        with place.open("r+b") as file:
            file.seek(offset)
            file.write(content)

    return alter


ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT count(*) AS id, '' AS dict, '' AS doc FROM n"
)
HOSTILE: dict[str, Callable[[Path], None]] = {
    "another program's": altered("PRAGMA application_id = 7"),
    "no document": altered("DELETE FROM project"),
    "a number for a document": altered("UPDATE project SET doc = 5"),
    "half a document": altered("UPDATE project SET doc = substr(doc, 1, 200)"),
    "noise for a document": altered("UPDATE project SET doc = randomblob(500)"),
    "no dictionary": altered("UPDATE project SET dict = x''"),
    "a block gone": altered("DELETE FROM sampleblocks WHERE blockid = 2"),
    "a block too short": altered("UPDATE sampleblocks SET samples = x'00' WHERE blockid = 1"),
    "a block of text": altered("UPDATE sampleblocks SET samples = 'text' WHERE blockid = 1"),
    "an endless view": altered(f"DROP TABLE project; CREATE VIEW project AS {ENDLESS}"),
    "a computed column": altered(
        "DROP TABLE project; CREATE TABLE project(id, dict GENERATED ALWAYS AS (zeroblob(1000000000)), doc);"
        "INSERT INTO project(id) VALUES (1)"
    ),
    "no tables": altered("DROP TABLE sampleblocks"),
    "a broken page": overwritten(4096, b"\xff" * 4096),
    "not SQLite": overwritten(0, b"RIFF" * 100),
    "an empty file": lambda place: os.truncate(place, 0),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_or_broken_project_is_rejected_by_name(tmp_path: Path, kind: str) -> None:
    place = write_project(tmp_path / "p.aup3", MadeTrack([MadeClip(noise(2500))]))
    HOSTILE[kind](place)
    with raises_error("project.unreadable", match=r"'set/p\.aup3'"), open_project(place, name="set/p.aup3") as project:
        extracted(project, project.clips[0], tmp_path)


@pytest.mark.parametrize(
    ("tracks", "problem"),
    [
        ([], "no clips"),
        ([MadeTrack([MadeClip(noise(10), stretch=1.5)])], "stretched"),
        ([MadeTrack([MadeClip(noise(10), trim_left_s=9)])], "trimmed by more"),
        ([MadeTrack([MadeClip(noise(10), trim_left_s=-1)])], "trimmed by more"),
        ([MadeTrack([MadeClip(noise(10), trim_left_s=float("inf"))])], "trimmed by no number"),
        ([MadeTrack([MadeClip(noise(10))], rate=7)], "7 samples a second"),
        ([MadeTrack([MadeClip(noise(10))], linked=1), MadeTrack([])], "different clips"),
        ([MadeTrack([MadeClip(noise(10))], linked=1), MadeTrack([MadeClip(noise(9))])], "differ in length"),
    ],
)
def test_clips_that_cannot_be_are_rejected_with_the_reason(
    tmp_path: Path, tracks: list[MadeTrack], problem: str
) -> None:
    place = write_project(tmp_path / "p.aup3", *tracks)
    with raises_error("project.unreadable", match=problem), open_project(place, name="p"):
        pass


@given(st.data())
def test_a_document_with_any_byte_changed_is_a_tree_or_garbled(data: st.DataObject) -> None:
    document = Document()
    document.start("project")
    document.put("rate", 44100.0)
    document.start("wavetrack")
    document.put("name", "a track")
    document.end("wavetrack")
    document.end("project")
    content = bytearray(document.dictionary + document.body)
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        root = read_document(bytes(content))
    except MalformedDocument:
        return
    assert isinstance(root.name, str)


@pytest.mark.faults
@pytest.mark.long
@pytest.mark.skipif(bool(audacity.reason_to_skip()), reason=audacity.reason_to_skip() or "Audacity is here")
@pytest.mark.parametrize(("form", "bits"), [("Format16Bit", 16), ("Format32BitFloat", 32)])
def test_a_genuine_project_gives_back_the_files_that_were_put_into_it(tmp_path: Path, form: str, bits: int) -> None:
    """Three summaries on one track with a minute between them, the second trimmed, and a stereo track below."""
    rng = np.random.default_rng(5)
    sounds = [rng.integers(-(2**15), 2**15, (4410 * (n + 1), 1)).astype(np.int16) for n in range(3)]
    sounds.append(rng.integers(-(2**15), 2**15, (4410, 2)).astype(np.int16))
    for number, sound in enumerate(sounds, 1):
        soundfile.write(tmp_path / f"X-{number}.wav", sound, 44100, subtype="PCM_16")
    place = tmp_path / "X_summaries.aup3"
    with audacity.audacity(tmp_path / "home", form=form) as program:
        _lay_out(program, tmp_path)
        program.do(f'SaveProject2: Filename="{place}"')
    with open_project(place, name="X_summaries.aup3") as project:
        starts = [(round(clip.start_s, 3), clip.bits) for clip in project.clips]
        found = [extracted(project, clip, tmp_path)[0] for clip in project.clips]
    assert starts == [(0.0, bits), (0.0, bits), (60.05, bits), (120.0, bits)]
    expected = [sounds[0], sounds[3], sounds[1][2205:-2205], sounds[2]]
    for heard, sound in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.round(heard * 2**15), sound)


def _lay_out(program: audacity.Audacity, folder: Path) -> None:
    def choose(track: int, start_s: float, end_s: float) -> None:
        program.do(f"SelectTracks: Track={track} TrackCount=1 Mode=Set")
        program.do(f"SelectTime: Start={start_s} End={end_s} RelativeTo=ProjectStart")

    program.do(f'Import2: Filename="{folder}/X-1.wav"')
    for number in (2, 3):
        program.do(f'Import2: Filename="{folder}/X-{number}.wav"')
        choose(1, 0, 0.1 * number)
        program.do("Cut:")
        choose(0, 60 * (number - 1), 60 * (number - 1))
        program.do("Paste:")
        choose(1, 0, 0)
        program.do("RemoveTracks:")
    # To make a clip shorter at both ends is to trim it: the samples stay in the project.
    choose(0, 60, 60.05)
    program.do("SplitDelete:")
    choose(0, 60.15, 60.2)
    program.do("SplitDelete:")
    program.do(f'Import2: Filename="{folder}/X-4.wav"')
