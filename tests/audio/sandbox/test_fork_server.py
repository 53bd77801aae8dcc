"""Fork server and its children: side by side, replaced when killed, and gone when nobody needs them."""

import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from audio.errors import AudioError, DecoderDied, SoundTooCostly
from audio.sandbox.client import Limits, fork_server, run_sandboxed
from audio.sandbox.fork_server import compiling_once
from tests.audio.fork_servers import fork_server_that_runs
from tests.contracts.tree import ROOT
from tests.processes import children_of, is_alive
from tests.waiting import wait_until

WORK = "tests.audio.misbehaving"
CROWDED = "tests.audio.crowded"


@pytest.fixture(scope="module", autouse=True)
def _fork_server_with_misbehaving_work() -> Iterator[None]:
    with fork_server_that_runs(WORK):
        yield


def server() -> int:
    assert fork_server.pid is not None
    return fork_server.pid


def wait_for_children(process: int) -> list[int]:
    wait_until(lambda: children_of(process), "no child was started")
    return children_of(process)


def idle_server() -> int:
    """Return the fork server that has just answered, when the child that did so has gone."""
    run_sandboxed(f"{WORK}:echo")
    wait_until(lambda: not children_of(server()), "children were left behind")
    return server()


def wait_until_gone(*processes: int) -> None:
    wait_until(lambda: not any(is_alive(process) for process in processes), "processes were left behind")


def kill_child(parent: int, child: int) -> None:
    wait_until(lambda: children_of(parent) == [child], "other children are still running")
    os.kill(child, signal.SIGKILL)
    wait_until(lambda: child not in children_of(parent), "the killed child was not reaped")


def test_children_run_beside_each_other() -> None:
    """The first never ends by itself; if the others had to wait for it, the test would not end either."""
    parent = idle_server()
    with ThreadPoolExecutor(4) as pool:
        asleep = pool.submit(run_sandboxed, f"{WORK}:sleep", name="slow.wav")
        (child,) = wait_for_children(parent)
        quick = [pool.submit(run_sandboxed, f"{WORK}:echo", name=str(number)) for number in range(12)]
        assert [call.result().facts["name"] for call in quick] == [str(number) for number in range(12)]
        kill_child(parent, child)
        kill_child(parent, *wait_for_children(parent))
        with pytest.raises(DecoderDied, match=r"slow\.wav.*Killed"):
            asleep.result()


def test_a_request_whose_child_was_killed_is_sent_again_and_answered() -> None:
    """The kernel kills when memory runs short, and need not hit the one that took it."""
    parent = idle_server()
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(run_sandboxed, f"{WORK}:sleep", seconds=1)
        kill_child(parent, *wait_for_children(parent))
        assert call.result().facts == {}
    assert server() == parent


def test_a_machine_without_room_for_another_process_is_given_a_moment() -> None:
    with fork_server_that_runs(CROWDED):
        assert run_sandboxed(f"{CROWDED}:answer").facts == {"answered": True}


def test_work_that_was_not_loaded_beforehand_is_done_within_limits_that_do_not_count_the_loading() -> None:
    """It brings its decoders along and compiles its kernels, all of which is more than it may use itself."""
    samples = np.zeros(1000, np.float32)
    samples[300] = 0.5
    sound = io.BytesIO()
    soundfile.write(sound, samples, 8000, format="WAV", subtype="PCM_16")
    limits = Limits(cpu_s=30, memory_bytes=150 * 2**20)
    wanted: dict[str, Any] = {"format": "wav", "bin_samples": 256, "start": 0, "count": 4}
    outcome = run_sandboxed("audio.peaks:render_file_peaks", sound, limits=limits, **wanted)
    assert outcome.blobs["peaks"] == bytes([0, 0, 0, 64, 0, 0, 0, 0])


def test_a_fork_server_that_was_killed_is_replaced() -> None:
    old = idle_server()
    os.kill(old, signal.SIGKILL)
    assert run_sandboxed(f"{WORK}:echo", name="again").facts["name"] == "again"
    assert server() != old
    assert not is_alive(old)


def test_a_request_that_loses_its_fork_server_is_sent_again() -> None:
    """And sent once more only: work that kills the fork server does not go on for ever."""
    old = idle_server()
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(run_sandboxed, f"{WORK}:sleep", seconds=1)
        (child,) = wait_for_children(old)
        os.kill(old, signal.SIGKILL)
        assert call.result().facts == {}
    wait_until_gone(child)


def test_children_whose_parent_gave_up_are_killed_and_reaped() -> None:
    for _ in range(3):
        with pytest.raises(SoundTooCostly):
            run_sandboxed(f"{WORK}:burn", limits=Limits(wall_s=0.2))
    wait_until(lambda: not children_of(server()), "children were left behind")


def test_a_forked_process_has_a_fork_server_of_its_own() -> None:
    mine = idle_server()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            run_sandboxed(f"{WORK}:echo")
            os.write(writing, str(server()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    theirs = int(os.read(reading, 100))
    os.close(reading)
    os.waitpid(child, 0)
    assert theirs != mine
    wait_until_gone(theirs)
    assert run_sandboxed(f"{WORK}:echo").facts["digests"] == []
    assert server() == mine


PARENT = f"""
import os, sys, threading, time
from audio.sandbox.client import AllowedWork, fork_server, run_sandboxed
fork_server.allowed = AllowedWork(modules=("{WORK}",), preloaded=("{WORK}",))
threading.Thread(target=run_sandboxed, args=("{WORK}:burn",), daemon=True).start()
while not fork_server.pid:
    time.sleep(0.01)
server = fork_server.pid
bystander = os.fork()
if bystander:
    print(server, bystander, flush=True)
time.sleep(600)
"""


def test_when_the_parent_is_killed_nobody_is_left() -> None:
    """Not even while a process lives that was forked from it and holds copies of its descriptors."""
    with subprocess.Popen([sys.executable, "-c", PARENT], cwd=ROOT, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        left, bystander = map(int, parent.stdout.readline().split())
        family = [left, *wait_for_children(left)]
        assert all(is_alive(process) for process in family)
        parent.kill()
    try:
        wait_until_gone(*family)
    finally:
        os.kill(bystander, signal.SIGKILL)


LOADING_PARENT = """
import time
from audio.sandbox.client import AllowedWork, fork_server
fork_server.allowed = AllowedWork(preloaded=("tests.audio.slow_to_load",))
fork_server.start()
time.sleep(600)
"""


def test_a_fork_server_that_still_loads_ends_with_its_parent() -> None:
    """Compiling kernels takes a minute on a busy machine, and nothing of ours runs meanwhile."""
    with subprocess.Popen([sys.executable, "-c", LOADING_PARENT], cwd=ROOT, stderr=subprocess.PIPE) as parent:
        assert parent.stderr is not None
        assert parent.stderr.readline() == b"loading\n"
        (loading,) = children_of(parent.pid)
        parent.kill()
    wait_until_gone(loading)


def test_one_process_compiles_while_others_wait_and_once_it_is_done_nobody_waits(tmp_path: Path) -> None:
    begun = [threading.Event() for _ in range(2)]
    may_end = threading.Event()

    def load(number: int) -> None:
        with compiling_once(tmp_path, ["kernels"]):
            begun[number].set()
            assert may_end.wait(60)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(load, 0)
        assert begun[0].wait(60)
        second = pool.submit(load, 1)
        with compiling_once(tmp_path, ["other kernels"]):  # do not wait for these
            assert not begun[1].wait(0.3)
        may_end.set()
        first.result(60)
        second.result(60)
    with compiling_once(tmp_path, ["kernels"]), compiling_once(tmp_path, ["kernels"]):
        pass


def test_where_kernels_cannot_be_kept_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with compiling_once(tmp_path / "file", ["kernels"]), compiling_once(tmp_path / "file", ["kernels"]):
        pass


def test_no_descriptor_is_left_open_by_any_ending() -> None:
    def one_of_each() -> None:
        run_sandboxed(f"{WORK}:echo", io.BytesIO(b"x"))
        for function in ("refuse", "leave", "fail"):
            with pytest.raises(AudioError):
                run_sandboxed(f"{WORK}:{function}", name="x") if function == "refuse" else run_sandboxed(
                    f"{WORK}:{function}"
                )

    def open_descriptors() -> list[int]:
        return [len(list(Path(f"/proc/{process}/fd").iterdir())) for process in (os.getpid(), idle_server())]

    one_of_each()
    before = open_descriptors()
    for _ in range(5):
        one_of_each()
    wait_until(lambda: open_descriptors() == before, "descriptors were left open")


def test_threads_that_start_together_share_one_fork_server() -> None:
    fork_server.close()
    seen: list[int] = []

    def ask() -> None:
        run_sandboxed(f"{WORK}:echo")
        seen.append(server())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 4
    assert len(set(seen)) == 1
