"""File storage of recordings and derived files, in a folder or in an S3-compatible store, under the same names."""

import os
import secrets
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.storage import default_storage

from core.fsync import flush_to_disk
from stimuli.disk_cache import DiskCache

BLOCK_BYTES = 256 * 1024
# Half-written files lie in a folder of their own, under names that nothing refers to.
SCRATCH = ".scratch"
# What was fetched from a store to be decoded: room for a few days of sound beside each other.
FETCHED_BYTES = 32 * 2**30


class Store(ABC):
    """What the two kinds of storage can do; a name that is not there is a FileNotFoundError in both."""

    @abstractmethod
    def keep_bytes(self, name: str, content: bytes) -> None: ...

    @abstractmethod
    def keep_file(self, name: str, source: Path, *, linked: bool) -> None: ...

    @abstractmethod
    def read_range(self, name: str, start: int, count: int) -> bytes: ...

    @abstractmethod
    def byte_count(self, name: str) -> int: ...

    @abstractmethod
    def remove(self, name: str) -> None: ...

    @abstractmethod
    def local_file(self, name: str) -> BinaryIO: ...

    @abstractmethod
    def clear_scratch(self, *, before: datetime) -> None: ...

    def exists(self, name: str) -> bool:
        try:
            self.byte_count(name)
        except FileNotFoundError:
            return False
        return True


class Folder(Store):
    """Files on this machine's disk: whole under their name, or not there at all."""

    def keep_bytes(self, name: str, content: bytes) -> None:
        with self._scratch(name) as scratch, scratch.open("xb") as target:
            target.write(content)

    def keep_file(self, name: str, source: Path, *, linked: bool) -> None:
        with self._scratch(name) as scratch:
            if linked:
                with suppress(OSError):  # another disk, or one that knows no links
                    os.link(source, scratch)
                    return
            shutil.copyfile(source, scratch)

    def read_range(self, name: str, start: int, count: int) -> bytes:
        with self._path(name).open("rb") as file:
            return os.pread(file.fileno(), count, start)

    def byte_count(self, name: str) -> int:
        return self._path(name).stat().st_size

    def remove(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def local_file(self, name: str) -> BinaryIO:
        return self._path(name).open("rb")

    def _path(self, name: str) -> Path:
        return Path(default_storage.path(name))

    def clear_scratch(self, *, before: datetime) -> None:
        for path in self._path(SCRATCH).glob("*"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < before.timestamp():
                    path.unlink()

    @contextmanager
    def _scratch(self, name: str) -> Iterator[Path]:
        """A name to write to; the real name appears when the bytes are on the disk."""
        path, home = self._path(name), self._path(SCRATCH)
        for folder in (path.parent, home):
            folder.mkdir(parents=True, exist_ok=True)
        scratch = home / secrets.token_hex(16)
        try:
            yield scratch
            scratch.chmod(settings.FILE_UPLOAD_PERMISSIONS)  # a link has the mode of the upload
            flush_to_disk(scratch)
            scratch.replace(path)
            flush_to_disk(path.parent)
        finally:
            scratch.unlink(missing_ok=True)


class Bucket(Store):
    """Objects in an S3-compatible store, which shows an object only when it is whole."""

    def keep_bytes(self, name: str, content: bytes) -> None:
        self._object(name).put(Body=content)

    def keep_file(self, name: str, source: Path, *, linked: bool) -> None:
        self._object(name).upload_file(str(source))

    def read_range(self, name: str, start: int, count: int) -> bytes:
        if count <= 0:
            return b""
        try:
            with _plain_errors(name):
                content: bytes = self._object(name).get(Range=f"bytes={start}-{start + count - 1}")["Body"].read()
        except EOFError:
            return b""
        return content

    def byte_count(self, name: str) -> int:
        with _plain_errors(name):
            return int(self._object(name).content_length)

    def remove(self, name: str) -> None:
        default_storage.delete(name)

    def local_file(self, name: str) -> BinaryIO:
        """Decoders seek, so they get a copy on this machine's disk, which stays in a cache."""
        with _plain_errors(name):
            return fetched().open_or_create(name, self._object(name).download_fileobj)

    def clear_scratch(self, *, before: datetime) -> None:
        """A store forgets unfinished uploads by rules of its own."""

    def _object(self, name: str) -> Any:
        return default_storage.bucket.Object(name)  # type: ignore[attr-defined]


@contextmanager
def _plain_errors(name: str) -> Iterator[None]:
    """Raise the exceptions that the file system would raise."""
    from botocore.exceptions import ClientError  # type: ignore[import-untyped]

    try:
        yield
    except ClientError as problem:
        status = problem.response["ResponseMetadata"]["HTTPStatusCode"]
        if status == HTTPStatus.NOT_FOUND:
            raise FileNotFoundError(name) from problem
        if status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise EOFError(name) from problem
        raise


def fetched() -> DiskCache:
    return _cache_in(Path(settings.DATA_DIR) / "fetched")


@cache
def _cache_in(folder: Path) -> DiskCache:
    return DiskCache(folder, max_bytes=FETCHED_BYTES)


def store() -> Store:
    return Bucket() if hasattr(default_storage, "bucket") else Folder()


def in_folder() -> bool:
    """Whether another program on this machine could send the files itself."""
    return isinstance(store(), Folder)


def keep(name: str, content: bytes | Path, *, linked: bool = False) -> None:
    """Put bytes or a whole file under a name, replacing an earlier file; a partial file is never visible.

    With `linked` a file may be shared with its old place instead of copied: only for files that are never changed.
    """
    if isinstance(content, Path):
        store().keep_file(name, content, linked=linked)
    else:
        store().keep_bytes(name, content)


def read_range(name: str, start: int, count: int) -> bytes:
    """Read count bytes from start; fewer at the end of the file."""
    return store().read_range(name, start, count)


def blocks(name: str, start: int, stop: int) -> Iterator[bytes]:
    """The bytes from start to stop in pieces, so that no process holds a whole file."""
    kept = store()
    for position in range(start, stop, BLOCK_BYTES):
        yield kept.read_range(name, position, min(BLOCK_BYTES, stop - position))


@contextmanager
def local_file(name: str) -> Iterator[BinaryIO]:
    """A seekable file with a descriptor, as a child process needs it."""
    with store().local_file(name) as file:
        yield file


def byte_count(name: str) -> int:
    return store().byte_count(name)


def exists(name: str) -> bool:
    return store().exists(name)


def remove(name: str) -> None:
    """Remove the file, if it exists."""
    store().remove(name)


def clear_scratch(*, before: datetime) -> None:
    """Remove unfinished files that were begun before then."""
    store().clear_scratch(before=before)
