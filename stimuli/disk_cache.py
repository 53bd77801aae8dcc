"""LRU disk cache shared between threads and processes.

It holds files that can be made again. Each is made by one process, and the least recently used ones are removed."""

import errno
import fcntl
import hashlib
import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

# Removal goes below the bound by this share of it, so that the next file does not cause another removal.
ROOM = 1 / 8
# A process adds at most this share of the bound before it lists the folder again; other processes do the same.
SHARE = 1 / 32
# A few pages reach the disk together or not at all; of more, a power cut may leave a beginning.
FLUSHED_BYTES = 2**20
NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class DiskCache:
    """Cache in one folder, which is all that its users share; an open file stays readable after it is removed."""

    def __init__(self, folder: Path, *, max_bytes: int) -> None:
        self.folder = folder
        self.max_bytes = max_bytes
        self._guard = threading.Lock()
        # Unknown at first: an earlier process may have filled the cache.
        self._unclaimed_bytes = 0

    def open_or_create(self, key: str, make: Callable[[BinaryIO], None]) -> BinaryIO:
        """Open the file of this key, creating it first if it is missing; concurrent callers wait for it."""
        path = self._place(key)
        found = _opened(path)
        if found is not None:
            return found
        with self._locked(path.name):
            found = _opened(path)
            return found if found is not None else self._made(path, make)

    def read_or_create(self, key: str, make: Callable[[], bytes]) -> bytes:
        """Return the content of a small file; if the disk is full, it is made and not stored."""
        made: list[bytes] = []

        def write(target: BinaryIO) -> None:
            if not made:
                made.append(make())
            target.write(made[0])

        try:
            with self.open_or_create(key, write) as file:
                return file.read()
        except OSError as problem:
            if problem.errno not in NO_ROOM:
                raise
            return made[0] if made else make()

    def used_bytes_on_disk(self) -> int:
        return sum(size for _, size, _ in self._things())

    def _place(self, key: str) -> Path:
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.folder / name[:2] / name

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        """Lock one key, so that only one process makes its file; the kernel releases the lock of a process that ends.

        Every key has its own lock: making a tile may require an index from the same cache, which would be a deadlock
        with one shared lock.
        """
        place = self.folder / "locks" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        lock = _held_lock(place)
        try:
            yield
        finally:
            place.unlink(missing_ok=True)
            os.close(lock)

    def _made(self, path: Path, make: Callable[[BinaryIO], None]) -> BinaryIO:
        """Make the file; if the disk is full, remove half of the cache and try once more."""
        try:
            return self._make(path, make)
        except OSError as problem:
            if problem.errno not in NO_ROOM:
                raise
        self._clear(self.used_bytes_on_disk() // 2)
        return self._make(path, make)

    def _make(self, path: Path, make: Callable[[BinaryIO], None]) -> BinaryIO:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
        with ExitStack() as stack:
            stack.callback(scratch.unlink, missing_ok=True)
            target = stack.enter_context(scratch.open("wb"))
            # Opened before it is published: another process may remove its name, but not the open file.
            made = stack.enter_context(scratch.open("rb"))
            make(target)
            target.flush()
            byte_count = os.fstat(target.fileno()).st_size
            if byte_count >= FLUSHED_BYTES:
                os.fsync(target.fileno())
            self._free_space(byte_count)
            with suppress(FileNotFoundError):
                scratch.replace(path)
            stack.pop_all()
            target.close()
        return made

    def _free_space(self, byte_count: int) -> None:
        """Count down the bytes that may still be added, and list the folder only when they are used up."""
        with self._guard:
            self._unclaimed_bytes -= byte_count
            if self._unclaimed_bytes >= 0:
                return
            held = self._clear(self.max_bytes - byte_count)
            free = max(self.max_bytes - byte_count - held, 0)
            self._unclaimed_bytes = min(free // 2, int(self.max_bytes * SHARE))

    def _clear(self, max_bytes: int) -> int:
        """Remove the least recently used files until at most max_bytes remain; return how many bytes remain."""
        things = sorted(self._things())
        held = sum(size for _, size, _ in things)
        if held <= max_bytes:
            return held
        wanted = max_bytes - int(self.max_bytes * ROOM)
        for _, size, path in things:
            if held <= wanted:
                break
            path.unlink(missing_ok=True)
            held -= size
        return held

    def _things(self) -> Iterator[tuple[float, int, Path]]:
        """Yield time of last use, size and path of each file, unfinished ones included."""
        for path in self.folder.glob("??/*"):
            with suppress(FileNotFoundError):
                facts = path.stat()
                yield facts.st_mtime, facts.st_size, path


def _opened(path: Path) -> BinaryIO | None:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    if not os.fstat(file.fileno()).st_size:  # No file is made empty: its bytes were lost in a power cut.
        file.close()
        return None
    with suppress(OSError):  # it was cleared a moment ago; the open file is as good
        os.utime(path)
    return file


def _held_lock(place: Path) -> int:
    """Take a lock file that is removed after use; one that was removed while waiting is no lock, so try again."""
    while True:
        lock = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(lock), place.stat()):
                return lock
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)
