"""Programs that benchmarks run: a command to its end, with what it and its processes cost, and Chromium."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.provision import chromium_program

SAMPLE_EVERY_S = 0.25
NO_CHROMIUM = "Chromium is not installed: nothing is measured"


@dataclass(frozen=True)
class Cost:
    wall_s: float
    cpu_s: float
    peak_mb: float  # of the whole tree, every shared page counted once


def chromium_for_pages() -> Path | None:
    """Chromium where it is installed, with the static files collected that pages need."""
    from django.core.management import call_command

    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright runs an event loop in this thread
    call_command("collectstatic", interactive=False, verbosity=0)
    return chromium_program()


def cost_of(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Cost:
    """Run it; a command that fails has measured nothing, so it ends the benchmark."""
    before, started = _children_cpu_s(), time.perf_counter()
    process = subprocess.Popen(
        command,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    peak_kb = 0
    while process.poll() is None:
        peak_kb = max(peak_kb, sum(map(proportional_kb, tree(process.pid))))
        time.sleep(SAMPLE_EVERY_S)
    wall_s = time.perf_counter() - started
    if process.returncode:
        said = process.stderr.read().decode(errors="replace") if process.stderr else ""
        sys.exit(f"{command[0]} failed:\n{said[-2000:]}")
    return Cost(wall_s, _children_cpu_s() - before, peak_kb / 1024)


def _children_cpu_s() -> float:
    """What processes have cost that were waited for, and those that they waited for in their turn."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tree(root: int) -> Iterator[int]:
    yield root
    for listed in Path(f"/proc/{root}/task").glob("*/children"):
        try:
            children = listed.read_text().split()
        except OSError:
            continue
        for child in children:
            yield from tree(int(child))


def proportional_kb(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
