"""Set-up: virtual environment, pinned packages and the built front end; nothing is done twice."""

import fcntl
import hashlib
import importlib.util
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.console import ROOT, Stop, say, shown, step, words

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMPS = VENV / ".stamps"
FRONTEND = ROOT / "frontend"
OLDEST_PYTHON = (3, 11)
SYSTEM_PYTHON = Path("/usr/bin/python3")

# Certificates come from the system, because a laboratory's network may have an authority of its own.
UV_ENVIRONMENT = {"UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1", "UV_SYSTEM_CERTS": "true"}

RUN_REQUIREMENTS = ("requirements.txt", "requirements-build.txt")
TEST_REQUIREMENTS = (*RUN_REQUIREMENTS, "requirements-dev.txt")


def set_up(requirements: tuple[str, ...] = RUN_REQUIREMENTS) -> None:
    """Bring the tree to the state in which Earmark can start; a second call only compares hashes."""
    with _one_at_a_time():
        _make_environment()
        _install(requirements)
        _build_front_end()
        _compile_translations()


def set_up_packages(requirements: tuple[str, ...]) -> None:
    """Only the Python packages, Node among them: enough to lock anew what `set_up` would refuse to install."""
    with _one_at_a_time():
        _make_environment()
        _install(requirements)


def node_environment() -> dict[str, str]:
    """Node and npm come from the virtual environment, whatever else is on the machine."""
    path = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    settings = {"NODE_USE_SYSTEM_CA": "1", "NO_UPDATE_NOTIFIER": "1"}
    # Node's tests run in a process for each file, which would strip the types of the same modules again and again.
    return {"PATH": path, **settings, "NODE_COMPILE_CACHE": str(VENV / "nodecache")}


def keep_bytecode() -> None:
    """Let the processes that are started from here compile each module once: many containers forbid it."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(VENV / "pycache"))


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Two commands started together must not install into the same environment."""
    lock = ROOT / "var" / "set-up.lock"
    try:
        lock.parent.mkdir(exist_ok=True)
        handle = lock.open("w")
    except OSError as error:
        raise Stop(f"Earmark's folder cannot be written ({error}); give this account write access to it.") from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another ./earmark that is setting up ...")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


# --- Stamps: what was done is remembered by a hash of everything it was made from -----------------------------------


def digest(files: Iterable[Path], *facts: str) -> str:
    """One hash over the names and contents of files, and over anything else that matters."""
    total = hashlib.sha256("\0".join(facts).encode())
    for path in sorted(files):
        total.update(f"\0{shown(path)}\0".encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def _once(name: str, state: str, work: Callable[[], object], *, products: Iterable[Path] = ()) -> None:
    """Do the work unless the stamp says that it was done for this very state and its products are still there."""
    stamp = STAMPS / name
    if stamp.exists() and stamp.read_text() == state and all(product.exists() for product in products):
        return
    stamp.unlink(missing_ok=True)
    work()
    STAMPS.mkdir(parents=True, exist_ok=True)
    stamp.write_text(state)


# --- Python -----------------------------------------------------------------------------------------------------------


def _make_environment() -> None:
    """A virtual environment holds absolute paths, so one that was moved or has lost its Python is made again."""
    moved = (STAMPS / "place").exists() and (STAMPS / "place").read_text() != str(VENV)
    if not moved and _works(PYTHON, "pip"):
        _once("place", str(VENV), lambda: None)
        return
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise Stop(
            f"This Python ({sys.executable}) cannot make virtual environments; install its venv module "
            f"(Debian, Ubuntu: apt-get install python3-venv, or python{version}-venv) and start again."
        )
    base = base_python()
    step(f"Virtual environment made with {base}", words(base, "-m", "venv", "--clear", VENV), log="venv")
    _once("place", str(VENV), lambda: None)


def base_python(*, system: Path = SYSTEM_PYTHON) -> str:
    """The Python of the environment: this one, or the system's where this one was built without optimisation.

    That is how pyenv builds it; the test suite then takes an eighth more CPU time. A distribution's own is optimised,
    though Debian's does not say so.
    """
    this: str = getattr(sys, "_base_executable", sys.executable)
    optimised = "--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or "")
    if optimised or os.environ.get("EARMARK_PYTHON") or not _works(system, "ensurepip", "venv"):
        return this
    return str(system)


def _works(python: Path, *needed: str) -> bool:
    probe = f"import {', '.join(('sys', *needed))}; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    try:
        return subprocess.run([python, "-c", probe], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _install(requirements: tuple[str, ...]) -> None:
    """Each file has a stamp of its own, so that `run` after `test` finds its part done, and the other way round."""
    states = {name: digest([ROOT / name]) for name in requirements}
    missing = [name for name in requirements if not _stamped(name, states[name])]
    if not missing:
        return
    chosen = [part for name in requirements for part in words("-r", ROOT / name)]
    say("Installing the packages that requirements*.txt pin ...")
    if not _with_uv(*chosen):
        say("  uv could not do it; trying pip, which is slower")
        step("Packages installed", _pip(*chosen), log="packages-pip")
    for name in missing:
        _once(name, states[name], lambda: None)


def _with_uv(*chosen: str) -> bool:
    """uv is a convenience: where it has no build for this machine, or knows no way to the index, pip does the work."""
    bootstrap = ROOT / "requirements-bootstrap.txt"
    uv = words(VENV / "bin" / "uv", "pip", "install", "--python", PYTHON, "--require-hashes", *chosen)
    try:
        _once("uv", digest([bootstrap]), lambda: step("uv installed", _pip("-r", bootstrap), log="uv"))
        step("Packages installed", uv, log="packages", env=UV_ENVIRONMENT)
    except (Stop, OSError):
        return False
    return True


def _stamped(name: str, state: str) -> bool:
    stamp = STAMPS / name
    return stamp.exists() and stamp.read_text() == state


def _pip(*arguments: str | Path) -> list[str]:
    return words(PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--require-hashes", *arguments)


# --- Front end and words ----------------------------------------------------------------------------------------------


def _build_front_end() -> None:
    if not (FRONTEND / "package.json").exists():
        return
    npm = VENV / "bin" / "npm"
    lock_files = [
        path for name in ("package.json", "package-lock.json", ".npmrc") if (path := FRONTEND / name).exists()
    ]
    sources = [path for path in FRONTEND.rglob("*") if path.is_file() and "node_modules" not in path.parts]
    styles = [path for path in (ROOT / "static").rglob("*.css") if "dist" not in path.parts]
    protocols = [path for path in (ROOT / "protocols").rglob("*") if path.suffix in {".ts", ".css"}]

    def fetch() -> None:
        command = words(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
        step("Front-end packages installed", command, log="npm-ci", cwd=FRONTEND, env=node_environment())

    def build() -> None:
        step("Front end built", words(npm, "run", "build"), log="npm-build", cwd=FRONTEND, env=node_environment())

    _once("front-end-packages", digest(lock_files), fetch, products=[FRONTEND / "node_modules"])
    _once("front-end", digest([*sources, *styles, *protocols]), build, products=[ROOT / "static" / "dist"])


def _compile_translations() -> None:
    catalogues = sorted((ROOT / "locale").rglob("*.po"))
    if not catalogues:
        return
    command = words(PYTHON, "-m", "babel.messages.frontend", "compile", "-d", ROOT / "locale", "-D", "django djangojs")
    _once(
        "translations",
        digest(catalogues),
        lambda: step("Translations compiled", command, log="translations"),
        products=[path.with_suffix(".mo") for path in catalogues],
    )
