"""Workers are killed while a day is ingested, ten times, in chunks and in the merge: its files differ in no byte.

EARMARK_FAULT_SCALE multiplies the kills, and the hours with them.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings

from core.jobs import enqueue
from core.models import Job
from stimuli.models import Recording
from stimuli.services import ingest
from stimuli.tasks import resume_ingests
from tests.audio.long_recordings import day_wav
from tests.faults.test_job_kills import PATIENCE_S, TABLE_WORKER, crew_of, stopped_at_work
from tests.scale import scaled
from tests.stimuli.recordings import bring_in
from tests.stimuli.stored import derived_digests
from tests.waiting import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

KILLS = scaled(10, least=3)
HOURS = 1.5 * KILLS  # at 8 kHz a little more than one chunk a kill


def undisturbed(day: Path, folder: Path) -> tuple[dict[str, str], dict[str, object]]:
    """The same ingest in a quiet place, gone afterwards but for its digests and measures."""
    with override_settings(DATA_DIR=folder, MEDIA_ROOT=folder / "files"):
        recording = bring_in(day)
        ingest.ingest_at_once(recording=recording)
        found = derived_digests(recording), recording.measures
        recording.delete()
        Job.objects.all().delete()
        return found


def wait_for(what: str, happened: Callable[[], bool]) -> None:
    def complaint() -> str:
        jobs = Job.objects.filter(name__startswith="stimuli.").values_list("key", "state", "attempts", "error")
        return f"waited in vain for {what}: {list(jobs)}"

    wait_until(happened, complaint, patience_s=PATIENCE_S, every_s=0.01)


def chunks_done(recording: Recording) -> int:
    return recording.chunks.count()


def test_kills_during_ingest_change_no_byte(
    process_environment: dict[str, str], tmp_path: Path, report: Callable[[str], None]
) -> None:
    day = tmp_path / "day.wav"
    day_wav(day, hours=HOURS, rate=8000)
    wanted, measures = undisturbed(day, tmp_path / "quiet")
    assert len(wanted) > 5
    recording = bring_in(day)
    chance = random.Random(20261115)
    begun_at = time.monotonic()
    with crew_of(process_environment, TABLE_WORKER) as crew:
        for kill in range(KILLS - 1):
            wait_for(f"chunk {kill}", lambda kill=kill: chunks_done(recording) > kill)  # type: ignore[misc]
            time.sleep(chance.uniform(0, 0.5))
            crew.kill(stopped_at_work(crew, Job.objects.filter(name=ingest.ingest_chunk.name), chance))
            crew.hire(TABLE_WORKER)
        # Kills fail innocent jobs, the last of them when their leases end; the schedule would find what is missing.
        wait_for("the chunks", lambda: not Job.objects.unfinished().filter(name=ingest.ingest_chunk.name).exists())
        enqueue(resume_ingests)
        wait_for("the merge", lambda: Job.objects.filter(name=ingest.merge_recording.name, state="running").exists())
        time.sleep(chance.uniform(0, 0.2))
        crew.kill(crew.members[0])
        crew.hire(TABLE_WORKER)
        wait_for("the end", lambda: Recording.objects.filter(state="ready").exists())
        wait_for("the last job", lambda: not Job.objects.unfinished().filter(name__startswith="stimuli.").exists())
    recording.refresh_from_db()
    repeated = Job.objects.filter(name__startswith="stimuli.", attempts__gt=1)
    assert repeated.filter(name=ingest.ingest_chunk.name).exists(), "no kill hit a running chunk, so nothing was tested"
    assert derived_digests(recording) == wanted
    assert recording.measures == measures
    assert not list((settings.DATA_DIR / "merging").iterdir())
    report(
        f"{KILLS} kills, {repeated.count()} of {Job.objects.count()} jobs run again, "
        f"{len(wanted)} files identical after {time.monotonic() - begun_at:.0f} s"
    )
