"""The ./earmark command: what it says when all is well, and the one sentence when something is not."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings

from scripts.__main__ import TARGETS
from scripts.console import explain
from scripts.install import base_python
from scripts.provision import PIECES, Piece, pinned, provide
from scripts.run import addresses
from scripts.testing import IN_BROWSER, KILLS, KILLS_ON_SQLITE, ON_SQLITE, Outcome, read_report, stages, summary
from tests.contracts.tree import bytecode_of, copy_kernels, link_bytecode, modules
from tests.processes import children_of, is_alive
from tests.servers import free_port
from tests.waiting import wait_until

ROOT = settings.BASE_DIR
START_TIMEOUT_S = 300
LEFT_BEHIND = (".git", ".venv", "var", "node_modules", "__pycache__", "dist", "*.mo", ".*_cache", ".hypothesis")


def earmark(*arguments: str, tree: Path = ROOT, **options: object) -> subprocess.CompletedProcess[str]:
    command = [str(tree / "earmark"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)  # type: ignore[call-overload,no-any-return]


@pytest.fixture
def bare_tree(tmp_path: Path) -> Path:
    """The command in a folder of its own, with a space in its path and nothing installed."""
    tree = tmp_path / "a folder"
    tree.mkdir()
    shutil.copy(ROOT / "earmark", tree)
    shutil.copytree(ROOT / "scripts", tree / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.glob("requirements*.txt"):
        shutil.copy(path, tree)
    return tree


def test_help_lists_every_target() -> None:
    said = earmark("help")
    assert said.returncode == 0
    assert all(f"\n  {name} " in said.stdout for name in TARGETS)


def test_it_works_from_any_folder_and_through_a_link(tmp_path: Path) -> None:
    link = tmp_path / "bin" / "earmark"
    link.parent.mkdir()
    link.symlink_to(os.path.relpath(ROOT / "earmark", link.parent))
    said = subprocess.run([link, "help"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout) == (0, earmark("help").stdout)


def test_an_unknown_target_is_refused_with_the_way_to_the_list() -> None:
    said = earmark("jump")
    assert (said.returncode, said.stdout) == (2, "")
    assert "./earmark help" in said.stderr


def test_the_environment_has_an_optimised_python_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for the system's Python says yes to every question, another one no."""
    monkeypatch.delenv("EARMARK_PYTHON", raising=False)
    good, poor = tmp_path / "good", tmp_path / "poor"
    for program, status in ((good, 0), (poor, 1)):
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
    this = base_python(system=poor)
    assert this == getattr(sys, "_base_executable", sys.executable)
    assert base_python(system=tmp_path / "none") == this
    monkeypatch.setattr("sysconfig.get_config_var", lambda name: "--enable-shared")
    assert base_python(system=good) == str(good)
    assert base_python(system=poor) == this
    monkeypatch.setenv("EARMARK_PYTHON", this)
    assert base_python(system=good) == this
    monkeypatch.delenv("EARMARK_PYTHON")
    monkeypatch.setattr("sysconfig.get_config_var", lambda name: "--enable-optimizations --with-lto")
    assert base_python(system=good) == this


def test_a_too_old_python_is_refused_in_one_sentence(bare_tree: Path, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "dirname", "readlink"):
        (programs / name).symlink_to(shutil.which(name) or name)
    old = programs / "python3"
    old.write_text('#!/bin/sh\ncase "$2" in *platform*) echo 3.9.2 ;; *) exit 1 ;; esac\n')
    old.chmod(0o755)
    said = earmark("run", tree=bare_tree, env={"PATH": str(programs)})
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.startswith("Earmark needs Python 3.11 or newer, and this machine has 3.9.2: install one")
    assert said.stderr.count("\n") == 1


def test_a_python_without_venv_is_refused_with_the_package_to_install(bare_tree: Path) -> None:
    without = (
        "import sys; sys.modules['ensurepip'] = None\n"
        "from scripts.__main__ import main\n"
        "sys.exit(main(['run', '--port', '0']))"
    )
    said = subprocess.run([sys.executable, "-c", without], cwd=bare_tree, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert "apt-get install python3-venv" in said.stderr
    assert not (bare_tree / ".venv").exists()


def test_a_taken_port_is_refused_before_anything_is_installed(bare_tree: Path) -> None:
    with socket.socket() as occupant:
        occupant.bind(("127.0.0.1", 0))
        occupant.listen(1)
        port = occupant.getsockname()[1]
        said = earmark("run", "--port", str(port), tree=bare_tree)
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.startswith(f"Port {port} is taken by another program;")
    assert "./earmark run --port " in said.stderr
    assert not (bare_tree / ".venv").exists()


def test_an_address_of_another_machine_is_refused(bare_tree: Path) -> None:
    said = earmark("run", "--host", "192.0.2.1", "--port", str(free_port()), tree=bare_tree)
    assert said.returncode == 1
    assert "192.0.2.1 is not an address of this machine" in said.stderr


def test_a_server_that_others_can_reach_asks_staff_for_a_second_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EARMARK_PUBLIC_URL", "EARMARK_HOSTS", "EARMARK_SECOND_FACTOR"):
        monkeypatch.delenv(name, raising=False)
    assert "EARMARK_SECOND_FACTOR" not in addresses("127.0.0.1", 8000)
    assert addresses("192.0.2.1", 8000)["EARMARK_SECOND_FACTOR"] == "true"
    assert "192.0.2.1" in addresses("192.0.2.1", 8000)["EARMARK_HOSTS"].split(",")


@pytest.mark.parametrize(
    ("log", "remedy"),
    [
        ("error: command 'gcc' failed: No such file or directory", "no C compiler was found; install one"),
        ("OSError: [Errno 28] No space left on device", "The disk is full"),
        ("Temporary failure in name resolution", "The package index cannot be reached"),
        ("ModuleNotFoundError: No module named 'x'", "This step failed: Prepared."),
    ],
)
def test_a_failed_step_names_the_remedy_where_it_is_known(log: str, remedy: str) -> None:
    assert remedy in explain("Prepared", f"one\ntwo\n{log}", ROOT / "var" / "log" / "x.log")


def test_a_failed_step_shows_the_end_of_its_log_and_where_the_rest_is() -> None:
    said = explain("Prepared", "\n".join(f"line {number}" for number in range(100)), ROOT / "var" / "log" / "x.log")
    assert "line 99" in said
    assert "line 10\n" not in said
    assert said.endswith("The full log is var/log/x.log.")


def test_a_piece_that_cannot_be_had_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.provision.can_use_apt", lambda: False)
    absent = Piece("Sundial", lambda: None, "sundial")
    said = provide(absent, tmp_path / "log")
    assert said.startswith("Sundial is not on this machine and could not be installed;")
    assert "apt-get install sundial" in said


def test_every_wheel_that_may_be_installed_on_demand_is_pinned_with_hashes() -> None:
    wheels = [piece.wheel for piece in PIECES if piece.wheel]
    assert wheels
    assert all("--hash=sha256:" in pinned(wheel) for wheel in wheels)


def test_what_was_not_tested_is_said_and_fails_on_a_build_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = {"sqlite": Outcome(counts={"passed": 3}), "postgresql": Outcome(missing="PostgreSQL is not here.")}
    missing = {"PostgreSQL": "PostgreSQL is not here."}
    monkeypatch.delenv("CI", raising=False)
    assert summary(outcomes, missing) == 0
    said = capsys.readouterr()
    assert "sqlite: 3 passed" in said.out
    assert "postgresql: SKIPPED: PostgreSQL is not here." in said.out
    assert "not tested: PostgreSQL is not here." in said.err
    monkeypatch.setenv("CI", "true")
    assert summary(outcomes, missing) == 1


def test_a_failed_pass_and_a_run_without_any_test_are_failures() -> None:
    assert summary({"sqlite": Outcome(counts={"passed": 3, "failed": 1}, failed=True)}, {}) == 1
    assert summary({"sqlite": Outcome()}, {}) == 1


REPORT = """<testsuites><testsuite errors="0" failures="1" skipped="1" tests="4">
<testcase file="tests/a.py" name="quick" time="0.25"/><testcase file="tests/a.py" name="slow" time="71.5"/>
</testsuite></testsuites>"""


def test_the_summary_says_what_was_slow_and_how_long_each_stage_took(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    outcome = read_report(tmp_path / "report.xml")
    outcome.seconds = 123
    summary({"sqlite": outcome}, {})
    said = capsys.readouterr().out
    assert "sqlite: 2 passed, 1 failed, 1 skipped (2 min 3 s)\n" in said
    assert said.index("71.5 s  tests/a.py::slow (sqlite)") < said.index("0.2 s  tests/a.py::quick (sqlite)")


def test_the_short_run_has_on_sqlite_whatever_runs_on_no_other_database() -> None:
    assert all((ROOT / path.partition("::")[0]).exists() for path in (*ON_SQLITE, *KILLS_ON_SQLITE))
    own = re.compile(r'\bTEST_DATABASE != "sqlite", reason')
    alone = [path for path in modules("tests") if own.search(path.read_text(encoding="utf-8"))]
    assert len(alone) >= 2
    selected = [ROOT / path.partition("::")[0] for path in ON_SQLITE]
    for path in alone:
        assert any(path.is_relative_to(part) for part in selected), f"{path} runs in no stage"


@pytest.mark.parametrize(
    ("marker", "stage", "folders"), [("browser", "browser", IN_BROWSER), ("faults", "sqlite faults", KILLS)]
)
def test_a_stage_that_collects_some_folders_has_every_test_of_its_marker(
    marker: str, stage: str, folders: tuple[str, ...]
) -> None:
    marked = [
        path for path in modules("tests") if re.search(rf"pytest\.mark\.{marker}\b", path.read_text(encoding="utf-8"))
    ]
    selected = [ROOT / path for path in folders]
    assert len(marked) >= 2
    assert [path for path in marked if not any(path.is_relative_to(part) for part in selected)] == []
    chosen = {found.name: found.arguments for found in stages(everything=True)}
    assert set(folders) <= set(chosen[stage])


def test_with_all_nothing_is_left_out() -> None:
    long = {stage.name: stage for stage in stages(everything=True)}
    assert "long" not in " ".join(word for stage in long.values() for word in stage.arguments)
    assert not set(long["sqlite"].arguments) & set(ON_SQLITE)
    assert long["sqlite faults"].arguments == long["postgresql faults"].arguments
    assert all("not long" in " ".join(stage.arguments) for stage in stages(everything=False))


# --- The whole way, from a fresh clone --------------------------------------------------------------------------------

whole_way = pytest.mark.skipif(
    settings.TEST_DATABASE == "postgresql", reason="brings its own SQLite database; runs in the SQLite pass"
)


@pytest.fixture(scope="module")
def fresh_clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    tree = tmp_path_factory.mktemp("fresh") / "a clone"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_BEHIND), symlinks=True)
    copy_kernels(tree)  # the run of the tests has compiled them already
    link_bytecode(tree)
    yield tree
    if bytecode := bytecode_of(tree):
        shutil.rmtree(bytecode, ignore_errors=True)


@contextmanager
def started(tree: Path, port: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """./earmark run, as soon as it says how to stop it; gives the process and what it has said."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("EARMARK_", "DJANGO_"))}
    process = subprocess.Popen(
        [tree / "earmark", "run", "--port", str(port)],
        cwd="/",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said: list[str] = []
    try:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            if "Ctrl-C" in line:
                break
        else:
            pytest.fail("".join(said))
        yield process, "".join(said)
    finally:
        process.terminate()
        process.wait(timeout=60)


def answers(port: int) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}/healthz", timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def processes_of(tree: Path) -> list[str]:
    """Command lines of every process that runs out of the tree."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(tree) in command:
            found.append(command)
    return found


def eventually(what: str, condition: Callable[[], bool]) -> None:
    wait_until(condition, f"{what} did not happen", patience_s=60, every_s=0.2)


def all_end(tree: Path) -> None:
    """Wait until nothing runs out of the tree any more."""
    wait_until(lambda: not processes_of(tree), lambda: processes_of(tree), patience_s=60, every_s=0.2)


@dataclass(frozen=True)
class Start:
    """A start that was stopped with Ctrl-C: what it said, whether it answered, and its exit status."""

    said: str
    port: int
    answered: bool
    status: int


@pytest.fixture(scope="module")
def first_start(fresh_clone: Path) -> Start:
    port = free_port()
    with started(fresh_clone, port) as (process, said):
        answered = answers(port)
        process.send_signal(signal.SIGINT)
        status = process.wait(timeout=60)
    return Start(said, port, answered, status)


@whole_way
@pytest.mark.faults
def test_a_fresh_clone_runs_and_stops(fresh_clone: Path, first_start: Start) -> None:
    assert "Packages installed" in first_start.said
    assert f"http://127.0.0.1:{first_start.port}/join/" in first_start.said
    assert first_start.answered
    assert first_start.status == 0
    all_end(fresh_clone)


@whole_way
@pytest.mark.faults
def test_a_second_start_installs_nothing_and_its_children_come_back_and_never_outlive_it(
    fresh_clone: Path, first_start: Start
) -> None:
    port = first_start.port
    with started(fresh_clone, port) as (process, said):
        assert "installed" not in said
        assert "built" not in said
        assert f"http://127.0.0.1:{port}/join/" in said
        children = set(children_of(process.pid))
        serving = [worker for child in children for worker in children_of(child)]
        assert len(children) == 2
        for child in children:
            os.kill(child, signal.SIGKILL)
        eventually("the return of both", lambda: len(set(children_of(process.pid)) - children) == 2)
        eventually("the end of what the first web server started", lambda: not any(map(is_alive, serving)))
        eventually("the web server's return", lambda: answers(port))
        eventually("the worker's return", lambda: any("run_worker" in command for command in processes_of(fresh_clone)))
        process.kill()
        process.wait()
        all_end(fresh_clone)
