"""Ingest of a long recording: chunks in any order, twice, half done or damaged give the same files."""

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from audio.merge_chunks import MergedFiles
from audio.sandbox.client import Limits, Outcome
from core.jobs import enqueue, queue
from core.jobs.worker import work
from core.models import Job
from stimuli import storage
from stimuli.models import Chunk, Recording
from stimuli.services import ingest, merge_chunks
from stimuli.services.sources import Derived, run_on_source
from stimuli.tasks import resume_ingests
from stimuli.uploads import files as upload_files
from tests.audio.long_recordings import day_wav
from tests.scale import ALL
from tests.stimuli.recordings import bring_in, fresh_storage
from tests.stimuli.stored import derived_digests

pytestmark = pytest.mark.django_db(transaction=True)

# Two chunks at 8 kHz, the second of them short. A chunk of five channels has an eighth of the columns to transform.
HOURS, CHANNELS, EVERY = (1.2, 1, 600) if ALL else (0.17, 5, 60)


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("day") / "day.wav"
    day_wav(path, hours=HOURS, rate=8000, channels=CHANNELS, every=EVERY)
    return path


@pytest.fixture(autouse=True)
def _own_storage(settings: Settings, tmp_path: Path) -> None:
    fresh_storage(settings, tmp_path)


@pytest.fixture(scope="module")
def known_chunks() -> dict[int, Outcome]:
    return {}


@pytest.fixture
def _chunks_analysed_once(known_chunks: dict[int, Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what is done with the chunks of the day: its sound need not be transformed again for each."""

    def known(*arguments: Any, number: int, **options: Any) -> Outcome:
        if number not in known_chunks:
            known_chunks[number] = run_on_source(*arguments, number=number, **options)
        return known_chunks[number]

    monkeypatch.setattr(ingest, "run_on_source", known)


def waiting() -> Iterator[Job]:
    """Claim the waiting jobs as a worker does, one after another."""
    names = [ingest.ingest_chunk.name, ingest.merge_recording.name]
    while (job := queue.claim(worker="test", names=names)) is not None:
        yield job


def work_all() -> list[Job]:
    done = []
    for job in waiting():
        work(job)
        job.refresh_from_db()
        done.append(job)
    return done


def test_chunks_come_first_to_last_and_the_merge_makes_the_recording_ready(day: Path) -> None:
    recording = bring_in(day, linked=True)
    assert ingest.ingest_progress(recording=recording) == {"done": 0, "total": 2, "time_left_s": None}
    done = work_all()
    assert [job.arguments.get("number") for job in done] == [0, 1, None]
    assert {job.state for job in done} == {"done"}
    recording.refresh_from_db()
    assert recording.state == "ready"
    assert recording.measures["sample_peak_dbfs"] < 0
    assert len(recording.outline) == 64
    assert {"tiles.pack", "tiles.idx", "loudness.f32", "peaks-512.dat", "peaks-2048.dat"} <= set(
        derived_digests(recording)
    )
    assert not [name for name in derived_digests(recording) if name.startswith("chunk")]
    assert not Chunk.objects.exists()
    assert ingest.ingest_progress(recording=recording) == {"done": 2, "total": 2, "time_left_s": 0.0}


def test_order_repetition_and_lost_commits_change_no_byte(day: Path, settings: Settings, tmp_path: Path) -> None:
    undisturbed = bring_in(day, linked=True)
    work_all()
    wanted = derived_digests(undisturbed)
    assert len(wanted) > 5
    undisturbed.delete()
    Job.objects.all().delete()

    fresh_storage(settings, tmp_path / "again")
    recording = bring_in(day, linked=True)
    claimed = list(waiting())
    for job in reversed(claimed):
        work(job)
        Job.objects.filter(pk=job.pk).update(state="running", lease_until=timezone.now())
        if job.arguments["number"] == 1:
            Chunk.objects.all().delete()  # as though the commit had never been
        work(job)
    ingest.ask_for_missing(recording=recording)
    work_all()
    recording.refresh_from_db()
    assert recording.state == "ready"
    assert derived_digests(recording) == wanted


@pytest.mark.usefixtures("_chunks_analysed_once")
def test_a_second_run_of_any_job_finds_nothing_to_do(day: Path) -> None:
    recording = bring_in(day, linked=True)
    done = work_all()
    before = derived_digests(recording)
    for job in done:
        Job.objects.filter(pk=job.pk).update(state="queued", finished_at=None)
    assert [job.state for job in work_all()] == ["done"] * 3
    assert derived_digests(recording) == before
    assert not Chunk.objects.exists()


@pytest.mark.usefixtures("_chunks_analysed_once")
def test_files_that_a_killed_merge_left_are_removed(day: Path, settings: Settings) -> None:
    recording = bring_in(day, linked=True)
    left = Path(settings.DATA_DIR) / "merging" / f"{recording.pk} dead"
    left.mkdir(parents=True)
    (left / "tiles.pack").write_bytes(b"half")
    work_all()
    assert list((Path(settings.DATA_DIR) / "merging").iterdir()) == []
    storage.keep(Derived.of(recording).chunk(1), b"left by a kill after the commit")
    enqueue(ingest.merge_recording, recording_id=str(recording.pk))
    work_all()
    assert not storage.exists(Derived.of(recording).chunk(1))


@pytest.mark.usefixtures("_chunks_analysed_once")
@pytest.mark.parametrize("is_late", [False, True], ids=["chunks are there", "chunks are gone"])
def test_a_command_and_a_worker_may_merge_the_same_recording(
    day: Path, monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    """Neither takes the other's files away, and what a person corrects after the first stays corrected."""
    recording = bring_in(day, linked=True)
    merge = merge_chunks._merge

    def merged_beside_a_worker(recording: Recording, folder: Path) -> MergedFiles:
        monkeypatch.setattr(merge_chunks, "_merge", merge)
        made = None if is_late else merge(recording, folder)
        assert [job.state for job in work_all()][-1] == "done"
        Recording.objects.update(clock=[])
        return made or merge(recording, folder)

    monkeypatch.setattr(merge_chunks, "_merge", merged_beside_a_worker)
    ingest.ingest_at_once(recording=recording)
    both = derived_digests(recording)
    recording.refresh_from_db()
    assert (recording.state, recording.clock) == ("ready", [])
    assert not Chunk.objects.exists()
    assert {"tiles.pack", "tiles.idx", "loudness.f32"} <= set(both)
    assert not [name for name in both if name.startswith("chunk")]


@pytest.mark.usefixtures("_chunks_analysed_once")
def test_missing_work_is_enqueued_once_and_not_while_a_job_has_it(day: Path) -> None:
    recording = bring_in(day, linked=True)
    assert ingest.ask_for_missing(recording=recording) == 0, "both wait already"
    next(waiting())
    assert ingest.ask_for_missing(recording=recording) == 0, "one is being made"
    Job.objects.all().delete()
    assert ingest.ask_for_missing(recording=recording) == 2
    work_all()
    recording.refresh_from_db()
    assert recording.state == "ready"


def test_a_chunk_whose_job_failed_gets_a_few_more_and_is_then_left_to_a_person(day: Path) -> None:
    recording = bring_in(day, linked=True)
    for asked in (2, 2, 0):
        Job.objects.update(state="failed")
        assert ingest.ask_for_missing(recording=recording) == asked


@pytest.mark.usefixtures("_chunks_analysed_once")
def test_the_scheduled_job_resumes_what_fell_between_two_stools(day: Path) -> None:
    recording = bring_in(day, linked=True)
    Job.objects.all().delete()
    job = enqueue(resume_ingests)
    work(queue.claim(worker="test", names=[job.name]) or job)
    work_all()
    recording.refresh_from_db()
    assert recording.state == "ready"


def test_the_scheduled_job_clears_away_what_killed_ones_left_after_a_day(settings: Settings, tmp_path: Path) -> None:
    """But not the scratch folder of a command that has been at work for longer, which holds it."""
    settings.UPLOADS_DIR = uploads = tmp_path / "uploads"
    merging = Path(settings.DATA_DIR) / "merging"
    folders = {
        "killed import": uploads / "folder-killed",
        "import killed just now": uploads / "folder-fresh",
        "merge for a recording that is gone": merging / "killed",
        "merge that has just begun": merging / "fresh",
    }
    with upload_files.scratch_folder() as held:
        for folder in (*folders.values(), held):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "half").write_bytes(b"half")
            age_h = 1 if "fresh" in folder.name else 25
            os.utime(folder, (timezone.now().timestamp() - age_h * 3600,) * 2)
        job = enqueue(resume_ingests)
        work(queue.claim(worker="test", names=[job.name]) or job)
        assert {name for name, folder in folders.items() if folder.exists()} == {
            "import killed just now",
            "merge that has just begun",
        }
        assert (held / "half").read_bytes() == b"half"
    assert not held.exists()


def test_a_recording_that_breaks_off_is_refused_with_a_sentence_and_leaves_nothing(day: Path, tmp_path: Path) -> None:
    recording = bring_in(day)
    content = Path(storage.store().local_file(str(recording.file.name)).name)
    with content.open("r+b") as file:
        file.truncate(content.stat().st_size // 2)
    work_all()
    recording.refresh_from_db()
    assert recording.state == "refused"
    assert "damaged or breaks off" in recording.error
    assert not Chunk.objects.exists()
    assert not storage.exists(Derived.of(recording).chunk(0))
    assert {job.state for job in Job.objects.all()} == {"done"}, "nothing is left to try"


def test_a_decoder_that_dies_is_asked_again_before_the_file_is_blamed(
    day: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    recording = bring_in(day, linked=True)
    monkeypatch.setattr(ingest, "LIMITS", Limits(cpu_s=300, wall_s=0.001))
    job = next(waiting())
    work(job)
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("queued", 1)
    recording.refresh_from_db()
    assert recording.state == "ingesting"
    settings.JOB_MAX_ATTEMPTS = 1
    work(next(waiting()))
    recording.refresh_from_db()
    assert recording.state == "refused"
    assert "more time to decode" in recording.error


@pytest.mark.usefixtures("_chunks_analysed_once")
def test_a_refused_recording_gets_another_chance_when_it_is_brought_in_again(day: Path) -> None:
    recording = bring_in(day, linked=True)
    Recording.objects.update(state="refused", error="The decoder broke down.")
    Job.objects.all().delete()
    recording.refresh_from_db()
    ingest.begin_ingest(recording=recording)
    work_all()
    recording.refresh_from_db()
    assert (recording.state, recording.error) == ("ready", "")


def test_ingest_is_asked_for_in_the_transaction_that_brings_the_recording_in(day: Path) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        bring_in(day, linked=True)
        raise ZeroDivisionError
    assert not Recording.objects.exists()
    assert not Job.objects.exists()


@pytest.mark.usefixtures("_chunks_analysed_once")
def test_a_command_can_wait_for_all_of_it(day: Path) -> None:
    recording = bring_in(day, linked=True)
    told: list[tuple[int, int]] = []
    ingest.ingest_at_once(recording=recording, told=lambda done, total: told.append((done, total)))
    recording.refresh_from_db()
    assert recording.state == "ready"
    assert told == [(0, 2), (1, 2), (2, 2)]
    assert {job.state for job in work_all()} == {"done"}, "jobs that were asked for find nothing left to do"


def test_time_left_is_judged_by_the_last_chunks(day: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording, now = bring_in(day, linked=True), timezone.now()
    monkeypatch.setattr(ingest, "chunk_count", lambda recording: 100)
    waited_for_a_worker_s = 3600
    for number in range(30):
        chunk = Chunk.objects.create(recording=recording, number=number)
        seconds = 10 * number + (waited_for_a_worker_s if number > 5 else 0)
        Chunk.objects.filter(pk=chunk.pk).update(created_at=now + timedelta(seconds=seconds))
    assert ingest.ingest_progress(recording=recording) == {"done": 30, "total": 100, "time_left_s": 700.0}
