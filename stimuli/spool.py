"""Where the bytes of uploads lie until they are imported: one folder an intake, one file an upload, names made here."""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from uuid import UUID

from django.conf import settings

from core import fsync
from core.fsync import flush_to_disk
from stimuli.errors.uploads import DiskFull, UploadBusy
from stimuli.holding import clear_unheld, held_folder
from stimuli.models import IntakeFile

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
SCRATCH, WORK = "folder-", "work-"


class Landing:
    """An upload's file, open to one request at a time."""

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
        """Put all of the data at the position, or refuse; the kernel may take a part and then have no room."""
        view = memoryview(data)
        with _room():
            while view:
                written = os.pwrite(self._descriptor, view, position)
                view, position = view[written:], position + written

    def flush(self) -> None:
        """Return when the bytes are on the disk."""
        with _room():
            os.fsync(self._descriptor)


@contextmanager
def claimed(upload: IntakeFile) -> Iterator[Landing]:
    """Hold the upload's file against every other request, on any process; the kernel lets go when this one dies."""
    path = path_of(upload)
    with _room():
        is_new = not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UploadBusy from None
        if is_new:  # a new name is on the disk only when its folder is
            flush_to_disk(path.parent)
            flush_to_disk(path.parent.parent)
        yield Landing(descriptor)
    finally:
        os.close(descriptor)


def path_of(upload: IntakeFile) -> Path:
    return folder_of(upload.intake_id) / str(upload.pk)


def folder_of(intake_id: UUID) -> Path:
    return Path(settings.UPLOADS_DIR) / str(intake_id)


def discard_file(upload: IntakeFile) -> None:
    path_of(upload).unlink(missing_ok=True)


def discard(intake_id: UUID) -> None:
    """Throw away everything that had arrived for an intake."""
    shutil.rmtree(folder_of(intake_id), ignore_errors=True)


def intakes_present() -> list[UUID]:
    """The intakes that have a folder here."""
    root = Path(settings.UPLOADS_DIR)
    names = [entry.name for entry in root.iterdir()] if root.is_dir() else []
    return [UUID(name) for name in names if _is_id(name)]


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for one import that has no intake of its own; it is held, so that nobody takes it for forgotten."""
    with held_folder(Path(settings.UPLOADS_DIR), prefix=SCRATCH) as folder:
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def clear_scratch(*, before: datetime) -> None:
    """Take away the folders of imports that were killed; an old one may still be at work, and then it is held."""
    for folder in Path(settings.UPLOADS_DIR).glob(f"{SCRATCH}*"):
        with suppress(FileNotFoundError):
            if folder.stat().st_mtime < before.timestamp():
                clear_unheld(folder)


@contextmanager
def work_folder(intake_id: UUID) -> Iterator[Path]:
    """A folder for one look at an intake's files, held during it; what it holds then stays until the intake ends.

    Looks that were killed, or whose outcome was never written down, have left theirs; only what is held is somebody's.
    """
    home = folder_of(intake_id)
    for left in home.glob(f"{WORK}*"):
        clear_unheld(left)
    with held_folder(home, prefix=WORK) as folder:
        yield folder


def free_bytes() -> int:
    """How much room the disk has."""
    return fsync.free_bytes(Path(settings.UPLOADS_DIR))


@contextmanager
def _room() -> Iterator[None]:
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
