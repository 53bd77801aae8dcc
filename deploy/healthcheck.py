"""Health check of a container: `healthcheck.py web [port]`, `worker` or `beat`; status 0 is healthy."""

import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

OLDEST_BEAT_S = 600


def web(port: str = "8000") -> bool:
    """Ask the application itself, under a name that it answers to."""
    host = os.environ.get("EARMARK_HOSTS", "127.0.0.1").split(",")[0].strip().lstrip(".")
    request = urllib.request.Request(f"http://127.0.0.1:{port}/healthz", headers={"Host": host})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=5) as answer:
        return bool(answer.status == 200)


def worker() -> bool:
    """A worker that is connected to Redis answers a ping through it."""
    node = f"celery@{os.uname().nodename}"
    command = ["celery", "-A", "config.celery", "inspect", "ping", "--destination", node, "--timeout", "10"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def beat() -> bool:
    """Beat writes its schedule down every few minutes."""
    folder = Path(os.environ.get("EARMARK_DATA_DIR", "var"))
    written = [path.stat().st_mtime for path in folder.glob("celery-beat*")]
    return bool(written) and time.time() - max(written) < OLDEST_BEAT_S


if __name__ == "__main__":
    try:
        healthy = {"web": web, "worker": worker, "beat": beat}[sys.argv[1]](*sys.argv[2:])
    except OSError:
        healthy = False
    sys.exit(0 if healthy else 1)
