"""Jobs of stimuli. Those that services ask for are declared beside them."""

from collections.abc import Collection as Ids

from django.urls import reverse
from django.utils import timezone

from core.jobs import JobRun, job
from core.jobs.groups import Subject, subject
from stimuli.models import Collection, Import, Stimulus
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


# --- What jobs are about ----------------------------------------------------------------------------------------------


@subject("recording")
def recordings(ids: Ids[str]) -> dict[str, Subject]:
    """The collection that a recording belongs to, and the item; the first one where there are several."""
    heard = Stimulus.objects.filter(recording__pk__in=ids).select_related("item__collection").order_by("-created_at")
    return {str(one.recording_id): _subject(one.item.collection, f", {one.item.name}") for one in heard}


@subject("import")
def imports_of(ids: Ids[str]) -> dict[str, Subject]:
    rows = Import.objects.filter(pk__in=ids).select_related("collection")
    return {
        str(row.pk): Subject(row.collection.title, reverse("stimuli:import", args=[row.collection.slug, row.pk]))
        for row in rows
    }


@subject("source")
def sources(ids: Ids[str]) -> dict[str, Subject]:
    return {str(row.pk): _subject(row) for row in Collection.objects.filter(pk__in=ids)}


def _subject(collection: Collection, more: str = "") -> Subject:
    return Subject(collection.title + more, reverse("stimuli:collection", args=[collection.slug]))
