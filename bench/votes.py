"""Votes accepted through gunicorn against a bare view with one INSERT on the same server, in turns."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.vote_servers import Place, place

DATABASES = ("SQLite", "PostgreSQL")
CROWDS = (32, 200)
ROUNDS, SECONDS_A_ROUND, WARM_UP_S = 4, 5.0, 2.0


@dataclass
class Totals:
    """What came of one kind of request over all rounds."""

    wall_s: float = 0.0
    latencies_s: list[float] = field(default_factory=list)
    cpu_s: dict[str, float] = field(default_factory=dict)

    def add(self, outcome: dict[str, Any], servers_s: dict[str, float]) -> None:
        self.wall_s += outcome["wall_s"]
        self.latencies_s = sorted(self.latencies_s + outcome["latencies_s"])
        for name, cost_s in {**servers_s, "client": outcome["cpu_s"]}.items():
            self.cpu_s[name] = self.cpu_s.get(name, 0.0) + cost_s

    @property
    def rate(self) -> float:
        return len(self.latencies_s) / self.wall_s

    def __str__(self) -> str:
        count = len(self.latencies_s)
        p50_ms, p99_ms = (1000 * self.latencies_s[int(count * share)] for share in (0.50, 0.99))
        costs = ", ".join(f"{name} {1000 * cost_s / count:.2f}" for name, cost_s in self.cpu_s.items())
        return f"{self.rate:.0f}/s, p50 {p50_ms:.0f} ms, p99 {p99_ms:.0f} ms, CPU ms each: {costs}"


def run() -> Iterator[str]:
    for database in DATABASES:
        with place(database, listeners=max(CROWDS)) as here:
            for crowd in CROWDS:
                yield from _compare(database, here, crowd)


def _compare(database: str, here: Place, crowd: int) -> Iterator[str]:
    totals = {"bare": Totals(), "votes": Totals()}
    for path in totals:
        _load(here, path, crowd, WARM_UP_S)
    for _ in range(ROUNDS):
        for path, total in totals.items():
            before = here.cpu_s()
            outcome = _load(here, path, crowd, SECONDS_A_ROUND)
            total.add(outcome, {name: cost_s - before[name] for name, cost_s in here.cpu_s().items()})
    bare, votes = totals["bare"], totals["votes"]
    load = os.getloadavg()[0]
    yield f"{database}, {crowd} listeners: votes / bare INSERT {votes.rate / bare.rate:.2f} (load average {load:.1f})"
    yield f"  votes {votes}"
    yield f"  bare  {bare}"


def _load(here: Place, path: str, crowd: int, seconds: float) -> dict[str, Any]:
    """One stretch of requests, sent by a process of its own; listeners go on where they were."""
    people = here.listeners[:crowd]
    task = {"port": here.web.port, "path": path, "seconds": seconds}
    task["listeners"] = [{"sent": 0} | person for person in people]
    said = subprocess.run(
        [sys.executable, "-m", "bench.vote_load"], input=json.dumps(task).encode(), stdout=subprocess.PIPE, check=False
    )
    if said.returncode:
        sys.exit("the load generator stopped; what it said stands above")
    outcome: dict[str, Any] = json.loads(said.stdout)
    if path == "votes":
        for person, sent in zip(people, outcome["sent"], strict=True):
            person["sent"] = sent
    return outcome
