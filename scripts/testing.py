"""`./earmark test`: the front end, then pytest on SQLite, on PostgreSQL with Redis, and in a browser."""

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from scripts.console import LOGS, ROOT, complain, say
from scripts.install import FRONTEND, PYTHON, TEST_REQUIREMENTS, VENV, node_environment, set_up
from scripts.provision import PIECES, provide

NOTHING_COLLECTED = 5
# What knows no database is tested once.
WITHOUT_PURE = ("--ignore=tests/stimuli/sound", "--ignore=tests/stimuli/intake")
COUNTED = ("passed", "failed", "errors", "skipped")


@dataclass
class Outcome:
    """What one line of the closing summary says."""

    counts: dict[str, int] = field(default_factory=dict)
    failed: bool = False
    missing: str = ""

    def __str__(self) -> str:
        if self.missing:
            return f"SKIPPED: {self.missing}"
        said = ", ".join(f"{count} {name}" for name in COUNTED if (count := self.counts.get(name, 0)))
        return (said or "nothing to run") + (" - FAILED" if self.failed else "")


def test(arguments: Sequence[str]) -> int:
    set_up(TEST_REQUIREMENTS)
    missing = _provide_pieces()
    if arguments:
        outcomes = {
            "sqlite": _pytest("sqlite", arguments, chosen=True),
            "postgresql": _pytest("postgresql", arguments, missing=_servers(missing), chosen=True),
        }
    else:
        outcomes = {"front end": _front_end()}
        # Two processes for what is quick; what kills processes has the machine to itself.
        for database, lacking in (("sqlite", ""), ("postgresql", _servers(missing))):
            quick = ["-m", "not browser and not faults", "-n", "2", *(WITHOUT_PURE if database == "postgresql" else ())]
            outcomes[database] = _pytest(database, quick, missing=lacking)
            outcomes[f"{database} faults"] = _pytest(database, ["-m", "faults"], missing=lacking, part="faults")
        lacking = missing.get("Chromium", "")
        outcomes["browser"] = _pytest("sqlite", ["-m", "browser"], missing=lacking, part="browser")
    return summary(outcomes, missing)


def faults(arguments: Sequence[str]) -> int:
    """The kill tests, larger than a test run has time for."""
    set_up(TEST_REQUIREMENTS)
    missing = _provide_pieces()
    os.environ.setdefault("EARMARK_FAULT_SCALE", "5")
    chosen = ["-m", "faults", *arguments]
    outcomes = {
        "sqlite faults": _pytest("sqlite", chosen, part="faults"),
        "postgresql faults": _pytest("postgresql", chosen, missing=_servers(missing), part="faults"),
    }
    return summary(outcomes, missing)


def _provide_pieces() -> dict[str, str]:
    """Find or install the servers and the browser; returns why those that cannot be had are missing."""
    LOGS.mkdir(parents=True, exist_ok=True)
    reasons = {piece.name: provide(piece, LOGS / "provision.log") for piece in PIECES}
    return {name: reason for name, reason in reasons.items() if reason}


def _servers(missing: dict[str, str]) -> str:
    return " ".join(missing[name] for name in ("PostgreSQL", "Redis") if name in missing)


def _front_end() -> Outcome:
    """Types, lint and tests of the TypeScript; every one of them runs, whatever the others say."""
    outcome = Outcome()
    for script in ("types", "lint", "test"):
        say(f"\n== front end: {script}")
        done = subprocess.run(
            [VENV / "bin" / "npm", "run", "--silent", script],
            cwd=FRONTEND,
            env={**os.environ, **node_environment()},
            check=False,
        )
        outcome.failed |= done.returncode != 0
        name = "passed" if done.returncode == 0 else "failed"
        outcome.counts[name] = outcome.counts.get(name, 0) + 1
    return outcome


def _pytest(
    database: str, arguments: Sequence[str], *, missing: str = "", part: str = "tests", chosen: bool = False
) -> Outcome:
    """One run of pytest. What a person chose may live on one database only; any other run without tests has failed."""
    if missing:
        return Outcome(missing=missing)
    say(f"\n== {database}: {part}")
    report = LOGS / f"{database}-{part}.xml"
    report.unlink(missing_ok=True)
    done = subprocess.run(
        # The older report family is the one that may hold a test's own figures (record_property).
        [PYTHON, "-m", "pytest", f"--junitxml={report}", "-o", "junit_family=xunit1", *arguments],
        cwd=ROOT,
        env={**os.environ, "EARMARK_TEST_DATABASE": database},
        check=False,
    )
    fine = {0, NOTHING_COLLECTED} if chosen else {0}
    return Outcome(counts=_counts(report), failed=done.returncode not in fine)


def _counts(report: Path) -> dict[str, int]:
    if not report.exists():
        return {}
    suites = ElementTree.parse(report).getroot().iter("testsuite")  # noqa: S314 - pytest wrote it a moment ago
    totals = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in suites:
        for name in totals:
            totals[name] += int(suite.get(name, 0))
    passed = totals["tests"] - totals["failures"] - totals["errors"] - totals["skipped"]
    return {"passed": passed, "failed": totals["failures"], "errors": totals["errors"], "skipped": totals["skipped"]}


def summary(outcomes: dict[str, Outcome], missing: dict[str, str]) -> int:
    say(f"\n{'=' * 78}")
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
