"""`./earmark check`: all checks in one command."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts.console import ROOT, complain, logged, say, shown, words
from scripts.install import FRONTEND, PYTHON, TEST_REQUIREMENTS, VENV, node_environment, set_up

FAST = "not faults and not browser"
TESTS = {"front-end tests", "fast tests"}
STATIC_ONLY = "--static"  # for a run of every test right afterwards
AT_ONCE = 2  # mypy takes longer than all the others without tests together


def checks() -> list[tuple[str, list[str], Path]]:
    """Name, command and folder of everything that must hold."""
    python, manage = words(PYTHON, "-m"), words(PYTHON, ROOT / "manage.py")
    npm = words(VENV / "bin" / "npm", "run", "--silent")
    return [
        ("types", [*python, "mypy"], ROOT),
        ("format", [*python, "ruff", "format", "--check", "."], ROOT),
        ("lint", [*python, "ruff", "check", "."], ROOT),
        ("import contracts", words(VENV / "bin" / "lint-imports"), ROOT),
        ("settings", [*manage, "check"], ROOT),
        ("error docs", [*manage, "error_docs", "--check"], ROOT),
        ("migrations", [*manage, "makemigrations", "--check", "--dry-run"], ROOT),
        ("front-end types", [*npm, "types"], FRONTEND),
        ("front-end lint", [*npm, "lint"], FRONTEND),
        ("front-end tests", [*npm, "test"], FRONTEND),
        # The catalogues are compared with the code by tests/contracts/test_catalogue.py, which is among these.
        ("fast tests", [*python, "pytest", "-q", "-m", FAST, "-n", "2"], ROOT),
    ]


def check(arguments: Sequence[str]) -> int:
    """Everything is looked at even after a failure, so that one run shows all there is to mend."""
    set_up(TEST_REQUIREMENTS)
    asked = [one for one in checks() if STATIC_ONLY not in arguments or one[0] not in TESTS]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        passed = list(pool.map(lambda one: _passes(*one), asked))
    failed = [name for (name, _, _), fine in zip(asked, passed, strict=True) if not fine]
    say(f"\ncheck: {'failed: ' + ', '.join(failed) if failed else 'all good'}")
    return 1 if failed else 0


def _passes(name: str, command: list[str], folder: Path) -> bool:
    started = time.monotonic()
    environment = {**node_environment(), "EARMARK_TEST_DATABASE": "sqlite", "NO_COLOR": "1"}
    status, log = logged(command, log=f"check-{name.replace(' ', '-')}", cwd=folder, env=environment)
    if status != 0:
        complain(f"{log.read_text(errors='replace').rstrip()}\n  {name}: FAILED (log: {shown(log)})")
    else:
        say(f"  {name}: ok ({time.monotonic() - started:.1f} s)")
    return status == 0
