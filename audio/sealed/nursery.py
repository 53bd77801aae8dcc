"""A helper process that has loaded the decoders once and forks a sealed child for every question it is asked."""

import gc
import importlib
import inspect
import io
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, NoReturn, cast

from audio.sealed import confinement
from audio.sealed.asking import Limits, Outcome, is_work, named_by_tests
from audio.sealed.household import EXIT_STATUS, READY
from audio.sealed.wire import Line, Message
from core.errors import AppError

QUESTION_BYTES = 2**30
# Named, not imported: whoever asks this module for a name need not load the decoders. Work in other modules is done
# as well, but each child then has to load them for itself.
PRELOADED = (
    "audio.judging.files",
    "audio.drawing.chunks",
    "audio.slicing.cutting",
    "audio.clips.levelling",
    "audio.slicing.masters",
    "audio.drawing.peaks",
    "audio.clips.plainclips",
    "audio.clips.serving",
    "audio.measuring.stretches",
    "audio.drawing.rendering",
    "stimuli.intake.gaps",
    "stimuli.intake.sheets",
)
REHEARSAL = "audio.sealed.rehearsal"
TRACE_CHARACTERS = 8000
KEEP_OPEN = 3  # the standard streams, which lead nowhere
# Between attempts to fork where the machine has no room for another process; those that end meanwhile make some.
PAUSES_S = (0.05, 0.1, 0.2, 0.4, 0.8)


def main(control: socket.socket) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # It leaves when its parent does. Asked to stop with all others, it still serves what is being finished.
        signal.signal(number, signal.SIG_IGN)
    load(*(named_by_tests() or PRELOADED))
    _go_quiet()
    confinement.bound_descriptors()
    confinement.leave_network()
    confinement.own_filter()
    gc.collect()
    gc.freeze()  # Otherwise the first collection of every child would copy all pages.
    Nursery(control).serve()


_warm: set[str] = set()


def load(*modules: str) -> None:
    """Import modules and have them load all they will need; a sealed child cannot load anything any more."""
    fresh = [module for module in modules if module not in _warm]
    for module in fresh:
        _warm.add(module)
        if warm_up := getattr(importlib.import_module(module), "warm_up", None):
            warm_up()
    if fresh and "numba" in sys.modules:
        importlib.import_module(REHEARSAL).settle_kernels()


def _go_quiet() -> None:
    """Decoders complain on the error stream about every broken file; nobody would know which."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 2)
    os.close(nowhere)


class Nursery:
    """Forks children, reaps them, and ends those whose parent has lost interest."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._news: dict[int, socket.socket] = {}  # by child
        self._selector = selectors.PollSelector()

    def serve(self) -> None:
        """Work until the control line is closed, which also happens when the parent dies."""
        woken = _wake_on(signal.SIGCHLD)
        self._selector.register(self._control, selectors.EVENT_READ)
        self._selector.register(woken, selectors.EVENT_READ)
        self._control.sendall(READY)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is woken:
                    woken.recv(4096)
                    self._reap()
                elif key.fileobj is not self._control:
                    self._end(key.data)
                elif not self._admit():
                    return

    def _admit(self) -> bool:
        asked, descriptors, _, _ = socket.recv_fds(self._control, 1, 2)
        if not asked:
            return False
        line, news = (socket.socket(fileno=number) for number in descriptors)
        with line:
            me = os.getpid()
            child = self._fork()
            if child is None:  # The parent hears nothing, and asks once more before it gives up.
                news.close()
                return True
            if not child:
                _live(line.detach(), parent=me)
        self._news[child] = news
        self._selector.register(news, selectors.EVENT_READ, data=child)
        return True

    def _fork(self) -> int | None:
        for pause_s in PAUSES_S:
            with suppress(OSError):
                return os.fork()
            time.sleep(pause_s)
            self._reap()
        return None

    def _reap(self) -> None:
        while self._news:
            child, status = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            news = self._news.pop(child)
            with suppress(KeyError):
                self._selector.unregister(news)
            with news, suppress(OSError):
                news.sendall(EXIT_STATUS.pack(status))

    def _end(self, child: int) -> None:
        """The parent has hung up: it has its answer, or will not wait any longer."""
        if child in self._news:  # Otherwise it was reaped a moment ago, and the number may be somebody else's.
            self._selector.unregister(self._news[child])
            os.kill(child, signal.SIGKILL)


def _wake_on(number: signal.Signals) -> socket.socket:
    woken, waker = socket.socketpair()
    woken.setblocking(False)
    waker.setblocking(False)
    signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(waker.detach())
    return woken


# --- A child's life ---------------------------------------------------------------------------------------------------


def _live(line: int, *, parent: int) -> NoReturn:
    code = 1
    try:
        confinement.die_with_parent(parent)
        signal.set_wakeup_fd(-1)
        os.closerange(KEEP_OPEN, line)
        os.closerange(line + 1, confinement.MOST_DESCRIPTORS)
        with socket.socket(fileno=line) as end:
            _answer(Line(end))
        code = 0
    finally:
        os._exit(code)


def _answer(line: Line) -> None:
    question = line.receive(most_bytes=QUESTION_BYTES)
    try:
        _try(line, question)
    except Exception as problem:
        trace = traceback.format_exc()[-TRACE_CHARACTERS:]
        line.send({"crash": trace, "problem": type(problem).__name__})


def _try(line: Line, question: Message) -> None:
    try:
        outcome = _work(question)
    except AppError as refusal:
        line.send({"refusal": type(refusal).__name__, "data": refusal.data})
    except MemoryError:
        line.send({"limit": "memory"})
    else:
        line.send({"facts": outcome.facts}, blobs=outcome.blobs)


def _work(question: Message) -> Outcome:
    files = [_reader(descriptor) for descriptor in question.descriptors]
    function = _function(question.head["work"])
    arguments = question.head["arguments"]
    if "name" in inspect.signature(function).parameters:
        arguments["name"] = question.head["name"]
    limits = Limits(**question.head["limits"])
    confinement.limit(cpu_s=limits.cpu_s, memory_bytes=limits.memory_bytes)
    confinement.forbid_calls()
    found = function(*files, **question.blobs, **arguments)
    return found if isinstance(found, Outcome) else Outcome(found)


def _function(work: str) -> Callable[..., Outcome | dict[str, Any]]:
    if not is_work(work):
        raise ValueError(f"{work} is not work for a sealed child.")
    module, _, name = work.partition(":")
    load(module)
    return cast(Callable[..., Outcome | dict[str, Any]], getattr(sys.modules[module], name))


class _Descriptor(io.RawIOBase):
    """Reads a descriptor at places of its own; the position that belongs to the descriptor is the parent's."""

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
    return cast(BinaryIO, io.BufferedReader(_Descriptor(descriptor), 2**16))


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
