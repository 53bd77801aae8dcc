"""The background work of stimuli."""

from django.utils import timezone

from core.models import Job
from core.tasks import JobRun, job
from stimuli.services import imports, ingest, intakes, levels

# --- Long recordings --------------------------------------------------------------------------------------------------


@job("stimuli.ingest_chunk", priority=Job.Priority.BULK)
def ingest_chunk(run: JobRun, *, recording_id: str, number: int) -> None:
    ingest.ingest_chunk(run=run, recording_id=recording_id, number=number)


@job("stimuli.fold_recording", priority=Job.Priority.BULK)
def fold_recording(run: JobRun, *, recording_id: str) -> None:
    ingest.fold_recording(run=run, recording_id=recording_id)


@job("stimuli.resume_ingests")
def resume_ingests(run: JobRun) -> None:
    ingest.resume_ingests(run=run, now=timezone.now())


# --- Imports and copies -----------------------------------------------------------------------------------------------


@job("stimuli.check_intake", priority=Job.Priority.AWAITED)
def check_intake(run: JobRun, *, intake_id: str) -> None:
    imports.check_intake(run=run, intake_id=intake_id)


@job("stimuli.import_intake", priority=Job.Priority.AWAITED)
def import_intake(run: JobRun, *, intake_id: str, replace: bool = False) -> None:
    imports.import_intake(run=run, intake_id=intake_id, replace=replace)


@job("stimuli.expire_intakes")
def expire_intakes(run: JobRun) -> None:
    expired = intakes.expire_intakes(now=timezone.now())
    run.progress(expired, expired)


@job("stimuli.normalise_collection", priority=Job.Priority.AWAITED)
def normalise_collection(
    run: JobRun, *, source_id: str, target_lufs: float, slug: str, title: str, actor_id: str
) -> None:
    levels.copy_in_background(
        run=run, source_id=source_id, target_lufs=target_lufs, slug=slug, title=title, actor_id=actor_id
    )
