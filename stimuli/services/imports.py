"""Imports: files are looked at, a plan is proposed, and what was confirmed comes in, all of it or nothing."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from audio.quality_checks import Severity
from core.errors import AppError, sentence
from core.jobs import JobRun, job
from core.models import User
from core.services import audit
from stimuli import spool
from stimuli.errors.intake import CellsTaken, ImportRefused
from stimuli.intake.drafting import Draft, draft
from stimuli.intake.hearing import Rules, sha256_of
from stimuli.intake.reports import Finding, Report, some
from stimuli.intake.sources import Kind, look_at, sources_in
from stimuli.models import Collection, Intake, IntakeFile, Recording
from stimuli.services.filling import Filling, Progress, fill, taken_places, whole
from stimuli.services.intakes import quota_bytes, used_bytes
from stimuli.services.keeping import Keeping

DRAFT = "draft.json"
READERS = 2


def rules(*, left_bytes: int) -> Rules:
    """What this installation takes; archives may hold what is left of a quota, as far as the disk has room for it."""
    return Rules(
        longest_h=settings.LONGEST_RECORDING_H,
        short_s=settings.SHORT_RECORDING_S,
        unpacked_bytes=max(0, min(left_bytes, spool.free_bytes())),
    )


# --- Uploads ----------------------------------------------------------------------------------------------------------


@job(queue="interactive")
def check_intake(*, run: JobRun, intake_id: str) -> None:
    """Look at everything that was sent, and propose what to make of it, or refuse it with all reasons."""
    intake = Intake.objects.select_related("collection").get(pk=intake_id)
    if intake.state != Intake.State.CHECKING:
        return
    files = list(intake.files.all())
    drafted = _drafted(intake, files, progress=run.progress)
    with run.finish():
        _close_check(intake, files, drafted)


@job(queue="interactive")
def import_intake(*, run: JobRun, intake_id: str, replace: bool = False) -> None:
    """Bring in what was confirmed."""
    intake = Intake.objects.select_related("collection", "owner").get(pk=intake_id)
    if intake.state != Intake.State.IMPORTING:
        return
    drafted = _loaded(intake) or _drafted(intake, list(intake.files.all()), progress=run.progress)
    filling = Filling(intake.collection, drafted, intake.owner, replace=replace, linked=True)
    try:
        if drafted.is_refused:
            raise _refused(drafted)
        fill(filling, Keeping(), fence=run.finish, then=lambda: _finish(intake, filling), progress=run.progress)
    except CellsTaken as refusal:
        with run.finish():
            _propose_again(intake, drafted, refusal)
    except AppError as refusal:
        drafted.report.refuse(refusal)
        with run.finish():
            _refuse(intake, drafted)


def _drafted(intake: Intake, files: list[IntakeFile], *, progress: Progress) -> Draft:
    """A fresh draft, kept beside the files so that the import itself need not hear everything again."""
    with ThreadPoolExecutor(READERS) as pool:
        digests = list(pool.map(lambda file: sha256_of(spool.path_of(file)), files))
    # Held until the draft is stored: nobody clears away what a stored draft speaks of.
    with spool.work_folder(intake.pk) as work:
        drafted = _heard(intake, files, digests, work=work, progress=progress)
        for file, digest in zip(files, digests, strict=True):
            file.sha256 = digest
            if file.claimed_sha256 and file.claimed_sha256 != digest:
                says = sentence("'{path}' arrived with other bytes than were sent. Send it again.")
                drafted.report.error(says, file.path, path=file.path)
        _tell_taken(drafted, intake.collection)
        _store(drafted, spool.folder_of(intake.pk) / DRAFT)
    return drafted


def _heard(intake: Intake, files: list[IntakeFile], digests: list[str], *, work: Path, progress: Progress) -> Draft:
    sources = [
        look_at(file.path, spool.path_of(file), sha256=digest) for file, digest in zip(files, digests, strict=True)
    ]
    # The archives themselves are not kept, so what they hold may take their place.
    packed_bytes = sum(source.byte_count for source in sources if source.kind is Kind.ARCHIVE)
    allowed = rules(left_bytes=quota_bytes() - used_bytes(intake.owner) + packed_bytes)
    return draft(sources, work=work, rules=allowed, layout=intake.layout, progress=progress)


def _close_check(intake: Intake, files: list[IntakeFile], drafted: Draft) -> None:
    """Write down what was found, unless the import was given up in the meantime."""
    locked = Intake.objects.select_for_update().get(pk=intake.pk)
    if locked.state != Intake.State.CHECKING:
        return
    IntakeFile.objects.bulk_update(files, ["sha256"], batch_size=500)
    if drafted.is_refused:
        _refuse(locked, drafted)
        return
    locked.state, locked.layout = Intake.State.PROPOSED, drafted.plan.layout
    locked.plan, locked.report = drafted.plan.to_json(), drafted.report.to_json()
    locked.save(update_fields=["state", "layout", "plan", "report"])


def _refuse(intake: Intake, drafted: Draft) -> None:
    """Nothing of it is kept but the report."""
    intake.state, intake.finished_at = Intake.State.REFUSED, timezone.now()
    intake.plan, intake.report = drafted.plan.to_json(), drafted.report.to_json()
    intake.save(update_fields=["state", "finished_at", "plan", "report"])
    audit.record(actor=None, action="intake.refused", target=intake, after={"errors": len(drafted.report.errors)})
    transaction.on_commit(lambda: spool.discard(intake.pk))


def _propose_again(intake: Intake, drafted: Draft, refusal: CellsTaken) -> None:
    """Nothing was imported, but nothing is lost: who wants to replace what is there need not send it again."""
    intake.state = Intake.State.PROPOSED
    told = Finding(Severity.WARNING, refusal.sentence, refusal.data)
    intake.report = Report([told, *drafted.report.findings], drafted.report.counts).to_json()
    intake.save(update_fields=["state", "report"])


def _finish(intake: Intake, filling: Filling) -> None:
    _describe(intake, filling, now=timezone.now())
    intake.save()
    _record(filling, intake)
    transaction.on_commit(lambda: spool.discard(intake.pk))


def _loaded(intake: Intake) -> Draft | None:
    """The draft that the check left, if it is there and whole."""
    place = spool.folder_of(intake.pk) / DRAFT
    try:
        facts = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return None
    return Draft.from_json(facts)


def _store(drafted: Draft, place: Path) -> None:
    scratch = place.with_suffix(".new")
    scratch.write_text(json.dumps(drafted.to_json()), encoding="utf-8")
    scratch.replace(place)


# --- Folders ----------------------------------------------------------------------------------------------------------


@contextmanager
def drafted_folder(
    *, folder: Path, layout: str = "auto", metadata: Path | None = None, progress: Progress
) -> Iterator[Draft]:
    """Look at a folder on this machine; what had to be unpacked or cut out lies in a scratch folder until the end."""
    with spool.scratch_folder() as work:
        allowed = rules(left_bytes=quota_bytes())
        yield draft(sources_in(folder), work=work, rules=allowed, layout=layout, metadata=metadata, progress=progress)


def import_draft(
    *,
    drafted: Draft,
    collection: Collection,
    actor: User,
    replace: bool = False,
    is_new: bool = False,
    progress: Progress,
) -> Intake:
    """Bring in a draft that was made of a folder, or refuse it and write nothing, not even a new collection."""
    if drafted.is_refused:
        raise _refused(drafted)
    filling = Filling(collection, drafted, actor, replace=replace, linked=False, is_new=is_new)
    intake = Intake(collection=collection, owner=actor, expires_at=timezone.now())

    def conclude() -> None:
        _describe(intake, filling, now=timezone.now())
        intake.save(force_insert=True)
        _record(filling, intake)

    fill(filling, Keeping(), fence=whole, then=conclude, progress=progress)
    return intake


# --- Both -------------------------------------------------------------------------------------------------------------


def _tell_taken(drafted: Draft, collection: Collection) -> None:
    taken = taken_places(collection, drafted.plan.cells)
    if taken:
        says = sentence(
            "The collection holds {count} of these stimuli already ({cells}). "
            "They are imported only if you ask for replacing them."
        )
        drafted.report.warn(says, count=len(taken), cells=some(" x ".join(place) for place in taken))


def _refused(drafted: Draft) -> ImportRefused:
    errors = drafted.report.errors
    return ImportRefused(count=len(errors), first=str(errors[0]))


def _describe(intake: Intake, filling: Filling, *, now: datetime) -> None:
    drafted = filling.draft
    intake.state, intake.finished_at = Intake.State.DONE, now
    intake.version, intake.layout = filling.collection.version, drafted.plan.layout
    intake.plan = {**drafted.plan.to_json(), "replaced": len(filling.replaced)}
    kept = [{"path": kept.path, "sha256": kept.sha256} for kept in drafted.kept]
    intake.report = {**drafted.report.to_json(), "kept": kept}


def _record(filling: Filling, intake: Intake) -> None:
    counts = filling.draft.report.counts
    after: dict[str, Any] = {
        "version": intake.version,
        "layout": intake.layout,
        "stimuli": counts["stimuli"],
        "replaced": len(filling.replaced),
    }
    target = f"collection/{filling.collection.slug}"
    audit.record(actor=filling.actor, action="collection.imported", target=target, after=after)


def unready_recordings(*, collection: Collection) -> list[Recording]:
    """Long recordings of a collection that are still being prepared."""
    waiting = Recording.objects.filter(stimuli__item__collection=collection, state=Recording.State.INGESTING)
    return list(waiting.distinct())
