"""gunicorn as production runs it, on the test's own database, to be killed and started again."""

import http.client
import os
import random
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.processes import children_of
from tests.servers import Server, running, scratch_folder

ROOT = Path(__file__).resolve().parents[2]


class WebServer(Server):
    """A gunicorn master with its two worker processes of four threads."""

    def __init__(self, folder: Path, environment: dict[str, str], application: str) -> None:
        super().__init__(folder)
        self.environment = environment
        self.application = application

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        settings = ("--config", str(ROOT / "deploy" / "gunicorn.conf.py"), "--chdir", str(ROOT))
        return [sys.executable, "-m", "gunicorn", *settings, "--bind", f"127.0.0.1:{self.port}", self.application]

    def answers(self) -> bool:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            line.request("GET", "/healthz")
            line.getresponse()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            line.close()
        return True

    def workers(self) -> list[int]:
        """The processes that serve, asked of the kernel."""
        return children_of(self.pid)

    def kill_a_worker(self, chance: random.Random) -> None:
        """Its master puts another in its place."""
        workers = self.workers()
        if workers:
            _kill(chance.choice(workers))

    def kill(self) -> None:
        """Kill the master, and its workers with it, as a container dies with its first process."""
        workers = self.workers() if self.process is not None and self.process.poll() is None else []
        super().kill()
        for worker in workers:
            _kill(worker)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):  # it may have gone by itself a moment ago
        os.kill(pid, signal.SIGKILL)


@contextmanager
def web_server(
    environment: dict[str, str], *, application: str = "tests.faults.dropped_replies:application", dropped: float = 0
) -> Iterator[WebServer]:
    """A running web server that loses the given share of replies to votes; gone at the end."""
    with scratch_folder("web") as folder:
        server = WebServer(folder, {**environment, "EARMARK_FAULT_DROPPED": str(dropped)}, application)
        yield from running(server)
