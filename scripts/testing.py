"""`./earmark test`: the front end and pytest in stages: both databases, a browser, and kills."""

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from scripts.console import LOGS, ROOT, complain, say, words
from scripts.install import FRONTEND, PYTHON, TEST_REQUIREMENTS, VENV, node_environment, set_up
from scripts.provision import PIECES, provide

NOTHING_COLLECTED = 5
COUNTED = ("passed", "failed", "errors", "skipped")
SLOWEST = 10
EVERYTHING = "--all"
SERVERS, BROWSER = ("PostgreSQL", "Redis"), ("Chromium",)
ONLY_FOR_EVERYTHING = ("Audacity", "Xvfb", "Firefox", "PulseAudio", "R")
# Starts the sandbox, which compiles the kernels where nothing was compiled yet.
COMPILE_KERNELS = "from audio.sandbox.client import fork_server\nwith fork_server.child():\n    pass"
SMALL_SCALE = "0.1"  # of the kill tests, where nobody asked for all of it
# Every process collects all tests, has a database and a sandbox of its own, and warms up: two are enough for two cores.
TOGETHER = ("-n", "2", "--dist", "worksteal")
# Every module with what it has set up in one process.
BY_MODULE = ("-n", "2", "--dist", "loadfile")
AT_ONCE = 2  # stages
# Browser and kill tests wait much of the time, for sound, pages, leases and restarts. The stages that only compute run
# beside them and step back for them, so that they find the machine as if it were theirs.
STEPS_BACK = ("nice", "-n", "10")
# SQLite is what `./earmark run` uses, and what the browser tests run on, with whole journeys through every protocol.
# What speaks to the database in a way of its own is tested on it beside them.
ON_SQLITE = (
    "tests/contracts/test_private_files.py::test_copies_of_the_database_are_private",
    "tests/core/jobs",
    "tests/core/test_audit.py",
    "tests/core/test_backups.py",
    "tests/core/test_checks.py",
    "tests/core/test_database.py",
    "tests/core/test_doctor.py",
    "tests/core/test_http_errors.py",
    "tests/core/test_sql.py",
    "tests/listening/panels/test_seats.py",
    "tests/listening/participation/test_votes_api.py",
    "tests/races",
    "tests/rating/test_disposal.py",
    "tests/rating/test_vote_chain.py",
    "tests/rating/test_vote_model.py",
    "tests/rating/test_votes.py",
    "tests/stimuli/test_imports.py",
    "tests/stimuli/test_import_jobs.py",
    "tests/stimuli/test_uploads.py",
)

IN_BROWSER = ("tests/e2e",)
KILLS = (
    "tests/contracts/test_commands.py",
    "tests/faults",
    "tests/races/test_claims.py",
    "tests/stimuli/imports/test_aup3.py",
)
# Votes and jobs survive a kill on both databases. Claims and the pieces of an upload are tested on PostgreSQL.
KILLS_ON_SQLITE = (
    "tests/contracts/test_commands.py",
    "tests/faults/test_job_kills.py",
    "tests/faults/test_vote_kills.py",
)


@dataclass
class Outcome:
    """What one line of the closing summary says."""

    counts: dict[str, int] = field(default_factory=dict)
    failed: bool = False
    missing: str = ""
    seconds: float = 0.0
    cpu_s: float = 0.0
    times: list[tuple[float, str]] = field(default_factory=list)

    def __str__(self) -> str:
        if self.missing:
            return f"SKIPPED: {self.missing}"
        said = ", ".join(f"{count} {name}" for name in COUNTED if (count := self.counts.get(name, 0)))
        computed = f", {self.cpu_s:.0f} s of CPU" if self.cpu_s else ""
        spent = f" ({_minutes(self.seconds)}{computed})" if self.seconds else ""
        return (said or "nothing to run") + spent + (" - FAILED" if self.failed else "")


@dataclass(frozen=True)
class Stage:
    """One run of pytest: on which database, with which arguments, and what the machine must have for it."""

    name: str
    database: str
    arguments: tuple[str, ...]
    needs: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    computes: bool = False


def stages(*, everything: bool) -> list[Stage]:
    """What `./earmark test` runs: each test once and what is SQLite's own, or all on both databases."""
    short = "" if everything else " and not long"
    sqlite, sqlite_kills = ((), KILLS) if everything else (ON_SQLITE, KILLS_ON_SQLITE)
    how = {"EARMARK_TEST_ALL": "1" if everything else ""}
    scale = os.environ.get("EARMARK_FAULT_SCALE", "1" if everything else SMALL_SCALE)
    kills = how | kill_environment(scale)
    quick = ("-m", f"not browser and not faults{short}", *TOGETHER)
    faults = ("-m", f"faults{short}")
    browser = ("-m", f"browser{short}", *(BY_MODULE if everything else ()), *IN_BROWSER)
    return [
        Stage("postgresql", "postgresql", quick, SERVERS, how, computes=True),
        Stage("browser", "sqlite", browser, BROWSER, how),
        Stage("postgresql faults", "postgresql", (*faults, *KILLS), SERVERS, kills),
        Stage("sqlite faults", "sqlite", (*faults, *sqlite_kills), (), kills),
        # Last, because its two processes keep both cores busy when no other stage is left.
        Stage("sqlite", "sqlite", (*quick, *sqlite), (), how, computes=True),
    ]


def kill_environment(scale: str) -> dict[str, str]:
    """The size of the kill tests, which are the ones that need a database on a disk."""
    return {"EARMARK_FAULT_SCALE": scale, "EARMARK_TEST_ON_DISK": "1"}


def test(arguments: Sequence[str]) -> int:
    set_up(TEST_REQUIREMENTS)
    everything = EVERYTHING in arguments
    chosen = tuple(argument for argument in arguments if argument != EVERYTHING)
    missing = _provide_pieces(left_out=() if everything or chosen else ONLY_FOR_EVERYTHING)
    if chosen:
        how = {"EARMARK_TEST_ALL": "1" if everything else os.environ.get("EARMARK_TEST_ALL", "")}
        asked = [Stage("sqlite", "sqlite", chosen, environment=how)]
        asked.append(Stage("postgresql", "postgresql", chosen, SERVERS, how))
        return summary({stage.name: _pytest(stage, missing, chosen=True) for stage in asked}, missing)
    return summary(_side_by_side(stages(everything=everything), missing), missing)


def faults(arguments: Sequence[str]) -> int:
    """The kill tests, larger than a test run has time for."""
    set_up(TEST_REQUIREMENTS)
    missing = _provide_pieces()
    scale = kill_environment(os.environ.get("EARMARK_FAULT_SCALE", "5"))
    chosen = ("-m", "faults", *(arguments or KILLS))
    asked = [Stage("sqlite faults", "sqlite", chosen, environment=scale)]
    asked.append(Stage("postgresql faults", "postgresql", chosen, SERVERS, scale))
    return summary({stage.name: _pytest(stage, missing) for stage in asked}, missing)


def _provide_pieces(*, left_out: Sequence[str] = ()) -> dict[str, str]:
    """Find or install the servers and the browser; returns why those that cannot be had are missing."""
    LOGS.mkdir(parents=True, exist_ok=True)
    reasons = {piece.name: provide(piece, LOGS / "provision.log") for piece in PIECES if piece.name not in left_out}
    return {name: reason for name, reason in reasons.items() if reason}


def _front_end() -> Outcome:
    """The tests of the TypeScript; its types and its style are among what `./earmark check` looks at."""
    started = time.monotonic()
    done = subprocess.run(
        [VENV / "bin" / "npm", "run", "--silent", "test"],
        cwd=FRONTEND,
        env={**os.environ, **node_environment()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    say(f"\n== front end\n{done.stdout}")
    counts = {name: int(count) for name, count in re.findall(r"^. (pass|fail) (\d+)$", done.stdout, re.MULTILINE)}
    return Outcome(
        {"passed": counts.get("pass", 0), "failed": counts.get("fail", 0)},
        failed=done.returncode != 0 or not counts.get("pass"),
        seconds=time.monotonic() - started,
    )


def _compile_once() -> None:
    """Compile bytecode and kernels before the stages start: otherwise each of their processes does it for itself."""
    started = time.monotonic()
    kernels = words(PYTHON, "manage.py", "shell", "--verbosity", "0", "--command", COMPILE_KERNELS)
    collected = words(PYTHON, "-m", "pytest", "--collect-only", "-qq")
    run = partial(subprocess.run, cwd=ROOT, capture_output=True, text=True, check=False)
    with ThreadPoolExecutor() as pool:
        for done in pool.map(run, (kernels, collected)):
            if done.returncode != 0:
                complain(f"This could not be compiled beforehand:\n{done.stdout}{done.stderr}")
    say(f"Bytecode and kernels compiled ({_minutes(time.monotonic() - started)})")


def _side_by_side(asked: list[Stage], missing: dict[str, str]) -> dict[str, Outcome]:
    """Run two stages at a time, one that computes beside those that wait; whichever ends first makes room for the next.

    The first speaks while it runs, the others when they are over.
    """

    def run(stage: Stage) -> Outcome:
        return _pytest(stage, missing, aside=stage is not asked[0])

    with ThreadPoolExecutor() as beside, ThreadPoolExecutor(AT_ONCE) as pool:
        front_end = beside.submit(_front_end)
        _compile_once()
        done = dict(zip((stage.name for stage in asked), pool.map(run, asked), strict=True))
    return {"front end": front_end.result(), **done}


def _pytest(stage: Stage, missing: dict[str, str], *, chosen: bool = False, aside: bool = False) -> Outcome:
    """One run of pytest. What a person chose may live on one database only; any other run without tests has failed.

    The words of a stage that runs aside come when it is over.
    """
    if lacking := " ".join(missing[name] for name in stage.needs if name in missing):
        return Outcome(missing=lacking)
    say(f"\n== {stage.name}{' (its lines follow when it is over)' if aside else ''}")
    report = LOGS / f"{stage.name.replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    front = STEPS_BACK if stage.computes else ()
    started = time.monotonic()
    with tempfile.TemporaryFile("w+") as lines:
        process = subprocess.Popen(
            # The older report family is the one that may hold a test's own figures (record_property).
            [*front, PYTHON, "-m", "pytest", f"--junitxml={report}", "-o", "junit_family=xunit1", *stage.arguments],
            cwd=ROOT,
            env={**os.environ, **stage.environment, "EARMARK_TEST_DATABASE": stage.database},
            stdout=lines if aside else None,
            stderr=subprocess.STDOUT if aside else None,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if aside:
            lines.seek(0)
            say(f"\n== {stage.name}\n{lines.read()}")
    fine = {0, NOTHING_COLLECTED} if chosen else {0}
    outcome = read_report(report)
    outcome.failed, outcome.seconds = process.returncode not in fine, time.monotonic() - started
    outcome.cpu_s = used.ru_utime + used.ru_stime
    return outcome


def read_report(report: Path) -> Outcome:
    """The counts and the times of the tests in a report that pytest has written."""
    if not report.exists():
        return Outcome()
    suites = ElementTree.parse(report).getroot()  # noqa: S314 - pytest wrote it a moment ago
    totals = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in suites.iter("testsuite"):
        for name in totals:
            totals[name] += int(suite.get(name, 0))
    passed = totals["tests"] - totals["failures"] - totals["errors"] - totals["skipped"]
    counts = {"passed": passed, "failed": totals["failures"], "errors": totals["errors"], "skipped": totals["skipped"]}
    times = [
        (float(case.get("time", 0)), f"{case.get('file')}::{case.get('name')}") for case in suites.iter("testcase")
    ]
    return Outcome(counts=counts, times=times)


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60} min {int(seconds) % 60} s" if seconds >= 60 else f"{seconds:.0f} s"


def summary(outcomes: dict[str, Outcome], missing: dict[str, str]) -> int:
    say(f"\n{'=' * 78}")
    times = [(spent, test, name) for name, outcome in outcomes.items() for spent, test in outcome.times]
    if times:
        say("The slowest tests:")
    for spent, test, name in sorted(times, reverse=True)[:SLOWEST]:
        say(f"  {spent:5.1f} s  {test} ({name})")
    for name, outcome in outcomes.items():
        say(f"{name}: {outcome}")
    for reason in missing.values():
        complain(f"not tested: {reason}")
    strict = os.environ.get("CI") == "true"
    failed = any(outcome.failed for outcome in outcomes.values()) or (strict and bool(missing))
    # A run in which no test ran at all proves nothing, so it is no success.
    failed |= not any(outcome.counts.get("passed") for outcome in outcomes.values())
    say(f"\n{time.strftime('%H:%M:%S')} {'FAILED' if failed else 'all passed'}")
    return 1 if failed else 0
