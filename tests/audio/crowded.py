"""Work on a machine that has no room for another process at first; a fork server runs it only if a test allows it."""

import errno
import os
from typing import Any

_fork = os.fork
_failures = iter(range(3))


def _crowded_fork() -> int:
    if next(_failures, None) is not None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return _fork()


def warm_up() -> None:
    os.fork = _crowded_fork


def answer() -> dict[str, Any]:
    return {"answered": True}
