"""A file that nobody may open and an address that nobody may ask, and how to know whether one of them was."""

import ctypes
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

IN_OPEN = 0x20


@dataclass
class Canary:
    file: Path
    port: int
    _watch: int
    _server: socket.socket

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def disturbances(self) -> list[str]:
        """Tell what has happened to it since the last time."""
        found = []
        with suppress(BlockingIOError):
            found += ["opened"] * bool(os.read(self._watch, 4096))
        with suppress(BlockingIOError):
            connection, _ = self._server.accept()
            connection.close()
            found.append("asked")
        return found


@contextmanager
def canary(folder: Path, content: bytes) -> Iterator[Canary]:
    file = folder / "canary.wav"
    file.write_bytes(content)
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    assert libc.inotify_add_watch(watch, bytes(file), IN_OPEN) > 0
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        try:
            yield Canary(file, server.getsockname()[1], watch, server)
        finally:
            os.close(watch)
