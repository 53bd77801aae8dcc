"""Import drafts: plan and report in full, stored and loaded again."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stimuli.imports.aup3 import Block, Channel, Clip
from stimuli.imports.extraction import _head
from stimuli.imports.pipeline import ImportDraft, draft_import
from stimuli.imports.probe import Rules
from stimuli.imports.sources import files_in
from tests.audio.material import mp3
from tests.stimuli.folders import conditions_folder, noise, wav, write
from tests.stimuli.imports.projects import MadeClip, MadeTrack, write_project
from tests.stimuli.imports.projects import noise as float_noise

RULES = Rules(longest_h=1.0, short_s=600.0, unpacked_bytes=10**9)


def drafted(folder: Path, **options: Rules) -> ImportDraft:
    work = folder.parent / "work"
    work.mkdir(exist_ok=True)
    return draft_import(files_in(folder), work=work, rules=options.get("rules", RULES))


def test_a_draft_survives_being_written_down(tmp_path: Path) -> None:
    made = drafted(conditions_folder(tmp_path / "sounds"))
    again = ImportDraft.from_json(json.loads(json.dumps(made.to_json())))
    assert again.to_json() == made.to_json()
    assert (again.plan.cells, again.originals) == (made.plan.cells, made.originals)
    assert made.report.counts["stimuli"] == 7


def test_what_was_said_survives_being_written_down_with_what_it_was_made_of(tmp_path: Path) -> None:
    folder = tmp_path / "sounds"
    write(folder / "a.wav", noise(0.3))
    write(folder / "b.wav", noise(0.3))
    (folder / "manifest.csv").write_text("path,item,condition\na.wav,a,C0\n")
    (folder / "rows.csv").write_text("item,sex\na,F,M\n")
    made = drafted(folder)
    again = ImportDraft.from_json(json.loads(json.dumps(made.to_json())))
    (ignored,) = again.plan.to_json()["ignored"]
    assert ignored == {
        "path": "b.wav",
        "reason": "it is not in manifest.csv",
        "msgid": "it is not in {table}",
        "data": {"table": "manifest.csv"},
    }
    (finding,) = again.report.to_json()["findings"]
    assert finding["data"]["problem"] == "line 2 has 3 cells, and there are 2 columns"
    assert finding["data"]["parts"]["problem"]["data"] == {"line": "2", "count": 3, "columns": 2}


def test_equal_files_are_heard_once_and_broken_ones_are_told_by_their_own_names(tmp_path: Path) -> None:
    folder = tmp_path / "sounds"
    for condition in ("C0", "C1"):
        write(folder / condition / "a.wav", noise(0.3))
        (folder / condition / "b.wav").write_bytes(b"RIFF....WAVE")
    made = drafted(folder)
    assert [finding.path for finding in made.report.errors] == ["C0/b.wav", "C1/b.wav"]
    assert ["'C0/b.wav'" in str(made.report.errors[0]), "'C1/b.wav'" in str(made.report.errors[1])] == [True, True]


def test_broken_files_are_told_even_where_no_layout_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "sounds"
    write(folder / "monday/a.wav", noise(0.3))
    write(folder / "tuesday/b.wav", noise(0.3))
    (folder / "wednesday").mkdir()
    (folder / "wednesday/c.wav").write_bytes(b"nothing")
    told = [str(error) for error in drafted(folder).report.errors]
    assert "share no file names" in told[0]
    assert "wednesday/c.wav" in told[1]


def test_an_mp3_with_gaps_is_cut_close_to_where_its_sounds_are(tmp_path: Path) -> None:
    rate = 16000
    parts = [noise(2.0, seed=seed, level=0.3).astype(np.float32) for seed in range(3)]
    gap = np.zeros(60 * rate, np.float32)
    sound = np.concatenate([parts[0], gap, parts[1], gap, parts[2]]).reshape(-1, 1)
    folder = tmp_path / "A"
    write(folder / "A_full-length.wav", noise(2.0))
    (folder / "A_summaries.mp3").write_bytes(mp3(sound, rate))
    made = drafted(tmp_path / "A")
    assert [cell.sample_rate_hz for cell in made.plan.cells] == [None, rate, rate, rate], "cuts are shown in times"
    bounds = [(cell.start, cell.stop) for cell in made.plan.cells if cell.start is not None]
    assert len(bounds) == 3
    for number, (start, stop) in enumerate(bounds):
        expected = number * 62 * rate
        assert start == pytest.approx(expected, abs=0.05 * rate)
        assert stop == pytest.approx(expected + 2 * rate, abs=0.05 * rate)


def test_a_project_of_endless_silence_is_refused_before_it_is_written_out(tmp_path: Path) -> None:
    folder = tmp_path / "sounds"
    folder.mkdir()
    clips = [MadeClip(float_noise(10), offset_s=float(n), silent_blocks=300) for n in range(20)]
    write_project(folder / "quiet.aup3", MadeTrack(clips))
    made = drafted(folder, rules=replace(RULES, longest_h=0.1))
    assert "longer than the 0.1 hours" in str(made.report.errors[0])
    assert not list((tmp_path / "work").glob("part-*"))


@pytest.mark.parametrize(
    ("name", "content", "severity", "says"),
    [
        ("p.aup3", b"SQLite format 3\x00", "error", "cannot be read"),
        ("p.aup3-wal", b"journal", "error", "its project was open"),
        ("p.aup", b"<xml/>", "warning", "Audacity 2"),
        ("picture.raw", b"\x00" * 20, "note", "left out"),
        ("notes.csv", b"colour,size\nred,1\n", "warning", "no column item"),
    ],
)
def test_files_that_cannot_be_used_are_told(
    tmp_path: Path, name: str, content: bytes, severity: str, says: str
) -> None:
    folder = tmp_path / "sounds"
    write(folder / "a.wav", noise(0.3))
    (folder / name).write_bytes(content)
    found = [finding for finding in drafted(folder).report.findings if finding.path == name]
    assert [finding.severity for finding in found] == [severity]
    assert says in str(found[0])


def test_two_archives_keep_their_contents_apart(tmp_path: Path) -> None:
    folder = tmp_path / "sounds"
    for condition in ("C0", "C1"):
        sound = write(tmp_path / condition / "a.wav", noise(0.3, seed=len(condition)))
        folder.mkdir(exist_ok=True)
        with zipfile.ZipFile(folder / f"{condition}.zip", "w") as archive:
            archive.write(sound, "a.wav")
    made = drafted(folder)
    assert {(cell.item, cell.condition) for cell in made.plan.cells} == {("a", "C0"), ("a", "C1")}


def test_archives_may_not_hold_more_together_than_there_is_room_for(tmp_path: Path) -> None:
    folder, byte_count = tmp_path / "sounds", len(wav(noise(0.3)))
    folder.mkdir()
    for condition in ("C0", "C1"):
        with zipfile.ZipFile(folder / f"{condition}.zip", "w") as archive:
            archive.writestr("a.wav", wav(noise(0.3)))
            archive.writestr("Thumbs.db", bytes(10))
    enough = 2 * byte_count + 20
    assert drafted(folder, rules=replace(RULES, unpacked_bytes=enough)).report.errors == []
    (error,) = drafted(folder, rules=replace(RULES, unpacked_bytes=enough - 20)).report.errors
    assert "'C1.zip' cannot be unpacked: it unpacks to" in str(error)
    assert "and there is room for" in str(error)


def test_a_clip_of_many_hours_gets_a_head_that_can_count_it(tmp_path: Path) -> None:
    """Beyond 4 GiB a WAV is an RF64; the head is written before the data, which is not made here."""
    channel = Channel((Block(-1, 1),), 0x0004000F, 0, 2**31)
    head = _head(Clip("long", 0, 0.0, 44100, (channel,)), 2**33)
    assert (head[:4], head[8:12], head[12:16]) == (b"RF64", b"WAVE", b"ds64")
    assert int.from_bytes(head[28:36], "little") == 2**33
    assert head[-8:] == b"data\xff\xff\xff\xff"
