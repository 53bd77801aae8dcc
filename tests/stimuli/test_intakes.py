"""The life of an import: announced, sealed, confirmed, cancelled, expired; and what it counts against a quota."""

import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.errors import AppError
from core.models import AuditEntry, Job
from stimuli import spool
from stimuli.announcements import Announced
from stimuli.errors import (
    CollectionNotYours,
    CollectionSlugTaken,
    DigestMissing,
    DiskFull,
    FilesRefused,
    IntakeElsewhere,
    IntakeEmpty,
    IntakeIncomplete,
    QuotaExceeded,
)
from stimuli.models import Collection, Intake, IntakeFile, Recording
from stimuli.services import intakes
from tests.factories import make_collection, make_user
from tests.stimuli.intake_material import CONTENT, SHA256, arrived, begin, new_collection, seal, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> Collection:
    return new_collection()


def test_an_import_begins_with_the_list_of_its_files(collection: Collection) -> None:
    now = timezone.now()
    intake = begin(collection, Announced("C1/b.wav", 2), Announced("C0/a.wav", 3), now=now)
    assert list(intake.files.values_list("path", "byte_count", "received_bytes")) == [
        ("C0/a.wav", 3, 0),
        ("C1/b.wav", 2, 0),
    ]
    assert (intake.state, intake.expires_at) == ("receiving", now + timedelta(days=7))
    assert AuditEntry.objects.get(action="intake.begun").after == {"files": 2, "bytes": 5}


def test_an_import_without_files_or_into_somebody_else_s_collection_does_not_begin(collection: Collection) -> None:
    with pytest.raises(IntakeEmpty):
        intakes.begin_intake(collection=collection, owner=collection.owner, files=[], now=timezone.now())
    with pytest.raises(CollectionNotYours, match=collection.owner.username):
        intakes.begin_intake(
            collection=collection, owner=make_user(), files=[Announced("a.wav", 1)], now=timezone.now()
        )
    assert not Intake.objects.exists()


def test_a_short_name_of_a_collection_is_given_once(collection: Collection) -> None:
    with pytest.raises(CollectionSlugTaken, match=collection.slug):
        intakes.open_collection(owner=make_user(), slug=collection.slug, title="Another")


def test_the_quota_counts_what_is_stored_and_what_is_announced_and_frees_what_is_given_up(settings: Settings) -> None:
    owner = make_user()
    collection = make_collection(owner, items=1, conditions=1)
    stored = Recording.objects.get().byte_count
    assert intakes.used_bytes(owner) == stored > 0
    settings.UPLOAD_QUOTA_GB = (stored + 2156) / intakes.GB
    first = begin(collection, Announced("a.wav", 2000))
    with pytest.raises(QuotaExceeded) as refusal:
        begin(collection, Announced("b.wav", 157))
    assert (refusal.value.data["needed_gb"], refusal.value.data["left_gb"]) == (157e-9, 156e-9)
    begin(collection, Announced("b.wav", 156))
    with pytest.raises(QuotaExceeded):
        intakes.add_files(intake=first, files=[Announced("c.wav", 1)], now=timezone.now())
    intakes.cancel_intake(intake=first, actor=owner, now=timezone.now())
    begin(collection, Announced("a.wav", 2000))
    begin(new_collection(), Announced("a.wav", stored + 2156))


def test_what_cannot_fit_on_the_disk_is_refused_before_hours_of_sending(
    collection: Collection, settings: Settings
) -> None:
    settings.UPLOAD_QUOTA_GB = 1e12
    with pytest.raises(DiskFull):
        begin(collection, Announced("a.wav", spool.free_bytes() + 10**12))


def test_a_list_is_sealed_when_every_byte_is_there_and_then_the_files_are_looked_at(collection: Collection) -> None:
    intake = begin(collection, Announced("C0/a.wav", len(CONTENT)), Announced("empty.txt", 0))
    with pytest.raises(IntakeIncomplete, match=r"1 of the announced files have not arrived whole, 'C0/a\.wav'"):
        seal(intake)
    send(intake.files.get(path="C0/a.wav"), CONTENT)
    empty = hashlib.sha256(b"").hexdigest()
    sealed = seal(intake, **{"C0/a.wav": SHA256.upper(), "empty.txt": empty})
    assert sealed.state == "checking"
    assert dict(intake.files.values_list("path", "claimed_sha256")) == {"C0/a.wav": SHA256, "empty.txt": empty}
    assert all(spool.path_of(file).exists() for file in intake.files.all())
    job = Job.objects.get()
    assert (job.name, job.arguments, job.requested_by) == (
        "stimuli.check_intake",
        {"intake_id": str(intake.pk)},
        intake.owner,
    )
    assert intakes.job_of(intake) == job
    with pytest.raises(AppError, match="takes no more files"):
        seal(intake)
    assert Job.objects.count() == 1


@pytest.mark.parametrize("digest", ["", "00", "z" * 64, "é" * 64])
def test_without_the_digest_of_every_file_nothing_is_sealed(collection: Collection, digest: str) -> None:
    intake = arrived(collection)
    with pytest.raises(DigestMissing, match=r"C0/a\.wav"):
        seal(intake, **{"C0/a.wav": digest})
    intake.refresh_from_db()
    assert (intake.state, Job.objects.count()) == ("receiving", 0)


def test_a_digest_that_came_with_the_last_piece_need_not_be_sent_again(collection: Collection) -> None:
    intake = begin(collection)
    send(intake.files.get(), CONTENT, sha256=SHA256)
    assert seal(intake, other="").state == "checking"


def test_only_what_was_proposed_is_imported_and_only_once(collection: Collection) -> None:
    intake = arrived(collection)
    with pytest.raises(IntakeElsewhere, match="Receiving files"):
        intakes.confirm_intake(intake=intake, actor=intake.owner)
    Intake.objects.update(state=Intake.State.PROPOSED)
    assert intakes.confirm_intake(intake=intake, actor=intake.owner).state == "importing"
    assert Job.objects.get().name == "stimuli.import_intake"
    with pytest.raises(IntakeElsewhere):
        intakes.confirm_intake(intake=intake, actor=intake.owner)
    with pytest.raises(IntakeElsewhere):
        intakes.cancel_intake(intake=intake, actor=intake.owner, now=timezone.now())


@pytest.mark.parametrize("state", ["receiving", "checking", "proposed"])
def test_an_import_that_is_cancelled_leaves_no_bytes_behind(
    collection: Collection, state: str, django_capture_on_commit_callbacks: Any
) -> None:
    intake = arrived(collection)
    Intake.objects.update(state=state)
    with django_capture_on_commit_callbacks(execute=True):
        intakes.cancel_intake(intake=intake, actor=intake.owner, now=timezone.now())
    assert not spool.folder_of(intake.pk).exists()
    assert AuditEntry.objects.get(action="intake.cancelled").before == {"state": state}
    assert IntakeFile.objects.count() == 1


def test_imports_that_nobody_goes_on_with_expire_and_others_do_not(
    collection: Collection, django_capture_on_commit_callbacks: Any
) -> None:
    now = timezone.now()
    late, fresh, importing = arrived(collection), arrived(collection), arrived(collection)
    Intake.objects.exclude(pk=fresh.pk).update(expires_at=now)
    Intake.objects.filter(pk=importing.pk).update(state=Intake.State.IMPORTING)
    with django_capture_on_commit_callbacks(execute=True):
        assert intakes.expire_intakes(now=now) == 1
    assert [spool.folder_of(intake.pk).exists() for intake in (late, fresh, importing)] == [False, True, True]
    entry = AuditEntry.objects.get(action="intake.expired")
    assert (entry.actor, entry.target) == (None, f"stimuli.intake:{late.pk}")
    assert intakes.expire_intakes(now=now) == 0


def test_folders_of_imports_that_are_over_are_cleared_away_and_nothing_else(
    collection: Collection, settings: Settings
) -> None:
    over, going = arrived(collection), arrived(collection)
    Intake.objects.filter(pk=over.pk).update(state=Intake.State.DONE)
    stranger = Path(settings.UPLOADS_DIR) / str(uuid4())
    keepsake = Path(settings.UPLOADS_DIR) / "README"
    stranger.mkdir()
    keepsake.write_text("kept")
    intakes.expire_intakes(now=timezone.now())
    assert [path.exists() for path in (spool.folder_of(over.pk), stranger)] == [False, False]
    assert [path.exists() for path in (spool.folder_of(going.pk), keepsake)] == [True, True]
    keepsake.unlink()


def test_more_files_are_announced_until_the_list_is_sealed(collection: Collection) -> None:
    intake = arrived(collection)
    again, more = Announced("C0/a.wav", len(CONTENT)), Announced("C1/a.wav", 4)
    added = intakes.add_files(intake=intake, files=[again, more], now=timezone.now())
    assert [(file.path, file.received_bytes) for file in added] == [("C0/a.wav", len(CONTENT)), ("C1/a.wav", 0)]
    with pytest.raises(FilesRefused, match="announced with 4 bytes, not 5"):
        intakes.add_files(intake=intake, files=[Announced("C1/a.wav", 5)], now=timezone.now())
    with pytest.raises(FilesRefused, match="only in capitals"):
        intakes.add_files(intake=intake, files=[Announced("c1/A.wav", 4)], now=timezone.now())
    assert intakes.arrival(intake) == {"files": 2, "complete": 1, "bytes": len(CONTENT) + 4, "received": len(CONTENT)}
    Intake.objects.update(state=Intake.State.CHECKING)
    with pytest.raises(AppError, match="takes no more files"):
        intakes.add_files(intake=intake, files=[Announced("C2/a.wav", 1)], now=timezone.now())
