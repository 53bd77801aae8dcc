"""gunicorn's threaded worker with a read timeout for requests: a thread is given only to a request that has arrived.

gunicorn's own reads a request in the thread that will answer it and waits there without an end, so a few clients that
open a connection and say half a sentence take all threads. Here the main loop, which waits for many connections at
once, collects the header and a short body; what is not complete in time is closed. nginx does the same in production;
this is for the embedded set-up, and for whatever reaches gunicorn directly.
"""

import re
import selectors
import socket
import time
from functools import partial

from gunicorn import util
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import TConn, ThreadWorker

REQUEST_TIMEOUT_S = 15  # for a header and a short body together, as long as nginx gives a header
BODY_SILENCE_S = 30  # between two pieces of a longer body, which is read in a thread
STOPPING_TIMEOUT_S = 1
LARGEST_HEADER_BYTES = 64 * 1024
LARGEST_SHORT_BODY_BYTES = 64 * 1024  # a batch of votes is 48 KiB at most
READ_BYTES = 64 * 1024

HEADER_END = b"\r\n\r\n"
BODY_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
EXPECT = re.compile(rb"\r\nexpect:", re.IGNORECASE)


class BodyReader(SocketUnreader):  # type: ignore[misc]
    """Reads a body with a limit on silence; the limit does not apply to answers, which a slow listener may need."""

    def chunk(self, size_hint: int | None = None) -> bytes:
        if self.sock.gettimeout() is not None:  # an upload has set a limit of its own
            return bytes(super().chunk(size_hint))
        self.sock.settimeout(BODY_SILENCE_S)
        try:
            return bytes(super().chunk(size_hint))
        finally:
            self.sock.settimeout(None)


class Worker(ThreadWorker):  # type: ignore[misc]
    """Collects requests in the main loop (`pending_conns`) before it hands them to a thread."""

    def enqueue_req(self, conn: TConn) -> None:
        """Take a new or a kept connection: into a thread at once if its request is here, otherwise to the loop."""
        if self.cfg.is_ssl:  # its handshake cannot be collected; nothing of ours uses it
            super().enqueue_req(conn)
            return
        if not conn.initialized:
            conn.init()
            conn.parser.unreader = BodyReader(conn.sock)
        if has_arrived(conn.parser.unreader.buf.getvalue()):
            super().enqueue_req(conn)
            return
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + REQUEST_TIMEOUT_S  # not moved by further bytes: a trickle ends too
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def on_pending_socket_readable(self, conn: TConn, client: socket.socket) -> None:
        try:
            data = client.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        unreader = conn.parser.unreader
        received = unreader.take_buffered() + data
        unreader.unread(received)
        too_large = HEADER_END not in received and len(received) > LARGEST_HEADER_BYTES
        if data and not too_large and not has_arrived(received):
            return
        self.poller.unregister(client)
        self.pending_conns.remove(conn)
        if data and not too_large:
            super().enqueue_req(conn)
            return
        if too_large:
            util.write_error(client, 431, "Request Header Fields Too Large", "The header is too large.")
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """Close what did not arrive in time; a worker that stops waits for unfinished requests a moment only."""
        if not self.alive:
            soon = time.monotonic() + STOPPING_TIMEOUT_S
            for conn in self.pending_conns:
                conn.timeout = min(conn.timeout, soon)
        super().murder_pending()


def has_arrived(received: bytes) -> bool:
    """Whether the header is complete, and the body too if it is short."""
    end = received.find(HEADER_END)
    if end < 0:
        return False
    header = received[: end + 2]
    length = BODY_LENGTH.search(header)
    # Who sends Expect waits for an answer to the header before the body is sent.
    if length is None or EXPECT.search(header) or int(length[1]) > LARGEST_SHORT_BODY_BYTES:
        return True
    return len(received) - end - len(HEADER_END) >= int(length[1])
