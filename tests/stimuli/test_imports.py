"""Imports: a folder or an upload becomes rows and files as a whole, or leaves nothing but a report."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from pytest_django.fixtures import Settings

from audio.outline import outline_of
from core.models import AuditEntry, Job
from stimuli import storage
from stimuli.models import Collection, Condition, Import, Item, Recording, Stimulus
from stimuli.services import commit_import, staged_files
from stimuli.services.commit_import import CellsTaken
from stimuli.services.imports import drafted_folder, import_draft
from tests.errors import raises_error
from tests.factories import make_user
from tests.stimuli.folders import conditions_folder, metadata, noise, write
from tests.stimuli.imports.projects import MadeClip, MadeTrack, write_project
from tests.stimuli.imports.projects import noise as float_noise
from tests.stimuli.stored import content, files_in_storage, name_of, place, recording_of, size

pytestmark = pytest.mark.django_db


def silent(done: int, total: int, note: str) -> None:
    """Nobody watches."""


def bring(folder: Path, collection: Collection, **options: Any) -> Import:
    chosen = {key: options.pop(key) for key in ("layout", "metadata") if key in options}
    with drafted_folder(folder=folder, progress=silent, **chosen) as drafted:
        return import_draft(drafted=drafted, collection=collection, actor=collection.owner, progress=silent, **options)


@pytest.fixture
def collection() -> Collection:
    return Collection.objects.create(slug="sounds", title="Sounds", owner=make_user())


def recorded(action: str) -> dict[str, Any]:
    entry = AuditEntry.objects.filter(action=action).latest("id")
    assert isinstance(entry.after, dict)
    return entry.after


def test_a_folder_of_conditions_becomes_items_conditions_and_stimuli(tmp_path: Path, collection: Collection) -> None:
    import_ = bring(conditions_folder(tmp_path), collection, metadata=metadata(tmp_path))
    assert (import_.state, import_.version, import_.layout) == ("done", 1, "conditions")
    assert {c.name: c.role for c in Condition.objects.all()} == {"C0": "test", "C1": "test", "ref": "reference"}
    assert Item.objects.get(name="S01_P01").factors == {"sex": "M", "session": "S01", "location": "kitchen"}
    assert Stimulus.objects.count() == 7
    recording = recording_of("S00_P01", "C1")
    assert recording.sha256 in name_of(recording.file)
    assert content(recording.file) == (tmp_path / "data/C1/S00_P01.wav").read_bytes()
    assert recording.measures["integrated_lufs"] == pytest.approx(-22.1, abs=0.5)
    collection.refresh_from_db()
    assert collection.version == 1
    after = recorded("collection.imported")
    assert (after["version"], after["stimuli"]) == (1, 7)


def test_clips_are_served_bare_and_equally_long_within_an_item(tmp_path: Path, collection: Collection) -> None:
    write(tmp_path / "C0/a.wav", noise(0.5))
    write(tmp_path / "C1/a.flac", noise(0.4, seed=1))
    write(tmp_path / "C2/a.wav", noise(0.5, seed=2), subtype="PCM_24")
    bring(tmp_path, collection)
    served = {row.condition.name: content(row.served) for row in Stimulus.objects.all()}
    assert len({len(clip) for clip in served.values()}) == 1
    for name in ("C0/a.wav", "C1/a.flac", "C2/a.wav"):
        heard, _ = soundfile.read(tmp_path / name, dtype="int32")
        clip = tmp_path / "clip.wav"
        clip.write_bytes(served[name[:2]])
        away = np.abs(soundfile.read(clip, dtype="int32")[0].astype(np.int64) - heard)
        samples, _ = soundfile.read(tmp_path / name, dtype="float32", always_2d=True)
        assert recording_of("a", name[:2]).outline == outline_of(samples)
        assert away.max() <= (1.5 * 2**16 if name == "C2/a.wav" else 0), "only what had more than 16 bits is dithered"
        assert soundfile.info(clip).subtype == "PCM_16"


def test_a_bit_depth_tells_no_condition_and_the_report_names_those_that_differ(
    tmp_path: Path, collection: Collection
) -> None:
    padded = np.round(noise(2.0, seed=5) * 2**15) / 2**15
    for item in ("a", "b"):
        write(tmp_path / f"ref/{item}.wav", noise(2.0, seed=1), subtype="PCM_24")
        write(tmp_path / f"float/{item}.wav", noise(2.0, seed=2), subtype="FLOAT")
        write(tmp_path / f"codecA/{item}.wav", noise(2.0, seed=3))
        write(tmp_path / f"codecB/{item}.flac", noise(2.0, seed=4), subtype="PCM_24")
        write(tmp_path / f"padded/{item}.wav", padded, subtype="PCM_24")
    import_ = bring(tmp_path, collection)
    bits = {row.condition.name: recording_of("a", row.condition.name).bits for row in Stimulus.objects.all()}
    assert bits == {"ref": 24, "float": 32, "codecA": 16, "codecB": 24, "padded": 16}
    heads = {content(row.served)[:44] for row in Stimulus.objects.all()}
    assert len(heads) == 1
    (head,) = heads
    assert int.from_bytes(head[34:36], "little") == 16
    (told,) = [one for one in import_.report["findings"] if "bit depths" in one["sentence"]]
    assert told["severity"] == "warning"
    assert "16 bits (codecA, padded), 24 bits (codecB, ref), floating point (float)" in told["sentence"]
    assert "every clip with 16 bits" in told["sentence"]


def test_clips_of_20_bits_among_24_are_served_with_20(tmp_path: Path, collection: Collection) -> None:
    write(tmp_path / "C0/a.wav", np.round(noise(2.0) * 2**19) / 2**19, subtype="PCM_24")
    write(tmp_path / "C1/a.wav", noise(2.0, seed=1), subtype="PCM_24")
    bring(tmp_path, collection)
    for row in Stimulus.objects.all():
        values, _ = soundfile.read(place(row.served), dtype="int32")
        assert np.bitwise_or.reduce(values) & 0xFFFF == 0xF000, row.condition.name


def test_the_same_depth_everywhere_is_kept_and_nothing_is_said(tmp_path: Path, collection: Collection) -> None:
    write(tmp_path / "C0/a.wav", noise(0.5), subtype="PCM_24")
    write(tmp_path / "C1/a.flac", noise(0.5, seed=1), subtype="PCM_24")
    write(tmp_path / "C2/a.wav", np.zeros(8000), subtype="PCM_24")
    import_ = bring(tmp_path, collection)
    assert not [one for one in import_.report["findings"] if "bit depths" in one["sentence"]]
    for row in Stimulus.objects.all():
        source, _ = soundfile.read(place(recording_of("a", row.condition.name).file), dtype="int32")
        np.testing.assert_array_equal(soundfile.read(place(row.served), dtype="int32")[0], source)


def test_everything_that_is_wrong_is_told_and_nothing_is_written(tmp_path: Path, collection: Collection) -> None:
    conditions_folder(tmp_path)
    (tmp_path / "data/C0/broken.wav").write_bytes((tmp_path / "data/C0/S00_P01.wav").read_bytes()[:1000])
    (tmp_path / "data/C1/list.wav").write_bytes(b"#EXTM3U\nsecret.wav\n")
    (tmp_path / "bad.csv").write_text('item,"x')
    before = files_in_storage()
    with drafted_folder(folder=tmp_path, progress=silent) as drafted:
        told = {finding.path for finding in drafted.report.errors}
        assert told == {"data/C0/broken.wav", "data/C1/list.wav", "bad.csv"}
        with raises_error("import.refused", match="3 problems"):
            import_draft(drafted=drafted, collection=collection, actor=collection.owner, progress=silent)
    assert files_in_storage() == before
    assert not Recording.objects.exists()
    assert not Item.objects.exists()
    assert not Import.objects.exists()


def test_an_import_that_fails_in_the_last_moment_leaves_nothing(
    tmp_path: Path, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files_in_storage()

    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("the database went away")

    monkeypatch.setattr(commit_import, "_stimuli", fail)
    with pytest.raises(RuntimeError):
        bring(conditions_folder(tmp_path), collection)
    assert files_in_storage() <= before
    assert not Recording.objects.exists()
    collection.refresh_from_db()
    assert collection.version == 0


def test_what_another_import_counts_on_is_not_taken_away_with_a_failed_one(
    tmp_path: Path, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one found the file in its place and commits while the first one fails."""
    folder = conditions_folder(tmp_path, items=1, conditions=1)
    genuine = commit_import._stimuli

    def rival(*args: Any, **kwargs: Any) -> None:
        monkeypatch.setattr(commit_import, "_stimuli", genuine)
        raise RuntimeError("too late")

    monkeypatch.setattr(commit_import, "_stimuli", rival)
    undo = staged_files.StagedFiles._undo

    def commit_rival_first(self: Any) -> None:
        bring(folder, Collection.objects.create(slug="rival", title="Rival", owner=collection.owner))
        undo(self)

    monkeypatch.setattr(staged_files.StagedFiles, "_undo", commit_rival_first)
    with pytest.raises(RuntimeError):
        bring(folder, collection)
    for recording in Recording.objects.all():
        assert storage.exists(name_of(recording.file))
    assert Recording.objects.count() == 2


def test_the_same_cells_again_are_rejected_by_name_unless_they_are_to_be_replaced(
    tmp_path: Path, collection: Collection
) -> None:
    before = files_in_storage()
    bring(conditions_folder(tmp_path / "one"), collection)
    write(tmp_path / "two/C0/S00_P01.wav", noise(0.9, seed=77))
    with pytest.raises(CellsTaken, match="S00_P01 x C0"):
        bring(tmp_path / "two", collection)
    assert Collection.objects.get().version == 1
    import_ = bring(tmp_path / "two", collection, replace=True)
    assert (import_.version, import_.plan["replaced"]) == (2, 1)
    assert recorded("collection.imported")["replaced"] == 1
    replaced = recording_of("S00_P01", "C0")
    assert content(replaced.file) == (tmp_path / "two/C0/S00_P01.wav").read_bytes()
    # Its item has a longer clip now, so the others are filled, and the clips that they had are gone.
    sizes = {size(row.served) for row in Stimulus.objects.filter(item__name="S00_P01")}
    assert len(sizes) == 1
    clips = {name for name in files_in_storage() - before if name.startswith("served/")}
    assert clips <= {row.served.name for row in Stimulus.objects.all()}


def test_a_collection_that_changed_in_the_meantime_is_looked_at_again(
    tmp_path: Path, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "late/C0/a.wav", noise(0.8, seed=5))
    write(tmp_path / "early/C1/a.wav", noise(0.3, seed=6))
    genuine = commit_import._stage_files
    calls: list[int] = []

    def changed_meanwhile(*args: Any, **kwargs: Any) -> None:
        genuine(*args, **kwargs)
        calls.append(1)
        if len(calls) == 1:
            bring(tmp_path / "early", Collection.objects.get(pk=collection.pk))

    monkeypatch.setattr(commit_import, "_stage_files", changed_meanwhile)
    assert bring(tmp_path / "late", collection).version == 2
    assert len({size(row.served) for row in Stimulus.objects.all()}) == 1


def test_identical_files_are_one_recording_and_the_report_says_so(tmp_path: Path, collection: Collection) -> None:
    for condition in ("C3", "C4"):
        write(tmp_path / condition / "a.wav", noise(0.5))
    import_ = bring(tmp_path, collection)
    assert Recording.objects.count() == 1
    assert any("hold the same file" in finding["sentence"] for finding in import_.report["findings"])


def test_texts_come_in_beside_sound_and_alone(tmp_path: Path, collection: Collection) -> None:
    write(tmp_path / "one/clip1.wav", noise(0.5))
    (tmp_path / "one/captions.csv").write_text("item,system,caption\nclip1,human,A dog.\nclip1,model,Dog.\n")
    bring(tmp_path / "one", collection)
    assert Stimulus.objects.get(condition__name="human").text == {
        "kind": "caption",
        "text": "A dog.",
        "tokens": None,
        "language": "",
    }
    (tmp_path / "two").mkdir()
    (tmp_path / "two/words.jsonl").write_text('{"item": "u1", "tokens": ["a", "b"]}\n')
    assert bring(tmp_path / "two", collection).report["counts"]["texts"] == 1


def test_the_plane_study_comes_in_with_its_project(tmp_path: Path, collection: Collection, settings: Settings) -> None:
    settings.SHORT_RECORDING_S = 2
    write(tmp_path / "X/X_full_length.wav", noise(3.0, rate=8000), rate=8000)
    clips = [MadeClip(float_noise(4000, seed), offset_s=60.0 * seed) for seed in range(7)]
    write_project(tmp_path / "X/X_summaries.aup3", MadeTrack(clips))
    import_ = bring(tmp_path, collection)
    assert {c.name: c.role for c in Condition.objects.all()} == {
        "full-length": "full-length",
        **{str(n): "test" for n in range(1, 8)},
    }
    summary = Stimulus.objects.get(item__name="X", condition__name="3")
    recording = recording_of("X", "3")
    heard, _ = soundfile.read(place(recording.file), dtype="float32")
    np.testing.assert_array_equal(heard, clips[2].samples)
    assert (recording.bits, soundfile.info(place(summary.served)).subtype) == (32, "PCM_24")
    day = Stimulus.objects.get(condition__name="full-length")
    assert (day.served.name, recording_of("X", "full-length").state) == ("", "ingesting")
    assert Job.objects.filter(name="stimuli.ingest_chunk").exists()
    assert [kept["path"] for kept in import_.report["kept"]] == ["X/X_summaries.aup3"]
    assert any(name.startswith("sources/") and name.endswith(".aup3") for name in files_in_storage())


def test_one_file_with_gaps_is_cut_where_the_plan_says(tmp_path: Path, collection: Collection) -> None:
    write(tmp_path / "A/A_full-length.wav", noise(2.0, rate=8000), rate=8000)
    parts = [noise(1.0 + 0.1 * n, seed=n, level=0.3, rate=8000) for n in range(3)]
    gap = np.zeros(60 * 8000)
    write(tmp_path / "A/A_summaries.wav", np.concatenate([parts[0], gap, parts[1], gap, parts[2]]), rate=8000)
    import_ = bring(tmp_path, collection)
    cut = [cell for cell in import_.plan["stimuli"] if "start" in cell]
    assert [cell["condition"] for cell in cut] == ["1", "2", "3"]
    for part, cell in zip(parts, cut, strict=True):
        assert cell["stop"] - cell["start"] == pytest.approx(len(part), abs=4)
    first = recording_of("A", "1")
    assert (first.format, first.bits) == ("wav", 16)
    assert any("is cut into 3 sounds" in finding["sentence"] for finding in import_.report["findings"])
