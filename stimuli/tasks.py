"""Jobs of stimuli. Those that services ask for are declared beside them."""

from django.utils import timezone

from core.jobs import JobRun, job
from stimuli.services import imports, ingest
from stimuli.services.imports import check_import as check_import
from stimuli.services.imports import commit_confirmed_import as commit_confirmed_import
from stimuli.services.ingest import ingest_chunk as ingest_chunk
from stimuli.services.ingest import merge_recording as merge_recording
from stimuli.services.normalisation import normalise_copy as normalise_copy


@job(queue="bulk")
def resume_ingests(*, run: JobRun) -> None:
    ingest.resume_ingests(run=run, now=timezone.now())


@job(queue="bulk")
def expire_imports(*, run: JobRun) -> None:
    expired = imports.expire_imports(now=timezone.now())
    run.progress(expired, expired)
