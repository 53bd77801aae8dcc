"""Fork server for sandboxed decoders: loads them once and forks a confined child for every request."""

import fcntl
import gc
import importlib
import inspect
import io
import json
import os
import select
import selectors
import signal
import socket
import sys
import time
import traceback
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from audio.sandbox import limits
from audio.sandbox.client import EXIT_STATUS, READY, AllowedWork, Limits, Outcome
from audio.sandbox.protocol import Channel, Message

REQUEST_BYTES = 2**30
WARMUP = "audio.sandbox.warmup"
KERNEL_CACHE = Path(__file__).parents[1] / "__pycache__"  # where numba keeps those of this package, if it may
TRACE_CHARACTERS = 8000
KEEP_OPEN = 3  # the standard streams, which lead nowhere
# Between attempts to fork where the machine has no room for another process; those that end meanwhile make some.
FORK_PAUSES_S = (0.05, 0.1, 0.2, 0.4, 0.8)


def main(control: socket.socket, allowed: AllowedWork) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # It ends when its parent does. Asked to stop with all others, it still serves work that is being finished.
        signal.signal(number, signal.SIG_IGN)
    with _ending_with_parent(control), compiling_once(KERNEL_CACHE, allowed.preloaded):
        load(*allowed.preloaded)
    allowed.error_classes()
    _silence_stderr()
    limits.limit_descriptors()
    limits.leave_network()
    limits.seccomp_filter()
    gc.collect()
    gc.freeze()  # Otherwise the first collection of every child would copy all pages.
    ForkServer(control, allowed).serve()


@contextmanager
def _ending_with_parent(control: socket.socket) -> Iterator[None]:
    """Have the kernel end this process when its parent closes the control socket: kernels may be compiled for minutes.

    A signal for input on a socket (SIGIO) ends a process that does not handle it; a parent sends nothing before READY.
    """
    fcntl.fcntl(control, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(control, fcntl.F_GETFL)
    fcntl.fcntl(control, fcntl.F_SETFL, flags | os.O_ASYNC)
    if select.select([control], [], [], 0)[0]:
        sys.exit()  # closed before the signal was asked for
    yield
    fcntl.fcntl(control, fcntl.F_SETFL, flags)


@contextmanager
def compiling_once(folder: Path, modules: Sequence[str]) -> Iterator[None]:
    """Let one process load these modules for the first time while others wait, and then find its kernels on disk.

    Compiling takes half a minute, and the web processes and the worker of a new installation begin at the same time.
    """
    try:
        folder.mkdir(exist_ok=True)
        mark = (folder / f"loaded-{zlib.crc32(' '.join(modules).encode()):08x}").open("ab")
    except OSError:  # Kernels are then kept elsewhere, or not at all.
        yield
        return
    with mark:
        if not mark.tell():
            fcntl.flock(mark, fcntl.LOCK_EX)
        yield
        if not os.fstat(mark.fileno()).st_size:
            mark.write(b"+")


_loaded: set[str] = set()


def load(*modules: str) -> None:
    """Import modules and call their `warm_up`: a confined child cannot load anything any more."""
    fresh = [module for module in modules if module not in _loaded]
    for module in fresh:
        _loaded.add(module)
        if warm_up := getattr(importlib.import_module(module), "warm_up", None):
            warm_up()
    if fresh and "numba" in sys.modules:
        importlib.import_module(WARMUP).stop_caching_kernels()


def _silence_stderr() -> None:
    """Decoders complain on the error stream about every broken file, without saying which."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 2)
    os.close(nowhere)


class ForkServer:
    """Forks children, reaps them, and kills those whose parent has closed the connection."""

    def __init__(self, control: socket.socket, allowed: AllowedWork) -> None:
        self._control = control
        self._allowed = allowed
        self._status: dict[int, socket.socket] = {}  # by child
        self._selector = selectors.PollSelector()

    def serve(self) -> None:
        """Work until the control socket is closed, which also happens when the parent ends."""
        wakeup = _wakeup_socket(signal.SIGCHLD)
        self._selector.register(self._control, selectors.EVENT_READ)
        self._selector.register(wakeup, selectors.EVENT_READ)
        self._control.sendall(READY)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is wakeup:
                    wakeup.recv(4096)
                    self._reap()
                elif key.fileobj is not self._control:
                    self._kill(key.data)
                elif not self._accept():
                    return

    def _accept(self) -> bool:
        asked, descriptors, _, _ = socket.recv_fds(self._control, 1, 2)
        if not asked:
            return False
        connection, status = (socket.socket(fileno=number) for number in descriptors)
        with connection:
            parent = os.getpid()
            child = self._fork()
            if child is None:  # The client sees a closed connection, and asks once more before it gives up.
                status.close()
                return True
            if not child:
                _run_child(connection.detach(), self._allowed, parent=parent)
        self._status[child] = status
        self._selector.register(status, selectors.EVENT_READ, data=child)
        return True

    def _fork(self) -> int | None:
        for pause_s in FORK_PAUSES_S:
            with suppress(OSError):
                return os.fork()
            time.sleep(pause_s)
            self._reap()
        return None

    def _reap(self) -> None:
        while self._status:
            child, exit_status = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            status = self._status.pop(child)
            with suppress(KeyError):
                self._selector.unregister(status)
            with status, suppress(OSError):
                status.sendall(EXIT_STATUS.pack(exit_status))

    def _kill(self, child: int) -> None:
        """The client has closed the connection: it has its response, or will not wait any longer."""
        if child in self._status:  # Otherwise it was reaped a moment ago, and its number may belong to another process.
            self._selector.unregister(self._status[child])
            os.kill(child, signal.SIGKILL)


def _wakeup_socket(number: signal.Signals) -> socket.socket:
    """Return a socket that becomes readable when a signal arrives."""
    readable, written = socket.socketpair()
    readable.setblocking(False)
    written.setblocking(False)
    signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(written.detach())
    return readable


# --- Child ------------------------------------------------------------------------------------------------------------


def _run_child(descriptor: int, allowed: AllowedWork, *, parent: int) -> NoReturn:
    code = 1
    try:
        limits.die_with_parent(parent)
        signal.set_wakeup_fd(-1)
        os.closerange(KEEP_OPEN, descriptor)
        os.closerange(descriptor + 1, limits.MOST_DESCRIPTORS)
        with socket.socket(fileno=descriptor) as connection:
            _respond(Channel(connection), allowed)
        code = 0
    finally:
        os._exit(code)


def _respond(channel: Channel, allowed: AllowedWork) -> None:
    request = channel.receive(most_bytes=REQUEST_BYTES)
    try:
        _send_outcome(channel, request, allowed)
    except Exception as problem:
        trace = traceback.format_exc()[-TRACE_CHARACTERS:]
        channel.send({"crash": trace, "problem": type(problem).__name__})


def _send_outcome(channel: Channel, request: Message, allowed: AllowedWork) -> None:
    try:
        outcome = _work(request, allowed)
    except tuple(allowed.error_classes().values()) as error:
        channel.send({"error": {"kind": type(error).__name__, "data": vars(error)["data"]}})
    except MemoryError:
        channel.send({"limit": "memory"})
    else:
        channel.send({"facts": outcome.facts}, blobs=outcome.blobs)


def _work(request: Message, allowed: AllowedWork) -> Outcome:
    files = [_reader(descriptor) for descriptor in request.descriptors]
    function = _function(request.head["work"], allowed)
    arguments = request.head["arguments"]
    if "name" in inspect.signature(function).parameters:
        arguments["name"] = request.head["name"]
    most = Limits(**request.head["limits"])
    limits.set_limits(cpu_s=most.cpu_s, memory_bytes=most.memory_bytes)
    limits.install_filter()
    found = function(*files, **request.blobs, **arguments)
    return found if isinstance(found, Outcome) else Outcome(found)


def _function(work: str, allowed: AllowedWork) -> Callable[..., Outcome | dict[str, Any]]:
    if not allowed.allows(work):
        raise ValueError(f"{work} is not work for the sandbox.")
    module, _, name = work.partition(":")
    load(module)
    return cast(Callable[..., Outcome | dict[str, Any]], getattr(sys.modules[module], name))


class _DescriptorReader(io.RawIOBase):
    """Reads a descriptor at positions of its own; the position that belongs to the descriptor is the parent's."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._size = os.fstat(number).st_size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise ValueError("A position before the beginning of a file.")
        self._position = start + offset
        return self._position

    def readinto(self, target: Any) -> int:
        got = os.preadv(self._number, [target], self._position)
        self._position += got
        return got


def _reader(descriptor: int) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_DescriptorReader(descriptor), 2**16))


if __name__ == "__main__":
    names = {field: tuple(modules) for field, modules in json.loads(sys.argv[2]).items()}
    main(socket.socket(fileno=int(sys.argv[1])), AllowedWork(**names))
