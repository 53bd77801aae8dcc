"""The background work of stimuli."""

from django.utils import timezone

from core.models import Job
from core.tasks import JobRun, job
from stimuli.services import imports, ingest, normalisation

# --- Long recordings --------------------------------------------------------------------------------------------------


@job("stimuli.ingest_chunk", priority=Job.Priority.BULK)
def ingest_chunk(run: JobRun, *, recording_id: str, number: int) -> None:
    ingest.ingest_chunk(run=run, recording_id=recording_id, number=number)


@job("stimuli.merge_recording", priority=Job.Priority.BULK)
def merge_recording(run: JobRun, *, recording_id: str) -> None:
    ingest.merge_recording(run=run, recording_id=recording_id)


@job("stimuli.resume_ingests")
def resume_ingests(run: JobRun) -> None:
    ingest.resume_ingests(run=run, now=timezone.now())


# --- Imports and copies -----------------------------------------------------------------------------------------------


@job("stimuli.check_import", priority=Job.Priority.AWAITED)
def check_import(run: JobRun, *, import_id: str) -> None:
    imports.check_import(run=run, import_id=import_id)


@job("stimuli.commit_import", priority=Job.Priority.AWAITED)
def commit_confirmed_import(run: JobRun, *, import_id: str, replace: bool = False) -> None:
    imports.commit_confirmed_import(run=run, import_id=import_id, replace=replace)


@job("stimuli.expire_imports")
def expire_imports(run: JobRun) -> None:
    expired = imports.expire_imports(now=timezone.now())
    run.progress(expired, expired)


@job("stimuli.normalise_collection", priority=Job.Priority.AWAITED)
def normalise_collection(
    run: JobRun, *, source_id: str, target_lufs: float, slug: str, title: str, actor_id: str
) -> None:
    normalisation.copy_in_background(
        run=run, source_id=source_id, target_lufs=target_lufs, slug=slug, title=title, actor_id=actor_id
    )
