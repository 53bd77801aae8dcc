"""`python -m bench.vote_load`: many listeners in one cheap process, each with a kept connection and one vote under way.

The task comes on standard input as JSON and the outcome goes to standard output. Requests are filled into templates and
replies are read no further than needed, because the client shares two cores with the server that it measures.
"""

import json
import resource
import selectors
import socket
import sys
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

CSRF = "0123456789abcdefghijklmnopqrstuv"
PATIENCE_S = 60


@dataclass
class Listener:
    """One browser: it answers page after page and, after the last, changes its mind from the first on."""

    wire: socket.socket
    head: str
    ballot: str
    pages: list[list[str]]
    sent: int = 0
    answered: int = 0
    sent_at: float = 0.0
    reply: bytes = b""
    latencies_s: list[float] = field(default_factory=list)

    def send(self) -> None:
        revision, place = divmod(self.sent, len(self.pages))
        trial, scale = self.pages[place]
        body = (
            f'{{"client":"bench","ballot":"{self.ballot}","events":[{{"event_id":"{uuid.uuid4()}","trial":"{trial}",'
            f'"revision":{revision},"payload":{{"marks":[{{"slot":"a","scale":"{scale}","value":{1 + place % 5}}}]}},'
            f'"heard":{{"a":{{"plays":1,"ended":true}}}},"clock":{{"wall":"2026-01-01T00:00:00Z","counter":{self.sent}}}}}]}}'
        )
        self.sent += 1
        self.reply = b""
        self.sent_at = time.perf_counter()
        self.wire.sendall(f"{self.head}Content-Length: {len(body)}\r\n\r\n{body}".encode())

    def receive(self) -> bool:
        """Whether the whole reply is here; anything but a stored vote has measured nothing."""
        part = self.wire.recv(65536)
        self.reply += part
        head, gap, body = self.reply.partition(b"\r\n\r\n")
        if part and (not gap or len(body) < _length(head)):
            return False
        if not part or not head.startswith(b"HTTP/1.1 200") or b'"stored"' not in body:
            raise SystemExit(f"a vote was not stored:\n{self.reply.decode(errors='replace')[:2000]}")
        self.latencies_s.append(time.perf_counter() - self.sent_at)
        return True


def _length(head: bytes) -> int:
    return int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])


def listeners_of(task: dict[str, Any]) -> list[Listener]:
    return [
        Listener(
            wire=socket.create_connection(("127.0.0.1", task["port"]), timeout=PATIENCE_S),
            head=_head(task, person),
            ballot=person["ballot"],
            pages=person["pages"],
            sent=person["sent"],
        )
        for person in task["listeners"]
    ]


def _head(task: dict[str, Any], person: dict[str, Any]) -> str:
    origin = f"127.0.0.1:{task['port']}"
    lines = [f"Host: {origin}", "Content-Type: application/json", "Accept: application/json"]
    if task["path"] == "votes":
        address = f"/api/v1/visits/{person['visit']}/votes/"
        lines += [f"Cookie: earmark={person['session']}; earmark-csrf={CSRF}", f"X-CSRFToken: {CSRF}"]
        lines += [f"Origin: http://{origin}"]
    else:
        address = "/bare/"
    return "".join(f"{line}\r\n" for line in [f"POST {address} HTTP/1.1", *lines])


def keep_voting(listeners: list[Listener], seconds: float) -> float:
    """Let everybody vote for a while, then take the replies that are on their way; returns how long it took."""
    with selectors.DefaultSelector() as ready:
        for listener in listeners:
            listener.wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            ready.register(listener.wire, selectors.EVENT_READ, listener)
        started = time.perf_counter()
        for listener in listeners:
            listener.send()
        waiting = len(listeners)
        while waiting:
            happened = ready.select(PATIENCE_S)
            if not happened:
                raise SystemExit(f"no reply came for {PATIENCE_S} s")
            for key, _ in happened:
                listener = key.data
                if not listener.receive():
                    continue
                if time.perf_counter() - started < seconds:
                    listener.send()
                else:
                    waiting -= 1
        return time.perf_counter() - started


def main() -> None:
    task = json.load(sys.stdin)
    listeners = listeners_of(task)
    used_s = _cpu_s()
    wall_s = keep_voting(listeners, task["seconds"])
    outcome = {
        "wall_s": wall_s,
        "cpu_s": _cpu_s() - used_s,
        "latencies_s": sorted(latency for listener in listeners for latency in listener.latencies_s),
        "sent": [listener.sent for listener in listeners],
    }
    for listener in listeners:
        listener.wire.close()
    json.dump(outcome, sys.stdout)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
