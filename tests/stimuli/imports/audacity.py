"""Drives a genuine Audacity under Xvfb through its scripting pipe, so that its projects can be tested with."""

import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

# Debian has it in a folder for the processor, others have it in /usr/lib itself.
FOLDERS = (Path("/usr/lib"), *Path("/usr/lib").glob("*-linux-gnu*"))
MODULE = next((path for folder in FOLDERS if (path := folder / "audacity/modules/mod-script-pipe.so").exists()), None)
START_S = 60.0
SETTLE_S = 3.0

CONFIGURATION = """\
NewPrefsInitialized=1
[Directories]
TempDir={home}/scratch
[GUI]
ShowSplashScreen=0
[SamplingRate]
DefaultProjectSampleFormatChoice={form}
[Module]
mod-script-pipe=1
[ModulePath]
mod-script-pipe={module}
[ModuleDateTime]
mod-script-pipe={time}
"""


def reason_to_skip() -> str:
    """Why no Audacity can be driven here; empty if one can."""
    missing = [program for program in ("audacity", "Xvfb") if shutil.which(program) is None]
    if missing:
        return f"{' and '.join(missing)} not installed on this machine"
    return "" if MODULE else "Audacity's mod-script-pipe is not installed on this machine"


class Audacity:
    """A running program that takes commands as its menus have them."""

    def __init__(self, commands: TextIO, answers: TextIO) -> None:
        self._commands = commands
        self._answers = answers

    def do(self, command: str) -> str:
        self._commands.write(f"{command}\n")
        self._commands.flush()
        answer = ""
        while not answer.endswith("\n\n"):
            # Audacity opens its end of the pipe only after it has heard from us; until then there is nothing to read.
            answer += self._line(command)
        if "finished: OK" not in answer:
            raise RuntimeError(f"Audacity refused {command!r}: {answer}")
        return answer

    def _line(self, command: str) -> str:
        heard: list[str] = []

        def listen() -> bool:
            heard.append(self._answers.readline())
            return bool(heard[-1])

        _await(listen, f"an answer to {command!r}")
        return heard[-1]


@contextmanager
def audacity(home: Path, *, form: str = "Format32BitFloat") -> Iterator[Audacity]:
    """Start Audacity with a configuration of its own, and quit it cleanly, so that it writes its journal."""
    with ExitStack() as stack:
        stack.enter_context(_alone())
        environment = stack.enter_context(_display())
        _configure(home, form)
        pipes = {way: Path(f"/tmp/audacity_script_pipe.{way}.{os.getuid()}") for way in ("to", "from")}
        for pipe in pipes.values():
            pipe.unlink(missing_ok=True)
        environment |= {"HOME": str(home), "XDG_RUNTIME_DIR": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
        program = subprocess.Popen(
            ["audacity"], env=environment, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        stack.callback(_end, program)
        _await(lambda: all(pipe.exists() for pipe in pipes.values()), "its pipes")
        # A second process that Audacity starts to look at plug-ins makes the pipes anew under the same names, while
        # the first waits at the old one for a writer. A link keeps the old one within reach.
        ear = home / "to"
        os.link(pipes["to"], ear)
        time.sleep(SETTLE_S)
        answers = os.open(pipes["from"], os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(answers, True)
        commands = _open_for_writing(ear)
        with os.fdopen(commands, "w") as said, os.fdopen(answers) as heard:
            running = Audacity(said, heard)
            yield running
            running.do("Exit:")
        program.wait(timeout=START_S)


@contextmanager
def _alone() -> Iterator[None]:
    """The pipes have the same names for every Audacity of an account, so another one has to wait for its turn."""
    with Path(f"/tmp/earmark-audacity.{os.getuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _display() -> Iterator[dict[str, str]]:
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        try:
            yield {**os.environ, "DISPLAY": f":{server.stdout.readline().decode().strip()}"}
        finally:
            _end(server)


def _configure(home: Path, form: str) -> None:
    assert MODULE is not None
    changed = datetime.fromtimestamp(MODULE.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    text = CONFIGURATION.format(home=home, form=form, module=MODULE, time=changed)
    (home / "scratch").mkdir(parents=True)
    for folder in (home / ".audacity-data", home / ".config" / "audacity"):  # old and new versions look here and there
        folder.mkdir(parents=True)
        (folder / "audacity.cfg").write_text(text)


def _open_for_writing(pipe: Path) -> int:
    """A pipe can be opened for writing once the other end is open for reading."""
    opened: list[int] = []

    def attempt() -> bool:
        try:
            opened.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return False
        return True

    _await(attempt, "Audacity to listen")
    os.set_blocking(opened[0], True)
    return opened[0]


def _await(is_there: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + START_S
    while not is_there():
        if time.monotonic() > end:
            raise TimeoutError(f"Audacity did not show {what} within {START_S:.0f} s.")
        time.sleep(0.005)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
    process.wait(timeout=START_S)
