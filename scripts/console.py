"""Console output: lines of progress, and the explanation of a step that fails."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "var" / "log"
TAIL_LINES = 25

# What the end of a log says, and what its reader should do about it.
REMEDIES = {
    r"command '\S*(gcc|cc|clang|c\+\+|g\+\+)' failed|[Nn]o acceptable C compiler|Unknown compiler": (
        "A package has no ready-made build for this machine and no C compiler was found; install one "
        "(Debian, Ubuntu: apt-get install build-essential python3-dev) and start again."
    ),
    r"No space left on device|\bENOSPC\b": "The disk is full; make room (about 1 GB is needed) and start again.",
    r"[Nn]ame resolution|dns error|\bENOTFOUND\b|\bEAI_AGAIN\b|Network is unreachable|NewConnectionError": (
        "The package index cannot be reached; the first start needs the network once."
    ),
    r"Permission denied|\bEACCES\b": (
        "A file cannot be written; give this account write access to Earmark's folder and start again."
    ),
}


class Stop(Exception):
    """The command cannot go on; the text is one sentence that says what is wrong and what would be right."""


def words(*parts: str | Path) -> list[str]:
    """A command line from names and paths."""
    return [str(part) for part in parts]


def say(text: str) -> None:
    print(text, flush=True)


def step(name: str, command: Sequence[str], *, log: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """Run one quiet command with its output in a log; a failure shows the end of it. Returns what it printed."""
    started = time.monotonic()
    returncode, path = logged(command, log=log, cwd=cwd, env=env)
    output = path.read_text(errors="replace")
    if returncode != 0:
        raise Stop(explain(name, output, path))
    say(f"  {name} ({time.monotonic() - started:.1f} s)")
    return output


def logged(
    command: Sequence[str], *, log: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> tuple[int, Path]:
    """Run a command with everything it prints in var/log; returns its exit status and the log."""
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / f"{log}.log"
    with path.open("wb") as output:
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    return done.returncode, path


def explain(name: str, output: str, path: Path) -> str:
    """The end of a failed step's log, and the remedy where the log is of a kind we know."""
    end = output.splitlines()[-TAIL_LINES:]
    known = next((remedy for pattern, remedy in REMEDIES.items() if re.search(pattern, "\n".join(end))), None)
    tail = "\n".join(f"  | {line}" for line in end)
    return f"{tail}\n{known or f'This step failed: {name}.'} The full log is {shown(path)}."


def shown(path: Path) -> str:
    """A path as short as it can be said."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def complain(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
