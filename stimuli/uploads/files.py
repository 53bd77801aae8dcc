"""Files of uploads on the disk until they are imported: one folder per import, one file per upload."""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext_noop as _

from core import fsync
from core.errors import AppError
from core.fsync import flush_to_disk
from stimuli.locked_tempdir import locked_tempdir, remove_unlocked
from stimuli.models import ImportFile

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
LOCK_EVERY_S = 0.02
SCRATCH, WORK = "folder-", "work-"


class PartialFile:
    """Partial file of an upload, open to one request at a time."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @property
    def length(self) -> int:
        return os.fstat(self._descriptor).st_size

    def cut(self, length: int) -> None:
        """Throw away what lies beyond: bytes of a request that was never answered, or that failed its checksum."""
        if self.length > length:
            os.ftruncate(self._descriptor, length)

    def write(self, data: bytes, position: int) -> None:
        """Put all of the data at the position, or reject; the kernel may take a part and then have no room."""
        view = memoryview(data)
        with _translate_enospc():
            while view:
                written = os.pwrite(self._descriptor, view, position)
                view, position = view[written:], position + written

    def flush(self) -> None:
        """Return when the bytes are on the disk."""
        with _translate_enospc():
            os.fsync(self._descriptor)


@contextmanager
def locked(upload: ImportFile, *, wait_s: float = 0) -> Iterator[PartialFile]:
    """Lock the upload's file against all other requests and processes; the kernel releases it if this one ends."""
    path = path_of(upload)
    with _translate_enospc():
        is_new = not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = monotonic() + wait_s
        while not _lock(descriptor):
            if monotonic() >= deadline:
                raise AppError(
                    "upload.busy",
                    423,
                    _("Another request is sending this file at the moment; try again in a few seconds."),
                )
            sleep(LOCK_EVERY_S)
        if is_new:  # a new name is on the disk only when its folder is
            flush_to_disk(path.parent)
            flush_to_disk(path.parent.parent)
        yield PartialFile(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def path_of(upload: ImportFile) -> Path:
    return folder_of(upload.parent_id) / str(upload.pk)


def folder_of(import_id: UUID) -> Path:
    return Path(settings.UPLOADS_DIR) / str(import_id)


def discard_file(upload: ImportFile) -> None:
    path_of(upload).unlink(missing_ok=True)


def discard_places(places: Iterable[Path]) -> None:
    """Delete files whose rows are gone."""
    for place in places:
        place.unlink(missing_ok=True)


def discard(import_id: UUID) -> None:
    """Delete all files of an import."""
    shutil.rmtree(folder_of(import_id), ignore_errors=True)


def imports_present() -> list[UUID]:
    """The imports that have a folder here."""
    root = Path(settings.UPLOADS_DIR)
    names = [entry.name for entry in root.iterdir()] if root.is_dir() else []
    return [UUID(name) for name in names if _is_id(name)]


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A locked temporary folder for an import of a folder, which has no uploads."""
    with locked_tempdir(Path(settings.UPLOADS_DIR), prefix=SCRATCH) as folder:
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def clear_scratch(*, before: datetime) -> None:
    """Remove the folders of killed imports; one that is still in use is locked."""
    for folder in Path(settings.UPLOADS_DIR).glob(f"{SCRATCH}*"):
        with suppress(FileNotFoundError):
            if folder.stat().st_mtime < before.timestamp():
                remove_unlocked(folder)


@contextmanager
def work_folder(import_id: UUID) -> Iterator[Path]:
    """A temporary folder for one check of an import, locked during it; its files stay until the import ends.

    Folders that killed checks have left are removed: they are not locked.
    """
    home = folder_of(import_id)
    for left in home.glob(f"{WORK}*"):
        remove_unlocked(left)
    with locked_tempdir(home, prefix=WORK) as folder:
        yield folder


def free_bytes() -> int:
    """How much room the disk has."""
    return fsync.free_bytes(Path(settings.UPLOADS_DIR))


class DiskFull(AppError):
    """No room for an upload; what has arrived is kept."""

    def __init__(self) -> None:
        super().__init__(
            "upload.disk_full",
            507,
            _("The server's disk is full. What has arrived is kept; sending goes on once there is room."),
        )


@contextmanager
def _translate_enospc() -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        if problem.errno in NO_ROOM:
            raise DiskFull from problem
        raise


def _is_id(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False
