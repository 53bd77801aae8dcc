"""A program that sends a file by tus over a bad line: it cuts its own requests, and goes on where the server says."""

import base64
import hashlib
import http.client
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

PATIENCE_S = 120  # a busy machine is not a broken line: a piece that is given up is sent twice
PAUSE_S = 0.2

Cut = Callable[[socket.socket], None]


@dataclass
class TusSender:
    """Sends one file, piece by piece; `cuts` says at which byte of the file something happens to the connection."""

    server: str
    address: str
    token: str
    content: bytes
    piece_bytes: int
    with_checksums: bool
    deadline: float
    cuts: dict[int, Cut] = field(default_factory=dict)
    sent_bytes: int = 0
    statuses: Counter[int] = field(default_factory=Counter)

    def send_all(self) -> None:
        while (offset := self.offset()) < len(self.content):
            with suppress(OSError, http.client.HTTPException):  # the line, or the server, is gone
                self._send_piece(offset)

    def offset(self) -> int:
        """Ask until the server says; after a cut it may be dead, or still hold the file for the old connection."""
        while True:
            assert time.monotonic() < self.deadline, f"no end in sight: {self.statuses}"
            with suppress(OSError, http.client.HTTPException):
                answer = self._ask()
                self.statuses[answer.status] += 1
                if answer.status == 200:
                    return int(answer.headers["Upload-Offset"])
                assert answer.status == 423, answer.status
            time.sleep(PAUSE_S)

    def _ask(self) -> http.client.HTTPResponse:
        line = http.client.HTTPConnection(urlsplit(self.server).netloc, timeout=PATIENCE_S)
        try:
            line.request("HEAD", self.address, headers=self._headers())
            answer = line.getresponse()
            answer.read()
            return answer
        finally:
            line.close()

    def _send_piece(self, offset: int) -> None:
        piece = self.content[offset : offset + self.piece_bytes]
        line = http.client.HTTPConnection(urlsplit(self.server).netloc, timeout=PATIENCE_S)
        line.connect()
        line.putrequest("PATCH", self.address)
        for name, value in (self._headers() | self._headers_of(piece, offset)).items():
            line.putheader(name, value)
        line.endheaders()
        due = [at for at in self.cuts if offset <= at <= offset + len(piece)]
        if due:
            cut = self.cuts.pop(min(due))
            self._pour(line.sock, piece[: min(due) - offset])
            cut(line.sock)
            return  # the connection is left as the cut left it
        self._pour(line.sock, piece)
        self.statuses[line.getresponse().status] += 1
        line.close()

    def _pour(self, wire: socket.socket, data: bytes) -> None:
        for start in range(0, len(data), 65_536):
            wire.sendall(data[start : start + 65_536])
            self.sent_bytes += len(data[start : start + 65_536])

    def _headers(self) -> dict[str, str]:
        return {"Tus-Resumable": "1.0.0", "Authorization": f"Bearer {self.token}"}

    def _headers_of(self, piece: bytes, offset: int) -> dict[str, str]:
        headers = {
            "Content-Type": "application/offset+octet-stream",
            "Content-Length": str(len(piece)),
            "Upload-Offset": str(offset),
        }
        if self.with_checksums:
            digest = base64.b64encode(hashlib.sha256(piece).digest()).decode()
            headers["Upload-Checksum"] = f"sha256 {digest}"
        return headers


def reset(wire: socket.socket) -> None:
    """Hang up without a word: the server gets a reset instead of an end."""
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.close()


def hang_up(wire: socket.socket) -> None:
    """End too early, as a closed tab does."""
    wire.close()
