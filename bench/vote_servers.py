"""The servers that votes are measured on: either database, and gunicorn started as production starts it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.processes import tree
from tests.faults.web_server import WebServer, web_server
from tests.servers import postgres_server, scratch_folder

APPLICATION = "config.wsgi:application"
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Place:
    """A database with listeners in their seats, and a web server on it."""

    web: WebServer
    database_pid: int | None  # SQLite has no process of its own
    listeners: list[dict[str, Any]]

    def cpu_s(self) -> dict[str, float]:
        """What the servers have cost so far."""
        costs = {"web": _cpu_s_of_tree(self.web.pid)}
        if self.database_pid is not None:
            costs["database"] = _cpu_s_of_tree(self.database_pid)
        return costs


@contextmanager
def place(database: str, *, listeners: int) -> Iterator[Place]:
    with scratch_folder("votes") as folder:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "bench.vote_settings",
            "EARMARK_DATA_DIR": str(folder),
            "EARMARK_DATABASE_URL": f"sqlite:///{folder / 'earmark.sqlite3'}",
        }
        if database == "SQLite":
            with _serving(environment, listeners) as (web, people):
                yield Place(web, None, people)
            return
        with postgres_server() as server:
            environment["EARMARK_DATABASE_URL"] = server.url()
            with _serving(environment, listeners) as (web, people):
                yield Place(web, server.pid, people)


@contextmanager
def _serving(environment: dict[str, str], listeners: int) -> Iterator[tuple[WebServer, list[dict[str, Any]]]]:
    seats = [sys.executable, "-m", "bench.vote_seats", str(listeners)]
    said = subprocess.run(seats, env=environment, stdout=subprocess.PIPE, check=True)
    with web_server(environment, application=APPLICATION) as web:
        yield web, json.loads(said.stdout)


def _cpu_s_of_tree(root: int) -> float:
    """Of the processes that run, and of those that they have waited for."""
    return sum(map(_ticks, tree(root))) / TICKS_A_SECOND


def _ticks(process: int) -> int:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has just ended
        return 0
    return sum(map(int, fields[11:15]))
