"""Work that the sandbox must survive or stop; a fork server runs it only if a test allows this module."""

import ctypes
import hashlib
import os
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

from audio.errors import PositionOutside, SoundBroken
from audio.sandbox.client import Outcome


def echo(*files: BinaryIO, name: str, **given: Any) -> Outcome:
    """Say what was given, so that a test can see that it arrived."""
    blobs = {key: value for key, value in given.items() if isinstance(value, bytes)}
    facts = {key: value for key, value in given.items() if key not in blobs}
    digests = [hashlib.sha256(file.read()).hexdigest() for file in files]
    return Outcome({"name": name, "given": facts, "digests": digests, "pid": os.getpid()}, blobs)


def corners(file: BinaryIO) -> dict[str, Any]:
    """Read here and there, as a decoder does."""
    end = file.seek(0, os.SEEK_END)
    file.seek(-3, os.SEEK_END)
    last = file.read().decode()
    file.seek(2)
    file.seek(1, os.SEEK_CUR)
    return {"size": end, "last": last, "fourth": file.read(1).decode(), "position": file.tell()}


def refuse(*, name: str) -> dict[str, Any]:
    raise SoundBroken(name=name, problem="a test says so")


def refuse_position() -> dict[str, Any]:
    raise PositionOutside(start=5, stop=7, length=3)


def refuse_unsayably() -> dict[str, Any]:
    raise SoundBroken(unrelated="the sentence lacks its words")


def fail() -> dict[str, Any]:
    raise LookupError("a defect in the work")


def answer_infinity() -> dict[str, Any]:
    return {"level_db": float("-inf")}


def answer_at_length(*, mebibytes: int) -> Outcome:
    return Outcome({}, {"much": bytes(mebibytes * 2**20)})


def answer_in_many_words(*, words: int) -> dict[str, Any]:
    return {"words": ["word"] * words}


def burn() -> dict[str, Any]:
    while True:
        pass


def sleep(*, seconds: float = 3600) -> dict[str, Any]:
    time.sleep(seconds)
    return {}


def hoard(*, mebibytes: int) -> dict[str, Any]:
    return {"size": len(b"\1" * (mebibytes * 2**20))}


def die(*, signal_number: int) -> dict[str, Any]:
    ctypes.CDLL(None).abort() if signal_number == signal.SIGABRT else ctypes.string_at(0)
    return {}


def leave() -> dict[str, Any]:
    os._exit(0)


def babble() -> dict[str, Any]:
    """Send what is no answer, as a child that was taken over might."""
    os.write(_connection(), b"\xff" * 64)
    os._exit(0)


def claim(*, text: str) -> dict[str, Any]:
    """Send a head of one's own making."""
    head = text.encode()
    os.write(_connection(), len(head).to_bytes(4, "big") + head)
    os._exit(0)


def try_everything(*, path: str, port: int, server: int) -> dict[str, Any]:
    """Try what no decoder needs, and tell what was possible."""
    attempts = {
        "read a file": lambda: Path(path).read_bytes(),
        "write a file": lambda: Path(path).write_bytes(b"changed"),
        "delete a file": lambda: Path(path).unlink(),
        "rename a file": lambda: Path(path).rename(path + ".moved"),
        "make a folder": lambda: Path(path + ".folder").mkdir(),
        "list a folder": lambda: list(Path(path).parent.iterdir()),
        "duplicate a descriptor": lambda: os.dup(0),
        "connect": lambda: socket.create_connection(("127.0.0.1", port), timeout=5),
        "make a socket": socket.socketpair,
        "start a program": lambda: os.execv("/bin/true", ["true"]),  # noqa: S606
        "fork": lambda: os.fork() or os._exit(0),
        "signal another process": lambda: os.kill(server, signal.SIGCONT),
        "look into another process's memory": lambda: _peek(server),
    }
    return {"possible": [name for name, attempt in attempts.items() if _works(attempt)]}


def start_thread() -> dict[str, Any]:
    said: list[str] = []
    thread = threading.Thread(target=said.append, args=("hello",))
    thread.start()
    thread.join()
    return {"said": said}


def environment() -> dict[str, Any]:
    return {"names": sorted(os.environ)}


def scribble(file: BinaryIO) -> dict[str, Any]:
    """Try to write through a descriptor that the parent holds open for writing."""
    try:
        os.write(_number(file), b"scribble")
    except OSError:
        return {"written": False}
    return {"written": True}


def _number(file: Any) -> int:
    return int(file.raw._number)


def _connection() -> int:
    """Find the connection to the parent: the one descriptor beyond the standard streams."""
    for number in range(3, 64):
        try:
            os.fstat(number)
        except OSError:
            continue
        return number
    raise LookupError("no connection")


def _works(attempt: Any) -> bool:
    try:
        attempt()
    except (OSError, RuntimeError):
        return False
    return True


def _peek(process: int) -> None:
    """Attach to another process as a debugger would."""
    if ctypes.CDLL(None, use_errno=True).ptrace(16, process, 0, 0) != 0:  # PTRACE_ATTACH
        raise PermissionError
