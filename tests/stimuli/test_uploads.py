"""Receipt of uploads: kept over cuts and full disks, acknowledged only when they are on the disk."""

import errno
import hashlib
import io
import os
from collections.abc import Callable
from contextlib import ExitStack

import pytest
from django.db import connection
from django.utils import timezone

from stimuli.models import Collection, Import, ImportFile
from stimuli.services import imports, uploads
from stimuli.services.uploads import Checksum
from stimuli.uploads import files as upload_files
from stimuli.uploads.files import DiskFull
from tests.errors import raises_error
from tests.people import browser_of
from tests.stimuli.import_material import CONTENT, begin, new_collection, send
from tests.stimuli.tus_client import code, head, on_disk, patch

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> Collection:
    return new_collection()


@pytest.fixture
def upload(collection: Collection) -> ImportFile:
    return begin(collection).files.get()


class Watched:
    """A body that is looked at while it is read."""

    def __init__(self, content: bytes, watch: Callable[[int], None]) -> None:
        self.inner = io.BytesIO(content)
        self.watch = watch

    def read(self, size: int, /) -> bytes:
        self.watch(size)
        return self.inner.read(size)


@pytest.mark.django_db(transaction=True)
def test_bytes_flow_in_small_reads_and_no_transaction_waits_for_them() -> None:
    import_ = begin(new_collection())
    sizes: list[int] = []

    def watch(size: int) -> None:
        sizes.append(size)
        assert not connection.in_atomic_block

    send(import_.files.get(), b"", stream=Watched(CONTENT, watch), byte_count=len(CONTENT))
    assert sizes == [64 * 1024] * 4
    upload_files.discard(import_.pk)


class Breaking:
    """A body that breaks off: at once with an error, or with an end that comes too early."""

    def __init__(self, content: bytes, error: OSError | None) -> None:
        self.inner = io.BytesIO(content)
        self.error = error

    def read(self, size: int, /) -> bytes:
        data = self.inner.read(size)
        if not data and self.error:
            raise self.error
        return data


@pytest.mark.parametrize("error", [None, ConnectionResetError(), TimeoutError()])
def test_of_a_piece_that_breaks_off_what_came_is_kept(collection: Collection, error: OSError | None) -> None:
    upload = begin(collection).files.get()
    with raises_error("upload.cut"):
        send(upload, b"", stream=Breaking(CONTENT[:100_000], error), byte_count=len(CONTENT))
    upload.refresh_from_db()
    assert upload.received_bytes == 100_000
    send(upload, CONTENT[100_000:], 100_000)
    assert upload_files.path_of(upload).read_bytes() == CONTENT


def test_of_a_piece_with_a_checksum_that_breaks_off_nothing_is_kept(collection: Collection) -> None:
    upload = begin(collection).files.get()
    checksum = Checksum("sha1", hashlib.sha1(CONTENT).digest())  # noqa: S324 - the protocol's choice
    with raises_error("upload.cut"):
        send(upload, b"", stream=Breaking(CONTENT[:100_000], None), byte_count=len(CONTENT), checksum=checksum)
    with raises_error("upload.checksum"):
        send(upload, CONTENT[::-1], checksum=checksum)
    upload.refresh_from_db()
    assert upload.received_bytes == upload_files.path_of(upload).stat().st_size == 0
    send(upload, CONTENT, checksum=checksum)
    assert upload_files.path_of(upload).read_bytes() == CONTENT


@pytest.fixture
def short_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """A disk that takes so many bytes of a file; tests/faults fills a real one."""
    room = [2**60]
    real = os.pwrite

    def pwrite(descriptor: int, data: memoryview, position: int) -> int:
        if position >= room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data[: room[0] - position], position)

    monkeypatch.setattr(os, "pwrite", pwrite)
    return lambda bytes_: room.__setitem__(0, bytes_)


@pytest.mark.parametrize("with_checksum", [False, True])
def test_a_full_disk_keeps_what_is_there_and_sending_goes_on_when_there_is_room(
    collection: Collection, short_disk: Callable[[int], None], with_checksum: bool
) -> None:
    upload = begin(collection).files.get()
    half = len(CONTENT) // 2
    send(upload, CONTENT[:half])
    short_disk(half + 70_000)
    checksum = Checksum("sha256", hashlib.sha256(CONTENT[half:]).digest()) if with_checksum else None
    with pytest.raises(DiskFull):
        send(upload, CONTENT[half:], half, checksum=checksum)
    upload.refresh_from_db()
    assert upload.received_bytes == (half if with_checksum else half + 65_536)
    short_disk(2**60)
    send(upload, CONTENT[upload.received_bytes :], upload.received_bytes)
    assert upload_files.path_of(upload).read_bytes() == CONTENT


def test_a_piece_whose_import_is_cancelled_while_it_flows_is_not_acknowledged(collection: Collection) -> None:
    import_ = begin(collection)
    upload = import_.files.get()

    def cancel(size: int) -> None:
        if Import.objects.get().state == Import.State.RECEIVING:
            imports.cancel_import(import_=import_, actor=import_.owner, now=timezone.now())

    with raises_error("upload.gone"):
        send(upload, b"", stream=Watched(CONTENT, cancel), byte_count=len(CONTENT))
    upload.refresh_from_db()
    assert upload.received_bytes == 0


def test_bytes_that_were_written_but_never_acknowledged_are_cut_off(upload: ImportFile) -> None:
    """As after a kill between the write and the commit."""
    client = browser_of(upload.parent.owner)
    patch(client, upload, CONTENT[:10_000])
    with upload_files.path_of(upload).open("ab") as file:
        file.write(b"never acknowledged")
    assert head(client, upload).headers["Upload-Offset"] == "10000"
    assert on_disk(upload) == CONTENT[:10_000]
    with upload_files.path_of(upload).open("ab") as file:
        file.write(b"again")
    assert patch(client, upload, CONTENT[10_000:], 10_000).status_code == 204
    assert on_disk(upload) == CONTENT


def test_a_file_that_lost_its_end_is_sent_again_from_where_it_ends(upload: ImportFile) -> None:
    """As after a disk that lied about its flush, or a restored backup."""
    client = browser_of(upload.parent.owner)
    patch(client, upload, CONTENT[:20])
    upload_files.path_of(upload).write_bytes(CONTENT[:7])
    assert head(client, upload).headers["Upload-Offset"] == "7"
    assert patch(client, upload, CONTENT[7:], 7).status_code == 204
    assert on_disk(upload) == CONTENT


def test_while_one_request_holds_the_file_others_are_told_to_come_back(
    upload: ImportFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "LOCK_WAIT_S", 0)
    client = browser_of(upload.parent.owner)
    patch(client, upload, CONTENT[:10_000])
    with upload_files.locked(upload):
        answer = patch(client, upload, CONTENT[10_000:], 10_000)
        assert code(answer) == (423, "upload.busy")
        assert int(answer.headers["Retry-After"]) > 0
        assert head(client, upload).status_code == 423
    assert patch(client, upload, CONTENT[10_000:], 10_000).status_code == 204


def test_a_piece_waits_for_the_request_before_it_to_notice_that_it_was_cut(
    upload: ImportFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser_of(upload.parent.owner)
    pauses: list[float] = []
    with ExitStack() as held:

        def pause(duration_s: float) -> None:
            pauses.append(duration_s)
            if len(pauses) == 3:
                held.close()

        monkeypatch.setattr(upload_files, "sleep", pause)
        held.enter_context(upload_files.locked(upload))
        assert patch(client, upload, CONTENT).status_code == 204
    assert len(pauses) == 3
    assert on_disk(upload) == CONTENT
