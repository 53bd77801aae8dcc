"""Jobs of stimuli. Those that services ask for are declared beside them."""

from django.utils import timezone

from core.jobs import JobRun, job
from stimuli.services import ingest, intakes
from stimuli.services.imports import check_intake as check_intake
from stimuli.services.imports import import_intake as import_intake
from stimuli.services.ingest import fold_recording as fold_recording
from stimuli.services.ingest import ingest_chunk as ingest_chunk
from stimuli.services.levels import normalise_copy as normalise_copy


@job(queue="bulk")
def resume_ingests(*, run: JobRun) -> None:
    ingest.resume_ingests(run=run, now=timezone.now())


@job(queue="bulk")
def expire_intakes(*, run: JobRun) -> None:
    expired = intakes.expire_intakes(now=timezone.now())
    run.progress(expired, expired)
