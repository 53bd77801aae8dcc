"""Folders that show whether somebody is at work in them: whoever is holds one, and the kernel lets go of the dead's."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# What opening or locking says if somebody else clears the folder away, has done so, or works in it.
TAKEN = (FileNotFoundError, BlockingIOError)


@contextmanager
def locked_tempdir(home: Path, *, prefix: str) -> Iterator[Path]:
    """A new folder, held while it is in use; it stays afterwards, and is then anybody's to clear away."""
    home.mkdir(parents=True, exist_ok=True)
    folder, lock = _new(home, prefix)
    try:
        yield folder
    finally:
        os.close(lock)


def remove_unlocked(folder: Path) -> None:
    """Take away a folder and all that is in it, unless somebody holds it."""
    with suppress(*TAKEN):
        lock = _hold(folder)
        try:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)


def _new(home: Path, prefix: str) -> tuple[Path, int]:
    """Somebody who clears up may come between the making of a folder and the holding; then there is another one."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=home))
        with suppress(*TAKEN):
            lock = _hold(folder)
            if folder.exists():
                return folder, lock
            os.close(lock)


def _hold(folder: Path) -> int:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise
    return lock
