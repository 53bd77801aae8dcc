"""A bounded folder of things that can be made again: what was used least recently goes, and nothing is made twice."""

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

# Clearing goes below the bound by this part of it, so that it is not done again for the very next thing.
ROOM = 1 / 8
# A process adds so much of the bound before it looks again: the others add as much, and none of them asks first.
SHARE = 1 / 32
# A few pages reach the disk together or not at all; of more, a power cut may leave a beginning.
FLUSHED_BYTES = 2**20
NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class DiskCache:
    """Threads and processes share a shelf through its folder alone; what is open stays readable when it is cleared."""

    def __init__(self, folder: Path, *, max_bytes: int) -> None:
        self.folder = folder
        self.max_bytes = max_bytes
        self._guard = threading.Lock()
        # Unknown at first: an earlier process may have filled the shelf.
        self._room_bytes = 0

    def open_or_create(self, key: str, make: Callable[[BinaryIO], None]) -> BinaryIO:
        """Open the thing of this name, making it first if it is not there; whoever asks meanwhile waits for it."""
        path = self._place(key)
        found = _opened(path)
        if found is not None:
            return found
        with self._locked(path.name):
            found = _opened(path)
            return found if found is not None else self._made(path, make)

    def read_or_create(self, key: str, make: Callable[[], bytes]) -> bytes:
        """The same for things small enough to be held; a disk that is full is no reason to withhold them."""
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
        """Only one process makes it; the kernel lets go of the lock of a process that dies.

        Every thing has a lock of its own: making a picture may mean making an index first, and whoever waited for a
        lock that both share would wait for himself.
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
        """Make it, and once more in half the room if the disk is full: it may be full of what lies here."""
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
            # Opened before it is there for all: whoever clears the shelf may take its name, and not what is open.
            made = stack.enter_context(scratch.open("rb"))
            make(target)
            target.flush()
            byte_count = os.fstat(target.fileno()).st_size
            if byte_count >= FLUSHED_BYTES:
                os.fsync(target.fileno())
            self._make_room(byte_count)
            with suppress(FileNotFoundError):
                scratch.replace(path)
            stack.pop_all()
            target.close()
        return made

    def _make_room(self, byte_count: int) -> None:
        """Count down what may still be added, and look at the folder only when nothing is left of it."""
        with self._guard:
            self._room_bytes -= byte_count
            if self._room_bytes >= 0:
                return
            held = self._clear(self.max_bytes - byte_count)
            free = max(self.max_bytes - byte_count - held, 0)
            self._room_bytes = min(free // 2, int(self.max_bytes * SHARE))

    def _clear(self, max_bytes: int) -> int:
        """Remove what was not used for longest until no more than this is held; say how much that is."""
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
        """When each was last used, how large it is, and where it lies; unfinished ones count as well."""
        for path in self.folder.glob("??/*"):
            with suppress(FileNotFoundError):
                facts = path.stat()
                yield facts.st_mtime, facts.st_size, path


def _opened(path: Path) -> BinaryIO | None:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    if not os.fstat(file.fileno()).st_size:  # Nothing is made empty: its bytes were lost in a power cut.
        file.close()
        return None
    with suppress(OSError):  # it was cleared a moment ago; the open file is as good
        os.utime(path)
    return file


def _held_lock(place: Path) -> int:
    """Hold a lock that is removed after use: one that was removed while somebody waited for it locks nothing."""
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
