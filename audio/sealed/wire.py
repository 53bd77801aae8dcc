"""How a process and its sealed child speak: a length, a JSON object, and raw bytes; nothing is ever unpickled."""

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


class WireBroken(Exception):
    """The other side is gone, or what it says makes no sense."""


class TooMuchSaid(WireBroken):
    """The other side says more than it was allowed to."""


class TooLate(WireBroken):
    """The other side did not speak in time."""


@dataclass(frozen=True)
class Message:
    head: dict[str, Any]
    blobs: dict[str, bytes] = field(default_factory=dict)
    descriptors: list[int] = field(default_factory=list)


class Line:
    """One end of a conversation, which is over at `deadline` (a monotonic time; None: never)."""

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
            raise ValueError("A message to or from a sealed child has grown beyond what the wire carries.")
        try:
            self._wait_no_longer_than_allowed()
            socket.send_fds(self._end, [PREFIX.pack(len(text))], descriptors)
            # Not the empty ones: whoever has all the others may have answered and left by then.
            for part in filter(None, (text, *blobs.values())):
                self._wait_no_longer_than_allowed()
                self._end.sendall(part)
        except TimeoutError:
            raise TooLate from None
        except OSError as problem:
            raise WireBroken(str(problem)) from None

    def receive(self, *, most_bytes: int) -> Message:
        """Take one message of at most so many bytes, judged by their count before they are read."""
        try:
            self._wait_no_longer_than_allowed()
            prefix, descriptors, _, _ = socket.recv_fds(self._end, PREFIX.size, MOST_FILES)
        except TimeoutError:
            raise TooLate from None
        except OSError as problem:
            raise WireBroken(str(problem)) from None
        if len(prefix) != PREFIX.size:
            raise WireBroken("The other side closed the line.")
        (size,) = PREFIX.unpack(prefix)
        if size > min(HEAD_BYTES, most_bytes):
            raise TooMuchSaid
        head = _parsed(self._exactly(size))
        sizes = _sizes(head.pop("blobs", None))
        if sum(sizes.values()) + size > most_bytes:
            raise TooMuchSaid
        return Message(head, {name: self._exactly(count) for name, count in sizes.items()}, descriptors)

    def _exactly(self, count: int) -> bytes:
        content = bytearray(count)
        rest = memoryview(content)
        while rest:
            try:
                self._wait_no_longer_than_allowed()
                got = self._end.recv_into(rest)
            except TimeoutError:
                raise TooLate from None
            except OSError as problem:
                raise WireBroken(str(problem)) from None
            if not got:
                raise WireBroken("The other side closed the line in the middle of a message.")
            rest = rest[got:]
        return bytes(content)

    def _wait_no_longer_than_allowed(self) -> None:
        if self._deadline is not None:
            left_s = self._deadline - time.monotonic()
            if left_s <= 0:
                raise TooLate
            self._end.settimeout(left_s)


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        head = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as problem:
        raise WireBroken(str(problem)) from None
    if not isinstance(head, dict):
        raise WireBroken("The head of a message is no object.")
    return head


def _finite(text: str) -> float:
    """A database holds no infinity and no NaN, so an answer may not either."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value


def _sizes(claimed: Any) -> dict[str, int]:
    match claimed:
        case list() if len(claimed) <= MOST_BLOBS:
            sizes = {}
            for pair in claimed:
                match pair:
                    case [str() as name, int() as count] if count >= 0:
                        sizes[name] = count
                    case _:
                        raise WireBroken("A message lists its parts wrongly.")
            return sizes
        case _:
            raise WireBroken("A message does not list its parts.")
