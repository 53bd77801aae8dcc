"""Targets of ./earmark."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.console import ROOT, Stop, complain, say
from scripts.install import PYTHON, TEST_REQUIREMENTS, keep_bytecode, set_up


@dataclass(frozen=True)
class Target:
    summary: str
    work: Callable[[Sequence[str]], int]


def run(arguments: Sequence[str]) -> int:
    from scripts.run import run as start

    return start(arguments)


def test(arguments: Sequence[str]) -> int:
    from scripts.testing import test as run_all

    return run_all(arguments)


def check(arguments: Sequence[str]) -> int:
    from scripts.checking import check as run_checks

    return run_checks(arguments)


def faults(arguments: Sequence[str]) -> int:
    from scripts.testing import faults as run_faults

    return run_faults(arguments)


def lock(arguments: Sequence[str]) -> int:
    from scripts.locking import lock as write_locks

    return write_locks()


def bench(arguments: Sequence[str]) -> int:
    set_up(TEST_REQUIREMENTS)
    return subprocess.run([PYTHON, "-m", "bench", *arguments], cwd=ROOT, check=False).returncode


def screenshots(arguments: Sequence[str]) -> int:
    set_up(TEST_REQUIREMENTS)
    return subprocess.run([PYTHON, "-m", "scripts.screenshots", *arguments], cwd=ROOT, check=False).returncode


def manage(arguments: Sequence[str]) -> int:
    """Django's own commands, in the folder the caller is in, so that file names mean what they seem to mean."""
    set_up()
    called_from = Path(os.environ.get("EARMARK_CALLED_FROM", ROOT))
    return subprocess.run([PYTHON, ROOT / "manage.py", *arguments], cwd=called_from, check=False).returncode


def help_(arguments: Sequence[str]) -> int:
    say("Usage: ./earmark <target> [arguments]\n")
    for name, target in TARGETS.items():
        say(f"  {name:<12} {target.summary}")
    return 0


TARGETS = {
    "run": Target("start Earmark here: set-up, database, demo, web server and worker (--port N, --host H)", run),
    "test": Target(
        "test everything once: PostgreSQL with Redis, SQLite, a browser, kills (--all: every test on both databases, "
        "days of sound, every look; [pytest arguments])",
        test,
    ),
    "check": Target(
        "format, lint, types, import contracts, migrations, translations and the fast tests (--static: without tests)",
        check,
    ),
    "faults": Target("the kill tests at larger sizes (EARMARK_FAULT_SCALE, 5 unless set; [pytest arguments])", faults),
    "bench": Target("the benchmarks ([arguments])", bench),
    "lock": Target("pin every dependency again, with hashes, from requirements*.in and frontend/package.json", lock),
    "screenshots": Target("make the pictures in docs/screenshots/ again", screenshots),
    "manage": Target("one of Django's or Earmark's commands, for example: ./earmark manage doctor", manage),
    "help": Target("this list", help_),
}


def main(arguments: Sequence[str]) -> int:
    name, *rest = arguments or ["help"]
    target = TARGETS.get({"-h": "help", "--help": "help"}.get(name, name))
    if target is None:
        complain(f"./earmark has no target {name!r}; ./earmark help lists them.")
        return 2
    keep_bytecode()
    try:
        return target.work(rest)
    except Stop as reason:
        complain(str(reason))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
