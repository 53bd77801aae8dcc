"""Imports: declared, received, submitted, checked, confirmed and committed; or cancelled, or expired.

A check that finds errors keeps the files, so that some of them can be left out or replaced (services.corrections).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q, Sum
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from audio.quality_checks import Severity
from core.errors import AppError
from core.i18n import LazyMessage
from core.jobs import JobKind, JobRun, enqueue, job
from core.models import Job, User
from core.services import audit
from stimuli.imports.pipeline import ImportDraft, Replaced, draft_import
from stimuli.imports.plans import LeftOut
from stimuli.imports.probe import ProbeResults, Rules, sha256_of
from stimuli.imports.reports import Finding, Report, some
from stimuli.imports.sources import Kind, files_in, inspect_file
from stimuli.models import Collection, Import, ImportFile, ImportFileQuerySet, Recording, Stimulus
from stimuli.services.collections import check_may_import, check_replaceable, check_unfrozen
from stimuli.services.commit_import import CellsTaken, ImportCommit, Progress, commit_import, taken_places
from stimuli.services.normalisation import enqueue_copy_of_import
from stimuli.services.quality_checks import cells_in
from stimuli.services.staged_files import StagedFiles
from stimuli.services.uploads import check_open, valid_sha256
from stimuli.uploads import files as upload_files
from stimuli.uploads.files import DiskFull
from stimuli.uploads.manifest import DeclaredFile, check_files, composed, files_rejected

GB = 10**9
ROWS_AT_ONCE = 1000
MOST_NAMED = 500
LEFT_OUT, REPLACED = "left_out", "replaced"  # what was done to a file of an import after a check
CANCELLABLE = (Import.State.RECEIVING, Import.State.CHECKING, Import.State.HAS_ERRORS, Import.State.PROPOSED)


def import_for(user: User, import_id: UUID, *, collection: Collection | None = None) -> Import:
    """The import, if it is this person's to see, and if it belongs to the collection where one is named."""
    among = Import.objects.visible_to(user).select_related("collection")
    if collection is not None:
        among = among.filter(collection=collection)
    import_ = among.filter(pk=import_id).first()
    if import_ is None:
        raise AppError("import.not_found", 404, _("There is no such import among yours in this collection."))
    return import_


def _import_empty() -> AppError:
    return AppError("import.empty", 422, _("The import holds no files; announce at least one."))


@transaction.atomic
def begin_import(
    *, collection: Collection, owner: User, files: Iterable[DeclaredFile], layout: str = "auto", now: datetime
) -> Import:
    """Create an import with its declared files and reserve room for them; other files cannot be sent."""
    check_may_import(collection=collection, person=owner)
    check_unfrozen(collection)
    declared = check_files(files)
    if not declared:
        raise _import_empty()
    reserve_space(owner, declared)
    import_ = Import.objects.create(
        collection=collection,
        owner=owner,
        layout=layout,
        expires_at=now + timedelta(days=settings.UPLOAD_EXPIRES_DAYS),
    )
    declare_files(import_, declared)
    after = {"files": len(declared), "bytes": _sum(declared)}
    audit.record(actor=owner, action="import.begun", target=import_, after=after)
    return import_


@transaction.atomic
def begin_replacement(*, stimulus: Stimulus, owner: User, files: Iterable[DeclaredFile], now: datetime) -> Import:
    """Create an import of one file that will take the place of a stimulus's sound, as a new version."""
    declared = list(files)
    if len(declared) != 1:
        raise AppError("import.one_file", 422, _("Choose one file: it takes the place of one clip."))
    check_replaceable(stimulus=stimulus, person=owner)
    import_ = begin_import(collection=stimulus.item.collection, owner=owner, files=declared, now=now)
    import_.stimulus = stimulus
    import_.save(update_fields=["stimulus"])
    return import_


@transaction.atomic
def add_files(*, import_: Import, files: Iterable[DeclaredFile], now: datetime) -> ImportFileQuerySet:
    """Announce more files; one that is announced already with the same length is simply returned too."""
    import_ = lock_import(import_)
    check_open(import_, now=now)
    present = {file.path: file for file in import_.files.all()}
    asked = [DeclaredFile(composed(file.path), file.byte_count) for file in files]
    fresh = [file for file in asked if file.path not in present]
    for file in asked:
        known = present.get(file.path)
        if known is not None and known.byte_count != file.byte_count:
            problem = LazyMessage(
                "'{path}' was announced with {before} bytes, not {count}.",
                path=file.path,
                before=known.byte_count,
                count=file.byte_count,
            )
            raise files_rejected(problems=problem)
    check_files(fresh, known=present)
    reserve_space(import_.owner, fresh)
    declare_files(import_, fresh)
    # All of them where many were asked for: a database limits the number of parameters of a query.
    few = [file.path for file in asked] if len(asked) <= MOST_NAMED else None
    return import_.files.filter(path__in=few) if few else import_.files.all()


@transaction.atomic
def submit_import(*, import_: Import, digests: Mapping[str, str], actor: User, now: datetime) -> Import:
    """Submit an import once every byte has arrived, and enqueue the check of its files."""
    import_ = lock_import(import_)
    check_open(import_, now=now)
    missing = import_.files.incomplete()
    if first := missing.first():
        raise AppError(
            "import.incomplete",
            409,
            _("{missing} of the announced files have not arrived whole, '{path}' among them; send them first."),
            missing=missing.count(),
            path=first.path,
        )
    files = list(import_.files.all())
    if not files:
        raise _import_empty()
    claimed = {composed(path): digest for path, digest in digests.items()}
    for file in files:
        file.claimed_sha256 = valid_sha256(claimed.get(file.path, file.claimed_sha256), path=file.path)
        if not file.byte_count:
            with upload_files.locked(file):  # no request sends an empty file, so it does not exist yet
                pass
    ImportFile.objects.bulk_update(files, ["claimed_sha256"], batch_size=ROWS_AT_ONCE)
    enter_state(import_, Import.State.CHECKING, actor=actor, action="import.submitted")
    enqueue_job(check_import, import_, actor)
    return import_


def wrong_import_state(*, state: str) -> AppError:
    return AppError(
        "import.wrong_state",
        409,
        _("This is not possible while the import is in the state '{state}'. Open it to see how it goes on."),
        state=state,
    )


@transaction.atomic
def confirm_import(*, import_: Import, actor: User, replace: bool = False) -> Import:
    """Have what was proposed imported; stimuli that are there already are replaced only if that is asked for."""
    import_ = lock_import(import_)
    if import_.state != Import.State.PROPOSED:
        raise wrong_import_state(state=import_.get_state_display())
    check_may_import(collection=import_.collection, person=actor)  # it may have been handed over since
    if import_.stimulus:
        check_replaceable(stimulus=import_.stimulus, person=actor)
    check_unfrozen(import_.collection)
    enter_state(import_, Import.State.IMPORTING, actor=actor, action="import.confirmed")
    enqueue_job(commit_confirmed_import, import_, actor, replace=replace or import_.stimulus is not None)
    return import_


@transaction.atomic
def cancel_import(*, import_: Import, actor: User, now: datetime) -> Import:
    """Cancel an import and delete its files; one that is being committed cannot be cancelled."""
    import_ = lock_import(import_)
    if import_.state not in CANCELLABLE:
        raise wrong_import_state(state=import_.get_state_display())
    _give_up(import_, actor=actor, action="import.cancelled", now=now)
    return import_


def expire_imports(*, now: datetime) -> int:
    """Cancel imports that have expired, and remove folders of finished ones; return how many expired."""
    late = Import.objects.filter(state__in=CANCELLABLE, expires_at__lte=now)
    expired = sum(_expire(import_, now=now) for import_ in late)
    present = upload_files.imports_present()
    wanted = set(Import.objects.unfinished().filter(pk__in=present).values_list("pk", flat=True))
    for import_id in present:
        if import_id not in wanted:
            upload_files.discard(import_id)
    return expired


def job_of(import_: Import) -> Job | None:
    """The background work that the import waits for, or waited for last."""
    keys = [_key(check_import, import_), _key(commit_confirmed_import, import_)]
    return Job.objects.filter(key__in=keys).order_by("-created_at").first()


def arrival(import_: Import) -> dict[str, int]:
    """How much has arrived, and how much there will be."""
    whole = Count("pk", filter=Q(received_bytes=F("byte_count")))
    counts = import_.files.aggregate(
        files=Count("pk"), complete=whole, bytes=Sum("byte_count"), received=Sum("received_bytes")
    )
    return {name: int(count or 0) for name, count in counts.items()}


def used_bytes(owner: User) -> int:
    """Bytes that count against a quota: recordings in own collections, and files being uploaded."""
    heard = Stimulus.objects.filter(item__collection__owner=owner).values("recording")
    stored = Recording.objects.filter(pk__in=heard).aggregate(total=Sum("byte_count"))["total"] or 0
    coming = ImportFile.objects.filter(parent__in=Import.objects.unfinished().filter(owner=owner))
    return int(stored) + int(coming.aggregate(total=Sum("byte_count"))["total"] or 0)


def quota_bytes(owner: User | None = None) -> int:
    """What this person may have, stored and on the way, or what everybody may who has no quota of their own."""
    own = owner.quota_gb if owner else None
    return int((settings.UPLOAD_QUOTA_GB if own is None else own) * GB)


def reserve_space(owner: User, files: Sequence[DeclaredFile]) -> None:
    """Reject what does not fit into the quota or onto the disk; two reservations of one person take turns."""
    owner = User.objects.select_for_update().get(pk=owner.pk)
    needed, quota = _sum(files), quota_bytes(owner)
    left = quota - used_bytes(owner)
    if needed > left:
        raise AppError(
            "upload.quota",
            413,
            _(
                "These files hold {needed_gb:.2f} GB, and {left_gb:.2f} of your {quota_gb:.2f} GB are free. Cancel "
                "other imports, send less, or ask an admin for more."
            ),
            needed_gb=needed / GB,
            left_gb=max(0, left) / GB,
            quota_gb=quota / GB,
        )
    if needed > upload_files.free_bytes():
        raise DiskFull


def declare_files(import_: Import, files: Iterable[DeclaredFile]) -> None:
    rows = [ImportFile(parent=import_, path=file.path, byte_count=file.byte_count) for file in files]
    ImportFile.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)


def enter_state(import_: Import, state: Import.State, *, actor: User | None, action: str) -> None:
    before = import_.state
    import_.state = state
    import_.save(update_fields=["state", "finished_at"])
    audit.record(actor=actor, action=action, target=import_, before={"state": before}, after={"state": state})


@transaction.atomic
def _expire(import_: Import, *, now: datetime) -> bool:
    """A chunk that arrived in the meantime has put the end off."""
    import_ = lock_import(import_)
    late = import_.state in CANCELLABLE and import_.expires_at <= now
    if late:
        _give_up(import_, actor=None, action="import.expired", now=now)
    return late


def _give_up(import_: Import, *, actor: User | None, action: str, now: datetime) -> None:
    import_.finished_at = now
    enter_state(import_, Import.State.CANCELLED, actor=actor, action=action)
    transaction.on_commit(lambda: upload_files.discard(import_.pk))


def enqueue_job(kind: JobKind[...], import_: Import, actor: User, **arguments: bool) -> None:
    enqueue(kind, key=_key(kind, import_), requested_by=actor, import_id=str(import_.pk), **arguments)


def _key(kind: JobKind[...], import_: Import) -> str:
    return f"{kind.name}:{import_.pk}"


def lock_import(import_: Import) -> Import:
    return Import.objects.select_for_update().get(pk=import_.pk)


def _sum(files: Iterable[DeclaredFile]) -> int:
    return sum(file.byte_count for file in files)


# --- Checking and committing ------------------------------------------------------------------------------------------


REPLACED_PARTS = ("stimulus__recording", "stimulus__condition", "stimulus__item__collection")
DRAFT = "draft.json"
PROBES = "probes"
READERS = 2


def rules(*, left_bytes: int) -> Rules:
    """What this installation takes; archives may hold what is left of a quota, as far as the disk has room for it."""
    return Rules(
        longest_h=settings.LONGEST_RECORDING_H,
        short_s=settings.SHORT_RECORDING_S,
        unpacked_bytes=max(0, min(left_bytes, upload_files.free_bytes())),
    )


# --- Uploads ----------------------------------------------------------------------------------------------------------


@job(queue="interactive", title=_("Checking files"))
def check_import(*, run: JobRun, import_id: str) -> None:
    """Check all files of an import, and propose a plan or list every error."""
    import_ = Import.objects.select_related("collection", *REPLACED_PARTS).get(pk=import_id)
    if import_.state != Import.State.CHECKING:
        return
    files = list(import_.files.all())
    drafted = _drafted(import_, files, progress=run.progress)
    with run.finish():
        _close_check(import_, files, drafted)


@job(queue="interactive", title=_("Importing stimuli"))
def commit_confirmed_import(*, run: JobRun, import_id: str, replace: bool = False) -> None:
    """Commit the import that was confirmed."""
    import_ = Import.objects.select_related("collection", "owner", *REPLACED_PARTS).get(pk=import_id)
    if import_.state != Import.State.IMPORTING:
        return
    drafted = load_draft(import_) or _drafted(import_, list(import_.files.all()), progress=run.progress)
    commit = ImportCommit(import_.collection, drafted, import_.owner, replace=replace, linked=True)
    try:
        if drafted.is_rejected:
            raise _rejected(drafted)
        commit_import(
            commit,
            StagedFiles(),
            transactional=run.finish,
            then=lambda: _finish(import_, commit),
            progress=run.progress,
        )
    except CellsTaken as error:
        with run.finish():
            _propose_again(import_, drafted, error)
    except AppError as error:
        drafted.report.reject(error)
        with run.finish():
            _tell_errors(import_, drafted)


def _drafted(import_: Import, files: list[ImportFile], *, progress: Progress) -> ImportDraft:
    """Draft the import and store the draft beside the files, so that the commit need not probe them again."""
    with ThreadPoolExecutor(READERS) as pool:
        # A file that has arrived whole does not change any more, so the digest of an earlier check holds.
        digests = list(pool.map(lambda file: file.sha256 or sha256_of(upload_files.path_of(file)), files))
    # Locked until the draft is stored, so that no other process removes files that the draft refers to.
    with upload_files.work_folder(import_.pk) as work:
        drafted = _draft_from(import_, files, digests, work=work, progress=progress)
        without = {one.path for one in left_out_of(import_)}
        for file, digest in zip(files, digests, strict=True):
            file.sha256 = digest
            if file.claimed_sha256 and file.claimed_sha256 != digest and file.path not in without:
                message = _("'{path}' arrived with other bytes than were sent. Send it again.")
                data = {"path": file.path}
                drafted.report.findings.append(Finding(Severity.ERROR, message, data, file.path, (file.path,)))
        if not import_.stimulus:
            _tell_taken(drafted, import_.collection)
        _store(drafted, upload_files.folder_of(import_.pk) / DRAFT)
    return drafted


def _draft_from(
    import_: Import, files: list[ImportFile], digests: list[str], *, work: Path, progress: Progress
) -> ImportDraft:
    sources = [
        inspect_file(file.path, upload_files.path_of(file), sha256=digest)
        for file, digest in zip(files, digests, strict=True)
    ]
    # The archives themselves are not kept, so what they hold may take their place.
    packed_bytes = sum(source.byte_count for source in sources if source.kind is Kind.ARCHIVE)
    allowed = rules(left_bytes=quota_bytes(import_.owner) - used_bytes(import_.owner) + packed_bytes)
    results = ProbeResults.load(upload_files.folder_of(import_.pk) / PROBES, allowed)
    drafted = draft_import(
        sources,
        work=work,
        rules=allowed,
        layout=import_.layout,
        progress=progress,
        left_out=left_out_of(import_),
        results=results,
        replaced=_replaced(import_.stimulus) if import_.stimulus else None,
    )
    results.save(allowed)
    return drafted


def _replaced(stimulus: Stimulus) -> Replaced:
    """The stimulus whose sound is replaced, with the other sounds of its item."""
    name, condition = stimulus.item.name, stimulus.condition
    others = cells_in(stimulus.item.collection)
    beside = [cell.to_check() for cell in others if cell.item == name and cell.condition != condition.name]
    return Replaced(name, condition.name, condition.role, beside)


def left_out_of(import_: Import) -> list[LeftOut]:
    """The files that were left out of an import, as the planner takes them."""
    return [
        LeftOut(one["path"], one["by"], one["is_placed"]) for one in import_.corrections if one["action"] == LEFT_OUT
    ]


def _close_check(import_: Import, files: list[ImportFile], drafted: ImportDraft) -> None:
    """Store the result of the check, unless the import was cancelled in the meantime."""
    locked = Import.objects.select_for_update().get(pk=import_.pk)
    if locked.state != Import.State.CHECKING:
        return
    ImportFile.objects.bulk_update(files, ["sha256"], batch_size=500)
    if drafted.is_rejected:
        _tell_errors(locked, drafted)
        return
    locked.state = Import.State.PROPOSED
    locked.plan, locked.report = drafted.plan.to_json(), drafted.report.to_json()
    locked.save(update_fields=["state", "plan", "report"])


def _tell_errors(import_: Import, drafted: ImportDraft) -> None:
    """Wait for corrections: the files stay until the import expires."""
    import_.state = Import.State.HAS_ERRORS
    import_.plan, import_.report = drafted.plan.to_json(), drafted.report.to_json()
    import_.save(update_fields=["state", "plan", "report"])
    audit.record(actor=None, action="import.errors_found", target=import_, after={"errors": len(drafted.report.errors)})


def _propose_again(import_: Import, drafted: ImportDraft, error: CellsTaken) -> None:
    """Return to the proposal: the files stay, so that they can replace the existing stimuli without another upload."""
    import_.state = Import.State.PROPOSED
    told = Finding(Severity.WARNING, error.message, error.data)
    import_.report = Report([told, *drafted.report.findings], drafted.report.counts).to_json()
    import_.save(update_fields=["state", "report"])


def _finish(import_: Import, commit: ImportCommit) -> None:
    asked = lock_import(import_)  # a copy may have been asked for since the job began
    import_.copy_into, import_.copy_lufs = asked.copy_into, asked.copy_lufs
    if import_.stimulus:
        _record_replacement(import_.stimulus, commit)
    _describe(import_, commit, now=timezone.now())
    import_.save()
    _record(commit, import_)
    enqueue_copy_of_import(import_, actor=commit.actor)
    transaction.on_commit(lambda: upload_files.discard(import_.pk))


def _record_replacement(stimulus: Stimulus, commit: ImportCommit) -> None:
    old = stimulus.recording
    (new,) = commit.draft.originals
    audit.record(
        actor=commit.actor,
        action="stimulus.replaced",
        target=f"collection/{commit.collection.slug}",
        before={"stimulus": str(stimulus), "sha256": old.sha256 if old else ""},
        after={"sha256": new.sha256 if new else "", "version": commit.collection.version},
    )


def load_draft(import_: Import) -> ImportDraft | None:
    """The draft that the last check left, if it is there and whole."""
    place = upload_files.folder_of(import_.pk) / DRAFT
    try:
        facts = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return None
    return ImportDraft.from_json(facts)


def _store(drafted: ImportDraft, place: Path) -> None:
    scratch = place.with_suffix(".new")
    scratch.write_text(json.dumps(drafted.to_json()), encoding="utf-8")
    scratch.replace(place)


# --- Folders ----------------------------------------------------------------------------------------------------------


@contextmanager
def drafted_folder(
    *, folder: Path, layout: str = "auto", metadata: Path | None = None, progress: Progress
) -> Iterator[ImportDraft]:
    """Draft the import of a folder on this machine; extracted files lie in a scratch folder until the end."""
    with upload_files.scratch_folder() as work:
        allowed = rules(left_bytes=quota_bytes())
        yield draft_import(
            files_in(folder), work=work, rules=allowed, layout=layout, metadata=metadata, progress=progress
        )


def import_draft(
    *,
    drafted: ImportDraft,
    collection: Collection,
    actor: User,
    replace: bool = False,
    is_new: bool = False,
    progress: Progress,
) -> Import:
    """Commit a draft of a folder, or reject it and write nothing, not even a new collection."""
    if drafted.is_rejected:
        raise _rejected(drafted)
    commit = ImportCommit(collection, drafted, actor, replace=replace, linked=False, is_new=is_new)
    import_ = Import(collection=collection, owner=actor, expires_at=timezone.now())

    def conclude() -> None:
        _describe(import_, commit, now=timezone.now())
        import_.save(force_insert=True)
        _record(commit, import_)

    commit_import(commit, StagedFiles(), transactional=transaction.atomic, then=conclude, progress=progress)
    return import_


# --- Both -------------------------------------------------------------------------------------------------------------


def _tell_taken(drafted: ImportDraft, collection: Collection) -> None:
    taken = taken_places(collection, drafted.plan.cells)
    if taken:
        message = _(
            "The collection holds {count} of these stimuli already ({cells}). "
            "They are imported only if you ask for replacing them."
        )
        drafted.report.warn(message, count=len(taken), cells=some(" x ".join(place) for place in taken))


def _rejected(drafted: ImportDraft) -> AppError:
    errors = drafted.report.errors
    return AppError(
        "import.refused",
        422,
        _("Nothing was imported, because of {count} problems. The first: {first}"),
        count=len(errors),
        first=str(errors[0]),
    )


def _describe(import_: Import, commit: ImportCommit, *, now: datetime) -> None:
    drafted = commit.draft
    import_.state, import_.finished_at = Import.State.DONE, now
    import_.version, import_.layout = commit.collection.version, drafted.plan.layout
    import_.plan = {**drafted.plan.to_json(), "replaced": len(commit.replaced)}
    kept = [{"path": kept.path, "sha256": kept.sha256} for kept in drafted.kept]
    import_.report = {**drafted.report.to_json(), "kept": kept}


def _record(commit: ImportCommit, import_: Import) -> None:
    counts = commit.draft.report.counts
    after: dict[str, Any] = {
        "version": import_.version,
        "layout": import_.layout,
        "stimuli": counts["stimuli"],
        "replaced": len(commit.replaced),
    }
    target = f"collection/{commit.collection.slug}"
    audit.record(actor=commit.actor, action="collection.imported", target=target, after=after)


def unready_recordings(*, collection: Collection) -> list[Recording]:
    """Long recordings of a collection that are still being prepared."""
    waiting = Recording.objects.filter(stimuli__item__collection=collection, state=Recording.State.INGESTING)
    return list(waiting.distinct())
