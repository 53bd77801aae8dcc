"""Child processes that never outlive their parent and are restarted after a crash."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1
FIRST_PAUSE_S, LONGEST_PAUSE_S, HEALTHY_AFTER_S = 0.5, 30.0, 60.0
STOP_TIMEOUT_S = 25


def dies_with_parent(sent: signal.Signals) -> Callable[[], None] | None:
    """What a child calls before its program starts: the kernel will signal it when its parent is gone (Linux)."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    parent = os.getpid()

    def ask_the_kernel() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(sent))
        if os.getppid() != parent:  # the parent died before the kernel was asked
            os.kill(os.getpid(), sent)

    return ask_the_kernel


class Child:
    """One long-running process and its log."""

    def __init__(self, name: str, command: Sequence[str], *, log: Path, env: Mapping[str, str]) -> None:
        self.name = name
        self.command = list(command)
        self.log = log
        self.env = {**os.environ, **env}
        self.process: subprocess.Popen[bytes] | None = None
        self.started = 0.0
        self.pause_s = FIRST_PAUSE_S
        self.due: float | None = None

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.env,
                # A group of its own: Ctrl-C reaches the parent alone, which then stops its children in order.
                process_group=0,
                preexec_fn=dies_with_parent(signal.SIGTERM),  # noqa: PLW1509 - it only asks the kernel
            )
        self.started, self.due = time.monotonic(), None

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def look_after(self, now: float) -> str:
        """Start the process again when its pause is over; returns a line to print when something happened."""
        if self.alive:
            return ""
        if self.due is None:
            healthy = now - self.started > HEALTHY_AFTER_S
            self.pause_s = FIRST_PAUSE_S if healthy else min(self.pause_s * 2, LONGEST_PAUSE_S)
            self.due = now + self.pause_s
            status = self.process.returncode if self.process else None
            return (
                f"The {self.name} stopped (status {status}); starting it again in {self.pause_s:.0f} s. Log: {self.log}"
            )
        if now >= self.due:
            self.start()
            return f"The {self.name} is running again."
        return ""

    def ask_to_stop(self) -> None:
        if self.process is not None and self.alive:
            self.process.terminate()

    def wait_or_kill(self, deadline: float) -> None:
        if self.process is None:
            return
        try:
            self.process.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def stop_all(children: Sequence[Child]) -> None:
    """Ask every child at once, then wait for each; what has not gone in time is killed with its whole group."""
    deadline = time.monotonic() + STOP_TIMEOUT_S
    for child in children:
        child.ask_to_stop()
    for child in children:
        child.wait_or_kill(deadline)
