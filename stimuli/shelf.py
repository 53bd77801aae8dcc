"""A bounded folder of things that can be made again: what was used least recently goes, and nothing is made twice."""

import fcntl
import hashlib
import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

# Two different things wait for each other only if their names share one of so many locks.
LOCKS = 256
# Clearing goes below the bound by this part of it, so that it is not done again for the very next thing.
ROOM = 1 / 8


class Shelf:
    """Threads and processes share a shelf through its folder alone; what is open stays readable when it is cleared."""

    def __init__(self, folder: Path, *, most_bytes: int) -> None:
        self.folder = folder
        self.most_bytes = most_bytes
        self._guard = threading.Lock()
        # Unknown at first: an earlier process may have filled the shelf.
        self._room_bytes = 0

    def take(self, key: str, make: Callable[[BinaryIO], None]) -> BinaryIO:
        """Open the thing of this name, making it first if it is not there; whoever asks meanwhile waits for it."""
        path = self._place(key)
        found = _opened(path)
        if found is not None:
            return found
        with self._locked(path.name):
            found = _opened(path)
            return found if found is not None else self._made(path, make)

    def take_bytes(self, key: str, make: Callable[[], bytes]) -> bytes:
        """The same for things small enough to be held."""
        with self.take(key, lambda target: _write(target, make())) as file:
            return file.read()

    def held_bytes(self) -> int:
        return sum(size for _, size, _ in self._things())

    def _place(self, key: str) -> Path:
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.folder / name[:2] / name

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        """Only one process makes it; the kernel lets go of the lock of a process that dies."""
        locks = self.folder / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        with (locks / f"{int(name[:8], 16) % LOCKS:03}").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _made(self, path: Path, make: Callable[[BinaryIO], None]) -> BinaryIO:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
        try:
            with scratch.open("wb") as target:
                make(target)
            self._make_room(scratch.stat().st_size)
            made = scratch.open("rb")
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)
        return made

    def _make_room(self, byte_count: int) -> None:
        """Count down what may still be added, and look at the folder only when nothing is left of it."""
        with self._guard:
            self._room_bytes -= byte_count
            if self._room_bytes >= 0:
                return
            held = self._clear(self.most_bytes - byte_count)
            # Others add to the same folder meanwhile, so only half of what is free is taken as one's own.
            self._room_bytes = max(self.most_bytes - byte_count - held, 0) // 2

    def _clear(self, most_bytes: int) -> int:
        """Remove what was not used for longest until no more than this is held; say how much that is."""
        things = sorted(self._things())
        held = sum(size for _, size, _ in things)
        if held <= most_bytes:
            return held
        wanted = most_bytes - int(self.most_bytes * ROOM)
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
    with suppress(OSError):  # it was cleared a moment ago; the open file is as good
        os.utime(path)
    return file


def _write(target: BinaryIO, content: bytes) -> None:
    target.write(content)
