"""States of an import: declared, submitted, confirmed, cancelled, expired; and its share of the quota."""

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
from stimuli.models import Collection, Import, ImportFile, Recording
from stimuli.services import imports
from stimuli.services.collections import open_collection
from stimuli.uploads import files as upload_files
from stimuli.uploads.files import DiskFull
from stimuli.uploads.manifest import DeclaredFile
from tests.errors import raises_error
from tests.factories import make_collection, make_user
from tests.stimuli.import_material import CONTENT, SHA256, arrived, begin, new_collection, send, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> Collection:
    return new_collection()


def test_an_import_begins_with_the_list_of_its_files(collection: Collection) -> None:
    now = timezone.now()
    import_ = begin(collection, DeclaredFile("C1/b.wav", 2), DeclaredFile("C0/a.wav", 3), now=now)
    assert list(import_.files.values_list("path", "byte_count", "received_bytes")) == [
        ("C0/a.wav", 3, 0),
        ("C1/b.wav", 2, 0),
    ]
    assert (import_.state, import_.expires_at) == ("receiving", now + timedelta(days=7))
    assert AuditEntry.objects.get(action="import.begun").after == {"files": 2, "bytes": 5}


def test_an_import_without_files_or_into_another_person_s_collection_does_not_begin(collection: Collection) -> None:
    with raises_error("import.empty"):
        imports.begin_import(collection=collection, owner=collection.owner, files=[], now=timezone.now())
    with raises_error("collection.not_yours", match=collection.owner.username):
        imports.begin_import(
            collection=collection, owner=make_user(), files=[DeclaredFile("a.wav", 1)], now=timezone.now()
        )
    assert not Import.objects.exists()


def test_a_short_name_of_a_collection_is_given_once(collection: Collection) -> None:
    with raises_error("collection.slug_taken", match=collection.slug):
        open_collection(owner=make_user(), slug=collection.slug, title="Another")


def test_the_quota_counts_what_is_stored_and_what_is_announced_and_frees_what_is_given_up(settings: Settings) -> None:
    owner = make_user()
    collection = make_collection(owner, items=1, conditions=1)
    stored = Recording.objects.get().byte_count
    assert imports.used_bytes(owner) == stored > 0
    settings.UPLOAD_QUOTA_GB = (stored + 2156) / imports.GB
    first = begin(collection, DeclaredFile("a.wav", 2000))
    with raises_error("upload.quota") as error:
        begin(collection, DeclaredFile("b.wav", 157))
    assert (error.value.data["needed_gb"], error.value.data["left_gb"]) == (157e-9, 156e-9)
    begin(collection, DeclaredFile("b.wav", 156))
    with raises_error("upload.quota"):
        imports.add_files(import_=first, files=[DeclaredFile("c.wav", 1)], now=timezone.now())
    imports.cancel_import(import_=first, actor=owner, now=timezone.now())
    begin(collection, DeclaredFile("a.wav", 2000))
    begin(new_collection(), DeclaredFile("a.wav", stored + 2156))


def test_what_cannot_fit_on_the_disk_is_rejected_before_hours_of_sending(
    collection: Collection, settings: Settings
) -> None:
    settings.UPLOAD_QUOTA_GB = 1e12
    with pytest.raises(DiskFull):
        begin(collection, DeclaredFile("a.wav", upload_files.free_bytes() + 10**12))


def test_an_import_is_submitted_when_every_byte_has_arrived_and_then_checked(collection: Collection) -> None:
    import_ = begin(collection, DeclaredFile("C0/a.wav", len(CONTENT)), DeclaredFile("empty.txt", 0))
    with raises_error("import.incomplete", match=r"1 of the announced files have not arrived whole, 'C0/a\.wav'"):
        submit(import_)
    send(import_.files.get(path="C0/a.wav"), CONTENT)
    empty = hashlib.sha256(b"").hexdigest()
    submitted = submit(import_, **{"C0/a.wav": SHA256.upper(), "empty.txt": empty})
    assert submitted.state == "checking"
    assert dict(import_.files.values_list("path", "claimed_sha256")) == {"C0/a.wav": SHA256, "empty.txt": empty}
    assert all(upload_files.path_of(file).exists() for file in import_.files.all())
    job = Job.objects.get()
    assert (job.name, job.arguments, job.requested_by) == (
        "stimuli.check_import",
        {"import_id": str(import_.pk)},
        import_.owner,
    )
    assert imports.job_of(import_) == job
    with pytest.raises(AppError, match="takes no more files"):
        submit(import_)
    assert Job.objects.count() == 1


@pytest.mark.parametrize("digest", ["", "00", "z" * 64, "é" * 64])
def test_an_import_is_not_submitted_without_the_digest_of_every_file(collection: Collection, digest: str) -> None:
    import_ = arrived(collection)
    with raises_error("import.digest_missing", match=r"C0/a\.wav"):
        submit(import_, **{"C0/a.wav": digest})
    import_.refresh_from_db()
    assert (import_.state, Job.objects.count()) == ("receiving", 0)


def test_a_digest_that_came_with_the_last_piece_need_not_be_sent_again(collection: Collection) -> None:
    import_ = begin(collection)
    send(import_.files.get(), CONTENT, sha256=SHA256)
    assert submit(import_, other="").state == "checking"


def test_only_what_was_proposed_is_imported_and_only_once(collection: Collection) -> None:
    import_ = arrived(collection)
    with raises_error("import.wrong_state", match="Receiving files"):
        imports.confirm_import(import_=import_, actor=import_.owner)
    Import.objects.update(state=Import.State.PROPOSED)
    assert imports.confirm_import(import_=import_, actor=import_.owner).state == "importing"
    assert Job.objects.get().name == "stimuli.commit_confirmed_import"
    with raises_error("import.wrong_state"):
        imports.confirm_import(import_=import_, actor=import_.owner)
    with raises_error("import.wrong_state"):
        imports.cancel_import(import_=import_, actor=import_.owner, now=timezone.now())


@pytest.mark.parametrize("state", ["receiving", "checking", "errors", "proposed"])
def test_an_import_that_is_cancelled_leaves_no_bytes_behind(
    collection: Collection, state: str, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = arrived(collection)
    Import.objects.update(state=state)
    with django_capture_on_commit_callbacks(execute=True):
        imports.cancel_import(import_=import_, actor=import_.owner, now=timezone.now())
    assert not upload_files.folder_of(import_.pk).exists()
    assert AuditEntry.objects.get(action="import.cancelled").before == {"state": state}
    assert ImportFile.objects.count() == 1


def test_imports_that_nobody_goes_on_with_expire_and_others_do_not(
    collection: Collection, django_capture_on_commit_callbacks: Any
) -> None:
    now = timezone.now()
    late, fresh, importing = arrived(collection), arrived(collection), arrived(collection)
    Import.objects.exclude(pk=fresh.pk).update(expires_at=now)
    Import.objects.filter(pk=importing.pk).update(state=Import.State.IMPORTING)
    with django_capture_on_commit_callbacks(execute=True):
        assert imports.expire_imports(now=now) == 1
    assert [upload_files.folder_of(import_.pk).exists() for import_ in (late, fresh, importing)] == [False, True, True]
    entry = AuditEntry.objects.get(action="import.expired")
    assert (entry.actor, entry.target) == (None, f"stimuli.import:{late.pk}")
    assert imports.expire_imports(now=now) == 0


def test_folders_of_finished_imports_are_removed_and_nothing_else(collection: Collection, settings: Settings) -> None:
    over, going = arrived(collection), arrived(collection)
    Import.objects.filter(pk=over.pk).update(state=Import.State.DONE)
    stranger = Path(settings.UPLOADS_DIR) / str(uuid4())
    keepsake = Path(settings.UPLOADS_DIR) / "README"
    stranger.mkdir()
    keepsake.write_text("kept")
    imports.expire_imports(now=timezone.now())
    assert [path.exists() for path in (upload_files.folder_of(over.pk), stranger)] == [False, False]
    assert [path.exists() for path in (upload_files.folder_of(going.pk), keepsake)] == [True, True]
    keepsake.unlink()


def test_more_files_are_declared_until_the_import_is_submitted(collection: Collection) -> None:
    import_ = arrived(collection)
    again, more = DeclaredFile("C0/a.wav", len(CONTENT)), DeclaredFile("C1/a.wav", 4)
    added = imports.add_files(import_=import_, files=[again, more], now=timezone.now())
    assert [(file.path, file.received_bytes) for file in added] == [("C0/a.wav", len(CONTENT)), ("C1/a.wav", 0)]
    with raises_error("upload.files_refused", match="announced with 4 bytes, not 5"):
        imports.add_files(import_=import_, files=[DeclaredFile("C1/a.wav", 5)], now=timezone.now())
    with raises_error("upload.files_refused", match="only in capitals"):
        imports.add_files(import_=import_, files=[DeclaredFile("c1/A.wav", 4)], now=timezone.now())
    assert imports.arrival(import_) == {"files": 2, "complete": 1, "bytes": len(CONTENT) + 4, "received": len(CONTENT)}
    Import.objects.update(state=Import.State.CHECKING)
    with pytest.raises(AppError, match="takes no more files"):
        imports.add_files(import_=import_, files=[DeclaredFile("C2/a.wav", 1)], now=timezone.now())
