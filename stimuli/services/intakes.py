"""The life of an import up to the work itself: announced, received, sealed, confirmed; or cancelled, or expired."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, F, Q, Sum

from core.clauses import clause
from core.jobs import JobKind, enqueue
from core.models import Job, User
from core.services import audit
from stimuli import spool
from stimuli.announcements import Announced, check_files, composed
from stimuli.errors.uploads import (
    CollectionNotYours,
    CollectionSlugTaken,
    DiskFull,
    FilesRefused,
    IntakeElsewhere,
    IntakeEmpty,
    IntakeIncomplete,
    IntakeNotFound,
    QuotaExceeded,
)
from stimuli.models import Collection, Intake, IntakeFile, Recording, Stimulus
from stimuli.querysets import IntakeFileQuerySet
from stimuli.services.collections import create_collection
from stimuli.services.uploads import check_open, valid_sha256

GB = 10**9
ROWS_AT_ONCE = 1000
MOST_NAMED = 500
CANCELLABLE = (Intake.State.RECEIVING, Intake.State.CHECKING, Intake.State.PROPOSED)


def open_collection(*, owner: User, slug: str, title: str) -> Collection:
    """Make an empty collection to import into."""
    try:
        with transaction.atomic():
            return create_collection(owner=owner, slug=slug, title=title)
    except IntegrityError:
        raise CollectionSlugTaken(slug=slug) from None


def intake_for(user: User, intake_id: UUID, *, collection: Collection | None = None) -> Intake:
    """The import, if it is this person's to see, and if it belongs to the collection where one is named."""
    among = Intake.objects.visible_to(user).select_related("collection")
    if collection is not None:
        among = among.filter(collection=collection)
    intake = among.filter(pk=intake_id).first()
    if intake is None:
        raise IntakeNotFound
    return intake


def may_import(*, collection: Collection, person: User) -> bool:
    """Colleagues may read a collection; only its owner, or an admin, changes what others rate."""
    return collection.owner_id == person.pk or person.is_admin


def check_may_import(*, collection: Collection, person: User) -> None:
    if not may_import(collection=collection, person=person):
        raise CollectionNotYours(owner=collection.owner.get_username())


@transaction.atomic
def begin_intake(
    *, collection: Collection, owner: User, files: Iterable[Announced], layout: str = "auto", now: datetime
) -> Intake:
    """Write down what will be sent and reserve room for it; nothing can be sent that was not announced."""
    check_may_import(collection=collection, person=owner)
    announced = check_files(files)
    if not announced:
        raise IntakeEmpty
    _reserve(owner, announced)
    intake = Intake.objects.create(
        collection=collection,
        owner=owner,
        layout=layout,
        expires_at=now + timedelta(days=settings.UPLOAD_EXPIRES_DAYS),
    )
    _announce(intake, announced)
    after = {"files": len(announced), "bytes": _sum(announced)}
    audit.record(actor=owner, action="intake.begun", target=intake, after=after)
    return intake


@transaction.atomic
def add_files(*, intake: Intake, files: Iterable[Announced], now: datetime) -> IntakeFileQuerySet:
    """Announce more files; one that is announced already with the same length is simply returned too."""
    intake = _locked(intake)
    check_open(intake, now=now)
    present = {file.path: file for file in intake.files.all()}
    asked = [Announced(composed(file.path), file.byte_count) for file in files]
    fresh = [file for file in asked if file.path not in present]
    for file in asked:
        known = present.get(file.path)
        if known is not None and known.byte_count != file.byte_count:
            problem = clause(
                "'{path}' was announced with {before} bytes, not {count}.",
                path=file.path,
                before=known.byte_count,
                count=file.byte_count,
            )
            raise FilesRefused(problems=problem)
    check_files(fresh, known=present)
    _reserve(intake.owner, fresh)
    _announce(intake, fresh)
    # All of them where many were asked for: a database takes only so many names in one question.
    few = [file.path for file in asked] if len(asked) <= MOST_NAMED else None
    return intake.files.filter(path__in=few) if few else intake.files.all()


@transaction.atomic
def seal_intake(*, intake: Intake, digests: Mapping[str, str], actor: User, now: datetime) -> Intake:
    """Close the list once every byte is there, and have the files looked at."""
    intake = _locked(intake)
    check_open(intake, now=now)
    missing = intake.files.incomplete()
    if first := missing.first():
        raise IntakeIncomplete(missing=missing.count(), path=first.path)
    files = list(intake.files.all())
    if not files:
        raise IntakeEmpty
    claimed = {composed(path): digest for path, digest in digests.items()}
    for file in files:
        file.claimed_sha256 = valid_sha256(claimed.get(file.path, file.claimed_sha256), path=file.path)
        if not file.byte_count:
            with spool.claimed(file):  # nobody sends an empty file, so nothing has made it yet
                pass
    IntakeFile.objects.bulk_update(files, ["claimed_sha256"], batch_size=ROWS_AT_ONCE)
    _enter(intake, Intake.State.CHECKING, actor=actor, action="intake.sealed")
    _enqueue(_check_and_import()[0], intake, actor)
    return intake


@transaction.atomic
def confirm_intake(*, intake: Intake, actor: User, replace: bool = False) -> Intake:
    """Have what was proposed imported; stimuli that are there already are replaced only if that is asked for."""
    intake = _locked(intake)
    if intake.state != Intake.State.PROPOSED:
        raise IntakeElsewhere(state=intake.get_state_display())
    _enter(intake, Intake.State.IMPORTING, actor=actor, action="intake.confirmed")
    _enqueue(_check_and_import()[1], intake, actor, replace=replace)
    return intake


@transaction.atomic
def cancel_intake(*, intake: Intake, actor: User, now: datetime) -> Intake:
    """Give an import up and throw away what had arrived; one that is being written already takes its course."""
    intake = _locked(intake)
    if intake.state not in CANCELLABLE:
        raise IntakeElsewhere(state=intake.get_state_display())
    _give_up(intake, actor=actor, action="intake.cancelled", now=now)
    return intake


def expire_intakes(*, now: datetime) -> int:
    """Give up imports that nobody went on with, and clear away folders of those that are over; say how many expired."""
    late = Intake.objects.filter(state__in=CANCELLABLE, expires_at__lte=now)
    expired = sum(_expire(intake, now=now) for intake in late)
    present = spool.intakes_present()
    wanted = set(Intake.objects.unfinished().filter(pk__in=present).values_list("pk", flat=True))
    for intake_id in present:
        if intake_id not in wanted:
            spool.discard(intake_id)
    return expired


def job_of(intake: Intake) -> Job | None:
    """The background work that the import waits for, or waited for last."""
    keys = [_key(kind, intake) for kind in _check_and_import()]
    return Job.objects.filter(key__in=keys).order_by("-created_at").first()


def arrival(intake: Intake) -> dict[str, int]:
    """How much has arrived, and how much there will be."""
    whole = Count("pk", filter=Q(received_bytes=F("byte_count")))
    counts = intake.files.aggregate(
        files=Count("pk"), complete=whole, bytes=Sum("byte_count"), received=Sum("received_bytes")
    )
    return {name: int(count or 0) for name, count in counts.items()}


def used_bytes(owner: User) -> int:
    """What counts against somebody's quota: recordings in own collections, and files on their way."""
    heard = Stimulus.objects.filter(item__collection__owner=owner).values("recording")
    stored = Recording.objects.filter(pk__in=heard).aggregate(total=Sum("byte_count"))["total"] or 0
    coming = IntakeFile.objects.filter(intake__in=Intake.objects.unfinished().filter(owner=owner))
    return int(stored) + int(coming.aggregate(total=Sum("byte_count"))["total"] or 0)


def quota_bytes() -> int:
    """What each person may have, stored and on the way."""
    return int(settings.UPLOAD_QUOTA_GB * GB)


def _reserve(owner: User, files: Sequence[Announced]) -> None:
    """Refuse what does not fit into the quota or onto the disk; two reservations of one person take turns."""
    User.objects.select_for_update().get(pk=owner.pk)
    needed, quota = _sum(files), quota_bytes()
    left = quota - used_bytes(owner)
    if needed > left:
        raise QuotaExceeded(needed_gb=needed / GB, left_gb=max(0, left) / GB, quota_gb=quota / GB)
    if needed > spool.free_bytes():
        raise DiskFull


def _announce(intake: Intake, files: Iterable[Announced]) -> None:
    rows = [IntakeFile(intake=intake, path=file.path, byte_count=file.byte_count) for file in files]
    IntakeFile.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)


def _enter(intake: Intake, state: Intake.State, *, actor: User | None, action: str) -> None:
    before = intake.state
    intake.state = state
    intake.save(update_fields=["state", "finished_at"])
    audit.record(actor=actor, action=action, target=intake, before={"state": before}, after={"state": state})


@transaction.atomic
def _expire(intake: Intake, *, now: datetime) -> bool:
    """A chunk that arrived in the meantime has put the end off."""
    intake = _locked(intake)
    late = intake.state in CANCELLABLE and intake.expires_at <= now
    if late:
        _give_up(intake, actor=None, action="intake.expired", now=now)
    return late


def _give_up(intake: Intake, *, actor: User | None, action: str, now: datetime) -> None:
    intake.finished_at = now
    _enter(intake, Intake.State.CANCELLED, actor=actor, action=action)
    transaction.on_commit(lambda: spool.discard(intake.pk))


def _check_and_import() -> tuple[JobKind[...], JobKind[...]]:
    """The two jobs of an import; their module imports this one."""
    from stimuli.services.imports import check_intake, import_intake

    return check_intake, import_intake


def _enqueue(kind: JobKind[...], intake: Intake, actor: User, **arguments: bool) -> None:
    enqueue(kind, key=_key(kind, intake), requested_by=actor, intake_id=str(intake.pk), **arguments)


def _key(kind: JobKind[...], intake: Intake) -> str:
    return f"{kind.name}:{intake.pk}"


def _locked(intake: Intake) -> Intake:
    return Intake.objects.select_for_update().get(pk=intake.pk)


def _sum(files: Iterable[Announced]) -> int:
    return sum(file.byte_count for file in files)
