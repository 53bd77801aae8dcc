"""Clients that open connections and do not finish their requests leave the server to others."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from config import gunicorn_worker
from config.gunicorn_worker import LARGEST_HEADER_BYTES, BodyReader
from tests.faults.web_server import WebServer, web_server
from tests.scale import ALL

HALF_HEADER = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
HALF_BODY = b"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nlogin="


@pytest.fixture(scope="module")
def plain_server() -> Iterator[WebServer]:
    """gunicorn as it ships in front of an application that answers everything; in the short run it waits less long."""
    application = "wsgiref.simple_server:demo_app" if ALL else "tests.contracts.short_wait:application"
    with web_server(dict(os.environ), application=application) as running:
        yield running


def connect(server: WebServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def read_until(line: socket.socket, *, times: int, wanted: bytes = b"HTTP/1.1 200") -> None:
    """Read until the words have come that many times, or the server has closed, which fails."""
    received = b""
    while received.count(wanted) < times:
        piece = line.recv(65536)
        assert piece, f"closed after {received!r}"
        received += piece


def was_closed(line: socket.socket) -> bool:
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True


def test_forty_unfinished_requests_leave_the_server_to_others_and_are_closed(plain_server: WebServer) -> None:
    beginnings = [b"", b"G", HALF_HEADER, HALF_BODY] * 10
    with ExitStack() as stack:
        silent = [stack.enter_context(connect(plain_server)) for _ in beginnings]
        for line, beginning in zip(silent, beginnings, strict=True):
            line.sendall(beginning)
        for _ in range(8):  # fresh connections, which both processes accept
            assert httpx.get(f"{plain_server.url}/healthz", timeout=60).status_code == 200
        assert all(was_closed(line) for line in silent), "the server ends them, not this test"


def test_a_kept_connection_holds_no_thread_by_the_half_of_its_next_request(plain_server: WebServer) -> None:
    with ExitStack() as stack:
        kept = [stack.enter_context(connect(plain_server)) for _ in range(12)]
        for line in kept:
            line.sendall(HALF_HEADER + b"\r\n" + HALF_HEADER)  # the second begins right behind the first
            read_until(line, times=1)
        assert httpx.get(f"{plain_server.url}/healthz", timeout=60).status_code == 200
        for line in kept:
            line.sendall(b"\r\n")
            read_until(line, times=1)


def test_a_request_that_arrives_in_pieces_is_answered(plain_server: WebServer) -> None:
    body = b"x" * 2000
    header = f"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with connect(plain_server) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for place in range(0, len(header + body), 50):
            line.sendall((header + body)[place : place + 50])
        read_until(line, times=1)


def test_who_waits_for_a_word_before_the_body_gets_it(plain_server: WebServer) -> None:
    with connect(plain_server) as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        read_until(line, times=1, wanted=b"HTTP/1.1 ")


def test_a_header_without_an_end_is_refused(plain_server: WebServer) -> None:
    with connect(plain_server) as line:
        line.sendall((HALF_HEADER + b"X-Filler: ").ljust(LARGEST_HEADER_BYTES + 1, b"x"))
        read_until(line, times=1, wanted=b"HTTP/1.1 431")


def test_a_longer_body_that_stops_coming_gives_its_thread_back(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        monkeypatch.setattr(gunicorn_worker, "BODY_SILENCE_S", 0.01)
        with pytest.raises(TimeoutError):
            BodyReader(ours).chunk()
        assert ours.gettimeout() is None, "an answer may take as long as it needs"
        theirs.sendall(b"more")
        assert BodyReader(ours).chunk() == b"more"
