"""Sandbox client: runs work on an untrusted file in a child process that can read it, answer, and do nothing else."""

import atexit
import importlib
import json
import logging
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from audio.errors import MAKES_NO_SENSE, DecoderDied, SoundTooCostly, gettext_noop
from audio.sandbox.protocol import Channel, Message, ProtocolError, ResponseTooLarge, TimedOut

logger = logging.getLogger(__name__)

ROOT = Path(__file__).parents[2]
EXIT_STATUS = struct.Struct("=i")
READY = b"+"
# Kernels are compiled when this runs for the first time on a machine; afterwards a fork server is ready in two seconds.
START_TIMEOUT_S = 300.0
SHUTDOWN_TIMEOUT_S = 5.0
# Environment variables that a fork server gets; passwords and keys are not among them.
KEPT = {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "XDG_CACHE_HOME"}
KEPT |= {"PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"}  # or each fork server compiles all that it imports again
# One thread: a process with more cannot fork safely, nor leave its network. Parallel work is parallel children.
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
NOTHING: Mapping[str, bytes] = MappingProxyType({})


# --- Allowed work -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AllowedWork:
    """Modules whose functions a child may run, modules loaded beforehand, and modules whose errors a child may raise.

    A name that ends in a dot stands for all modules of a package. A module that is not preloaded is loaded by each
    child anew. Modules are named, not imported: a process that only sends requests need not load the decoders.
    """

    modules: tuple[str, ...] = ("audio.",)
    preloaded: tuple[str, ...] = (
        "audio.validate",
        "audio.chunks",
        "audio.clips",
        "audio.masters",
        "audio.measure",
        "audio.peaks",
        "audio.spectrogram",
    )
    errors: tuple[str, ...] = ("audio.errors",)

    def allows(self, work: str) -> bool:
        module, colon, function = work.partition(":")
        prefixes = tuple(name for name in self.modules if name.endswith("."))
        return bool(colon and function.isidentifier()) and (module in self.modules or module.startswith(prefixes))

    def error_classes(self) -> dict[str, type[Exception]]:
        return _error_classes(self.errors)


@cache
def _error_classes(modules: tuple[str, ...]) -> dict[str, type[Exception]]:
    return {
        name: kind
        for module in modules
        for name, kind in vars(importlib.import_module(module)).items()
        if isinstance(kind, type) and issubclass(kind, Exception) and kind.__module__ == module
    }


# --- Fork server ------------------------------------------------------------------------------------------------------


class ChildLost(Exception):
    """The fork server or its child was killed from outside; nothing is known of the work."""


@dataclass(frozen=True)
class ChildHandle:
    """A child that was requested: a socket to it, and one on which the fork server reports its exit status."""

    connection: socket.socket
    status: socket.socket

    def exit_code(self) -> int:
        """Wait for the child's end; a signal's number is negative, as in subprocess."""
        self.status.settimeout(SHUTDOWN_TIMEOUT_S)
        try:
            status = self.status.recv(EXIT_STATUS.size)
        except OSError:
            status = b""
        if len(status) != EXIT_STATUS.size:
            raise ChildLost
        return os.waitstatus_to_exitcode(EXIT_STATUS.unpack(status)[0])


class ForkServerClient:
    """Starts the fork server of this process when it is first needed, and requests children from it.

    Threads share it; a forked process starts its own.
    """

    def __init__(self) -> None:
        self.allowed = AllowedWork()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._is_ready = False
        atexit.register(self.close)

    @property
    def pid(self) -> int | None:
        """Process id of the fork server, None before it has said that it is ready."""
        return self._process.pid if self._process is not None and self._is_ready else None

    def start(self) -> None:
        with self._lock:
            self._started()

    @contextmanager
    def child(self) -> Iterator[ChildHandle]:
        """Request a child; when the block is left, the fork server kills it if it is still running."""
        connection, childs_connection = socket.socketpair()
        status, servers_status = socket.socketpair()
        with connection, status:
            with childs_connection, servers_status:
                self._request(childs_connection.fileno(), servers_status.fileno())
            try:
                yield ChildHandle(connection, status)
            finally:
                # Shut down, not only closed: a process forked meanwhile may hold a copy of the descriptor.
                for end in (connection, status):
                    with suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the fork server and its children; the next request starts another."""
        with self._lock:
            self._close()

    def forget(self) -> None:
        """Start afresh in a forked process: the fork server is the parent's."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.returncode = 0  # Not ours to wait for.
        self._lock = threading.Lock()
        self._process = self._control = None
        self._is_ready = False

    def _request(self, *descriptors: int) -> None:
        with self._lock:
            try:
                socket.send_fds(self._ready(), [READY], descriptors)
            except OSError:  # It was killed since the last request.
                self._close()
                socket.send_fds(self._ready(), [READY], descriptors)

    def _ready(self) -> socket.socket:
        control = self._started()
        if not self._is_ready:
            control.settimeout(START_TIMEOUT_S)
            try:
                self._is_ready = control.recv(len(READY)) == READY
            except OSError:
                self._is_ready = False
            if not self._is_ready:
                self._close()
                raise RuntimeError("The fork server of the sandbox did not start; its error output tells why.")
            control.settimeout(None)
        return control

    def _started(self) -> socket.socket:
        if self._control is not None and self._process is not None and self._process.poll() is None:
            return self._control
        self._close()
        self._control, theirs = socket.socketpair()
        allowed = json.dumps(asdict(self.allowed))
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - a fixed command line
                [sys.executable, "-P", "-m", "audio.sandbox.fork_server", str(theirs.fileno()), allowed],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=_environment(),
                cwd=ROOT,
                start_new_session=True,  # Ctrl-C ends a worker in good order; the fork server ends with the worker.
            )
        return self._control

    def _close(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            try:
                self._process.wait(SHUTDOWN_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = self._control = None
        self._is_ready = False


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in KEPT or name.startswith("NUMBA_")}
    search = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**kept, **THREADS, "PYTHONPATH": search}


fork_server = ForkServerClient()
os.register_at_fork(after_in_child=fork_server.forget)


def allow_work(*, modules: Sequence[str], preloaded: Sequence[str] = (), errors: Sequence[str] = ()) -> None:
    """Let children run more modules than those of this package, from the next start of the fork server on."""
    known = fork_server.allowed
    fork_server.allowed = AllowedWork(
        modules=(*known.modules, *modules),
        preloaded=(*known.preloaded, *preloaded),
        errors=(*known.errors, *errors),
    )


# --- Requests ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Limits:
    """What one request may cost."""

    cpu_s: int = 60
    memory_bytes: int = 512 * 2**20  # beyond what is mapped when the work begins
    wall_s: float = 120.0
    result_bytes: int = 64 * 2**20


@dataclass(frozen=True)
class Outcome:
    """A response: facts that JSON can hold, and raw bytes under names."""

    facts: dict[str, Any]
    blobs: dict[str, bytes] = field(default_factory=dict)


DEFAULT_LIMITS = Limits()


def run_sandboxed(
    work: str,
    *files: BinaryIO,
    name: str = "",
    limits: Limits = DEFAULT_LIMITS,
    blobs: Mapping[str, bytes] = NOTHING,
    **arguments: Any,
) -> Outcome:
    """Call `work` ("module:function") as function(*files, **blobs, **arguments) in a sandboxed child.

    The function gets the name too if it takes one. The files' positions stay as they are, and several calls may share
    a file. An allowed error of the child is raised here as it was there; a crash or a limit is raised as DecoderDied
    or SoundTooCostly.
    """
    if not fork_server.allowed.allows(work):
        raise ValueError(f"{work} is not work for the sandbox.")
    request = {"work": work, "name": name, "arguments": arguments, "limits": asdict(limits)}
    with ExitStack() as stack:
        descriptors = [stack.enter_context(_descriptor(file)) for file in files]
        try:
            return _outcome(_send_twice(request, descriptors, limits=limits, name=name, blobs=blobs), name=name)
        except (DecoderDied, SoundTooCostly) as error:
            logger.warning("%s gave up: %s", work, error)
            raise


def start_fork_server() -> None:
    """Start the fork server of this process without waiting for it, so that the first request need not."""
    fork_server.start()


def _send_twice(request: dict[str, Any], descriptors: Sequence[int], **more: Any) -> Message:
    """Send a request, and once more if the child or its fork server was killed from outside, whatever the file is."""
    try:
        return _send(request, descriptors, **more)
    except ChildLost:
        logger.warning("The sandboxed child for %s was lost; another one is started.", request["work"])
    return _send(request, descriptors, **more, last=True)


def _send(
    request: dict[str, Any],
    descriptors: Sequence[int],
    *,
    limits: Limits,
    name: str,
    blobs: Mapping[str, bytes],
    last: bool = False,
) -> Message:
    with fork_server.child() as child:
        channel = Channel(child.connection, time.monotonic() + limits.wall_s)
        try:
            channel.send(request, blobs=blobs, descriptors=descriptors)
            return channel.receive(most_bytes=limits.result_bytes)
        except TimedOut:
            raise SoundTooCostly(name=name, resource=gettext_noop("time")) from None
        except ResponseTooLarge:
            raise SoundTooCostly(name=name, resource=gettext_noop("room for the result")) from None
        except ProtocolError as problem:
            logger.info("The sandboxed child for %s sent no response: %s", request["work"], problem)
            raise _exit_error(child, name=name, last=last) from None


def _exit_error(child: ChildHandle, *, name: str, last: bool) -> DecoderDied | SoundTooCostly | ChildLost:
    """Return why a child ended without a response."""
    try:
        code = child.exit_code()
    except ChildLost as lost:
        return DecoderDied(name=name, problem=gettext_noop("its process was lost twice")) if last else lost
    if code == -signal.SIGKILL and not last:  # By the kernel when memory ran short, or by a person.
        return ChildLost()
    if code == -signal.SIGXCPU:
        return SoundTooCostly(name=name, resource=gettext_noop("time"))
    if code < 0:
        return DecoderDied(name=name, problem=signal.strsignal(-code) or str(-code))
    return DecoderDied(name=name, problem=gettext_noop("it left without an answer"))


def _outcome(response: Message, *, name: str) -> Outcome:
    match response.head:
        case {"facts": dict() as facts}:
            return Outcome(facts, response.blobs)
        case {"error": dict() as error}:
            raise error_from_child(error, name=name)
        case {"limit": "memory"}:
            raise SoundTooCostly(name=name, resource=gettext_noop("memory"))
        case {"crash": str() as trace, "problem": str() as problem}:
            logger.error("Sandboxed work on %r failed:\n%s", name, trace)
            raise DecoderDied(name=name, problem=problem)
        case _:
            raise DecoderDied(name=name, problem=MAKES_NO_SENSE)


def error_from_child(error: Any, *, name: str) -> Exception:
    """Build the error that a child reports as {"kind", "data"}, if it may raise it and the message can be filled."""
    try:
        built = fork_server.allowed.error_classes()[error["kind"]](**error["data"])
        str(built)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError):
        return DecoderDied(name=name, problem=MAKES_NO_SENSE)
    return built


@contextmanager
def _descriptor(file: BinaryIO) -> Iterator[int]:
    """Yield the file's own descriptor, or that of a temporary copy if the file is in memory."""
    try:
        number = file.fileno()
    except (OSError, AttributeError):
        position = file.tell()
        with tempfile.TemporaryFile() as copy:
            file.seek(0)
            shutil.copyfileobj(file, copy, 2**20)
            file.seek(position)
            copy.flush()
            yield copy.fileno()
    else:
        yield number
