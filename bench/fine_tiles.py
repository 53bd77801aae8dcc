"""A fine tile over HTTP, taken apart: what passes in the server, in its sandboxed child, and between the two."""

import http.client
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from django.conf import settings
from django.core.management import call_command
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application

from audio.sandbox.client import fork_server
from bench.parent_stages import WAITING, Profile
from bench.stages import CPU, REST, WALL, largest_first, table
from stimuli.models import Stimulus
from tests.people import browser_of, experimenter

LEVELS, TILES = (0, 3), 60
MS = 1000
FORK = f"{REST}fork, wake-ups, question and answer"


def by_stage(profile: Profile, hour: Path, folder: Path) -> Iterator[str]:
    owner = experimenter("tiles")
    incoming = folder / "incoming"
    incoming.mkdir()
    (incoming / hour.name).hardlink_to(hour)
    call_command("import_stimuli", str(incoming), collection="tiles", owner=owner.username, wait=True, verbosity=0)
    stimulus = Stimulus.objects.get(item__collection__slug="tiles")
    cookie = f"{settings.SESSION_COOKIE_NAME}={browser_of(owner).cookies[settings.SESSION_COOKIE_NAME].value}"
    with _served() as connection:
        for level in LEVELS:
            address = f"/collections/tiles/{stimulus.pk}/sound/tiles/max/{level}"
            _fetch(connection, f"{address}/{TILES}/", cookie)  # the first one waits for the fork server
            profile.forget()
            before_s = (time.process_time(), _fork_server_s())
            times_s = [_fetch(connection, f"{address}/{index}/", cookie) for index in range(TILES)]
            own_s, fork_server_s = time.process_time() - before_s[0], _fork_server_s() - before_s[1]
            yield (
                f"a fine tile of level {level} over HTTP, median of {TILES} {MS * median(times_s):.0f} ms; "
                f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
            )
            yield "by the clock, mean:"
            yield from _table(profile, WALL, sum(times_s), sum(times_s))
            yield "CPU, mean:"
            yield from _table(profile, CPU, own_s, own_s + fork_server_s)


def _table(profile: Profile, clock: str, server_s: float, whole_s: float) -> Iterator[str]:
    """While the server waits, time passes and no CPU: by the clock the child's stages are part of its own."""
    here, inside = profile.here.spent()[clock], profile.timers.inside.spent()[clock]
    if clock == WALL:
        here[FORK] = here.pop(WAITING) - sum(inside.values())
        here |= {f"in the child: {name}": spent for name, spent in inside.items()}
        rows = largest_first(here)
    else:
        rows = [*largest_first(here), *largest_first(inside, "in the child: ")]
        rows.append((FORK, whole_s - server_s - sum(inside.values())))
    rows.append((f"{REST}HTTP, session, policy, Python", server_s - sum(here.values())))
    yield from table([(name, MS * value / TILES) for name, value in rows], MS * whole_s / TILES, unit="ms")


def _fork_server_s() -> float:
    """CPU seconds of the fork server and of those of its children that have ended."""
    if fork_server.pid is None:
        return 0.0
    fields = Path(f"/proc/{fork_server.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _fetch(connection: http.client.HTTPConnection, path: str, cookie: str) -> float:
    started = time.perf_counter()
    connection.request("GET", path, headers={"Cookie": cookie})
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != http.HTTPStatus.OK or not content:
        raise RuntimeError(f"{path} answered {answer.status}: there is nothing to measure")
    return time.perf_counter() - started


class _Quietly(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@contextmanager
def _served() -> Iterator[http.client.HTTPConnection]:
    """The platform in a thread of this process, so that timers reach it, over loopback."""
    server = ThreadedWSGIServer(("127.0.0.1", 0), _Quietly)
    server.set_app(get_wsgi_application())
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port)
    try:
        yield connection
    finally:
        connection.close()
        server.shutdown()
        thread.join()
        server.server_close()
