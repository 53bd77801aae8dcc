"""Wire protocol between a process and its sandboxed child: a length, JSON and raw bytes; nothing is unpickled."""

import json
import math
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PREFIX = struct.Struct(">I")
# Beyond this, parsing alone would cost a parent more memory than it should spend on an answer.
HEAD_BYTES = 4 * 2**20
MOST_BLOBS = 1000
# The kernel passes up to 253 descriptors with one message (SCM_MAX_FD).
MOST_FILES = 250


class ProtocolError(Exception):
    """The other side has closed the connection, or its message is malformed."""


class ResponseTooLarge(ProtocolError):
    """The message is larger than it was allowed to be."""


class TimedOut(ProtocolError):
    """The deadline has passed."""


@dataclass(frozen=True)
class Message:
    head: dict[str, Any]
    blobs: dict[str, bytes] = field(default_factory=dict)
    descriptors: list[int] = field(default_factory=list)


class Channel:
    """One end of a connection; after `deadline` (a monotonic time; None: never) it raises TimedOut."""

    def __init__(self, end: socket.socket, deadline: float | None = None) -> None:
        self._end = end
        self._deadline = deadline

    def send(
        self, head: dict[str, Any], *, blobs: Mapping[str, bytes] | None = None, descriptors: Sequence[int] = ()
    ) -> None:
        blobs = blobs or {}
        sizes = [[name, len(content)] for name, content in blobs.items()]
        text = json.dumps({**head, "blobs": sizes}, allow_nan=False).encode()
        if len(text) > HEAD_BYTES or len(blobs) > MOST_BLOBS or len(descriptors) > MOST_FILES:
            raise ValueError("A message to or from a sandboxed child is larger than the protocol allows.")
        try:
            self._set_timeout()
            socket.send_fds(self._end, [PREFIX.pack(len(text))], descriptors)
            # Not the empty ones: a child that has all the others may have responded and ended by then.
            for part in filter(None, (text, *blobs.values())):
                self._set_timeout()
                self._end.sendall(part)
        except TimeoutError:
            raise TimedOut from None
        except OSError as problem:
            raise ProtocolError(str(problem)) from None

    def receive(self, *, most_bytes: int) -> Message:
        """Receive one message of at most so many bytes; its declared size is checked before it is read."""
        try:
            self._set_timeout()
            prefix, descriptors, _, _ = socket.recv_fds(self._end, PREFIX.size, MOST_FILES)
        except TimeoutError:
            raise TimedOut from None
        except OSError as problem:
            raise ProtocolError(str(problem)) from None
        if len(prefix) != PREFIX.size:
            raise ProtocolError("The connection was closed.")
        (size,) = PREFIX.unpack(prefix)
        if size > min(HEAD_BYTES, most_bytes):
            raise ResponseTooLarge
        head = _parse_head(self._read_exactly(size))
        sizes = _parse_sizes(head.pop("blobs", None))
        if sum(sizes.values()) + size > most_bytes:
            raise ResponseTooLarge
        return Message(head, {name: self._read_exactly(count) for name, count in sizes.items()}, descriptors)

    def _read_exactly(self, count: int) -> bytes:
        content = bytearray(count)
        rest = memoryview(content)
        while rest:
            try:
                self._set_timeout()
                got = self._end.recv_into(rest)
            except TimeoutError:
                raise TimedOut from None
            except OSError as problem:
                raise ProtocolError(str(problem)) from None
            if not got:
                raise ProtocolError("The connection was closed in the middle of a message.")
            rest = rest[got:]
        return bytes(content)

    def _set_timeout(self) -> None:
        if self._deadline is not None:
            left_s = self._deadline - time.monotonic()
            if left_s <= 0:
                raise TimedOut
            self._end.settimeout(left_s)


def _parse_head(text: bytes) -> dict[str, Any]:
    try:
        head = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as problem:
        raise ProtocolError(str(problem)) from None
    if not isinstance(head, dict):
        raise ProtocolError("The head of a message is not an object.")
    return head


def _finite(text: str) -> float:
    """A database holds no infinity and no NaN, so a response may not either."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value


def _parse_sizes(claimed: Any) -> dict[str, int]:
    match claimed:
        case list() if len(claimed) <= MOST_BLOBS:
            sizes = {}
            for pair in claimed:
                match pair:
                    case [str() as name, int() as count] if count >= 0:
                        sizes[name] = count
                    case _:
                        raise ProtocolError("A message declares its blobs wrongly.")
            return sizes
        case _:
            raise ProtocolError("A message does not declare its blobs.")
