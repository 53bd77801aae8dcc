"""Temporary folders that are locked while in use; the kernel releases the lock of a process that ends."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# Raised by opening or locking if another process removes the folder, has removed it, or uses it.
TAKEN = (FileNotFoundError, BlockingIOError)


@contextmanager
def locked_tempdir(home: Path, *, prefix: str) -> Iterator[Path]:
    """Make a folder and lock it while it is in use; it stays afterwards, and any process may remove it."""
    home.mkdir(parents=True, exist_ok=True)
    folder, lock = _new(home, prefix)
    try:
        yield folder
    finally:
        os.close(lock)


def remove_unlocked(folder: Path) -> None:
    """Remove a folder with its content, unless it is locked."""
    with suppress(*TAKEN):
        lock = _lock(folder)
        try:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)


def _new(home: Path, prefix: str) -> tuple[Path, int]:
    """Make and lock a folder; if it is removed before it is locked, make another."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=home))
        with suppress(*TAKEN):
            lock = _lock(folder)
            if folder.exists():
                return folder, lock
            os.close(lock)


def _lock(folder: Path) -> int:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise
    return lock
