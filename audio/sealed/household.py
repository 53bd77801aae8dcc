"""The parent's side of a nursery: one helper process per process, started when first needed, and its children."""

import atexit
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXIT_STATUS = struct.Struct("=i")
READY = b"+"
# Kernels are compiled when Earmark runs for the first time on a machine; afterwards a nursery is ready in two seconds.
START_S = 300.0
FAREWELL_S = 5.0
# What a nursery may know of the environment; passwords and keys are not among it.
KEPT = {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "XDG_CACHE_HOME"}
KEPT |= {"PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"}  # or each nursery compiles all that it imports anew
TEST_WORK = "EARMARK_TEST_SEALED_WORK"
# One thread: a process with more cannot fork safely, nor leave its network. Parallel work is parallel children.
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class Gone(Exception):
    """The nursery died; nothing is known of its children's work."""


@dataclass(frozen=True)
class Ward:
    """A child that the nursery has been asked for: a line to it, and one to the nursery about it."""

    line: socket.socket
    news: socket.socket

    def exit_code(self) -> int:
        """Wait for the child's end; a signal's number is negative, as in subprocess."""
        self.news.settimeout(FAREWELL_S)
        try:
            status = self.news.recv(EXIT_STATUS.size)
        except OSError:
            status = b""
        if len(status) != EXIT_STATUS.size:
            raise Gone
        return os.waitstatus_to_exitcode(EXIT_STATUS.unpack(status)[0])


class Household:
    """Holds the nursery of this process. Threads share it; a forked process starts its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._nursery: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._is_ready = False
        atexit.register(self.close)

    def start(self) -> None:
        with self._lock:
            self._started()

    @contextmanager
    def ward(self) -> Iterator[Ward]:
        """Have a child born. When the block is left the child's work is over, and the nursery ends it if need be."""
        line, childs_line = socket.socketpair()
        news, nurserys_news = socket.socketpair()
        with line, news:
            with childs_line, nurserys_news:
                self._request(childs_line.fileno(), nurserys_news.fileno())
            try:
                yield Ward(line, news)
            finally:
                # Shut down, not only closed: a process forked meanwhile may hold a copy of the descriptor.
                for end in (line, news):
                    with suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the nursery and its children; the next question starts another."""
        with self._lock:
            self._close()

    def forget(self) -> None:
        """Be a fresh household in a forked process: the nursery is the parent's."""
        if self._control is not None:
            self._control.close()
        if self._nursery is not None:
            self._nursery.returncode = 0  # Not ours to wait for.
        self._lock = threading.Lock()
        self._nursery = self._control = None
        self._is_ready = False

    def _request(self, *descriptors: int) -> None:
        with self._lock:
            try:
                socket.send_fds(self._ready(), [READY], descriptors)
            except OSError:  # It died since the last question.
                self._close()
                socket.send_fds(self._ready(), [READY], descriptors)

    def _ready(self) -> socket.socket:
        control = self._started()
        if not self._is_ready:
            control.settimeout(START_S)
            try:
                self._is_ready = control.recv(len(READY)) == READY
            except OSError:
                self._is_ready = False
            if not self._is_ready:
                self._close()
                raise RuntimeError("The nursery for sealed work did not start; its error output tells why.")
            control.settimeout(None)
        return control

    def _started(self) -> socket.socket:
        if self._control is not None and self._nursery is not None and self._nursery.poll() is None:
            return self._control
        self._close()
        self._control, theirs = socket.socketpair()
        with theirs:
            self._nursery = subprocess.Popen(  # noqa: S603 - a fixed command line
                [sys.executable, "-P", "-m", "audio.sealed.nursery", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=_environment(),
                cwd=ROOT,
                start_new_session=True,  # Ctrl-C ends a worker in good order; the nursery leaves when the worker does.
            )
        return self._control

    def _close(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._nursery is not None:
            try:
                self._nursery.wait(FAREWELL_S)
            except subprocess.TimeoutExpired:
                self._nursery.kill()
                self._nursery.wait()
        self._nursery = self._control = None
        self._is_ready = False


def _environment() -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if name in {*KEPT, TEST_WORK} or name.startswith("NUMBA_")
    }
    search = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**kept, **THREADS, "PYTHONPATH": search}
