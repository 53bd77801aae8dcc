"""Test server: a web server and a worker for as long as a block runs, for browser tests and screenshots."""

import contextlib
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.request import urlopen

from scripts.console import ROOT
from scripts.install import PYTHON
from scripts.run import WORKER

START_LIMIT_S = 300  # a busy machine is not a defect


@contextlib.contextmanager
def running(*, port: int, environment: Mapping[str, str], worker: bool = True) -> Iterator[str]:
    """Start both as `./earmark run` does, or the web server alone, and yield the address once it answers."""
    address = f"http://127.0.0.1:{port}"
    commands: list[list[str | Path]] = [
        [PYTHON, "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py", "-b", f"127.0.0.1:{port}", "config.wsgi"],
    ]
    if worker:
        commands.append([PYTHON, "manage.py", *WORKER])
    processes = [subprocess.Popen(command, cwd=ROOT, env=dict(environment)) for command in commands]
    try:
        _wait_until_healthy(address)
        yield address
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


def _wait_until_healthy(address: str) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), urlopen(f"{address}/healthz", timeout=5):  # noqa: S310 - loopback
            return
        time.sleep(0.1)
    raise RuntimeError(f"{address} did not become healthy within {START_LIMIT_S} seconds")
