"""Timers around the process's own work while sandboxed children decode: rows, files, digests, responses, the merge."""

import resource
import time

from bench.sandbox_stages import Timers
from bench.stages import CPU, REST, Rows, Stopwatch, largest_first

WAITING = "requests and responses"


class Profile:
    """Work by stage, in this process and all its children; each process can have one."""

    def __init__(self) -> None:
        self.here, self.timers = Stopwatch(), Timers()
        _wrap(self.here)
        self.begin()

    def begin(self) -> None:
        """Count from here, with a fork server that is yet to be started."""
        _end_fork_server()
        self.forget()
        self._before_s, self._children_before_s = time.process_time(), _children_s()

    def forget(self) -> None:
        """Count stages from here."""
        self.here.forget()
        self.timers.inside.forget()

    def rows(self) -> tuple[Rows, float]:
        """CPU seconds of each stage, and of the whole; ends the fork server, whose cost is known only then."""
        _end_fork_server()
        own_s, children_s = time.process_time() - self._before_s, _children_s() - self._children_before_s
        inside, here = self.timers.inside.spent()[CPU], self.here.spent()[CPU]
        rows = largest_first(inside, "in children: ")
        rows.append(("fork server: decoders and kernels loaded once", self.timers.fork_server_s))
        rows.append((f"{REST}forks, answers sent, ends of children", children_s - sum(v for _, v in rows)))
        rows += largest_first(here, "in the parent: ")
        rows.append((f"{REST}Python of the parent", own_s - sum(here.values())))
        return rows, own_s + children_s


def _end_fork_server() -> None:
    """What it took is known only when it has ended; the next request starts another."""
    from audio.sandbox.client import fork_server

    fork_server.close()


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _wrap(stopwatch: Stopwatch) -> None:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.backends.utils import CursorWrapper

    from audio.sandbox.client import ForkServerClient
    from audio.sandbox.protocol import Channel
    from stimuli import disk_cache
    from stimuli.imports import probe
    from stimuli.services import ingest, normalisation
    from stimuli.storage import Folder

    around = stopwatch.around
    around(CursorWrapper, "execute", "executemany", stage="rows read and written")
    around(BaseDatabaseWrapper, "commit", "connect", "close", stage="rows read and written")
    around(Folder, "keep_bytes", "keep_file", stage="files written and flushed")
    around(Folder, "read_range", stage="files read")
    around(disk_cache.DiskCache, "open_or_create", stage="disk cache of fine tiles")
    around(probe, "sha256_of", stage="SHA-256")
    around(normalisation, "_copy", stage="SHA-256")
    around(ingest, "_merge", stage="merge")
    around(Channel, "send", "receive", stage=WAITING)
    around(ForkServerClient, "_request", "start", stage=WAITING)
