"""The nursery and its children: side by side, replaced when killed, and gone when nobody needs them."""

import importlib
import io
import os
import re
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

from audio.errors import DecoderDied, SoundTooCostly
from audio.sealed import asking as sealed
from audio.sealed.asking import Limits, run_sealed
from audio.sealed.household import TEST_WORK
from audio.sealed.nursery import PRELOADED
from core.errors import AppError
from tests.audio.nurseries import nursery_that_takes
from tests.contracts.tree import ROOT
from tests.processes import children_of, is_alive
from tests.waiting import wait_until

WORK = "tests.audio.misbehaving"
CROWDED = "tests.audio.crowded"


@pytest.fixture(scope="module", autouse=True)
def _nursery_with_misbehaving_work() -> Iterator[None]:
    with nursery_that_takes(WORK):
        yield


def nursery() -> int:
    assert sealed._household._nursery is not None
    return sealed._household._nursery.pid


def wait_for_children(process: int) -> list[int]:
    wait_until(lambda: children_of(process), "no child was born")
    return children_of(process)


def idle_nursery() -> int:
    """Give the nursery that has just answered, when the child that did so has gone."""
    run_sealed(f"{WORK}:echo")
    wait_until(lambda: not children_of(nursery()), "children were left behind")
    return nursery()


def wait_until_gone(*processes: int) -> None:
    wait_until(lambda: not any(is_alive(process) for process in processes), "processes were left behind")


def kill_child(elder: int, child: int) -> None:
    wait_until(lambda: children_of(elder) == [child], "others are still about")
    os.kill(child, signal.SIGKILL)
    wait_until(lambda: child not in children_of(elder), "the dead child was not reaped")


def test_children_run_beside_each_other() -> None:
    """The first never ends by itself; if the others had to wait for it, the test would not end either."""
    elder = idle_nursery()
    with ThreadPoolExecutor(4) as pool:
        asleep = pool.submit(run_sealed, f"{WORK}:sleep", name="slow.wav")
        (child,) = wait_for_children(elder)
        quick = [pool.submit(run_sealed, f"{WORK}:echo", name=str(number)) for number in range(12)]
        assert [call.result().facts["name"] for call in quick] == [str(number) for number in range(12)]
        kill_child(elder, child)
        kill_child(elder, *wait_for_children(elder))
        with pytest.raises(DecoderDied, match=r"slow\.wav.*Killed"):
            asleep.result()


def test_a_question_whose_child_was_killed_is_asked_again_and_answered() -> None:
    """The kernel kills when memory runs short, and need not hit the one that took it."""
    elder = idle_nursery()
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(run_sealed, f"{WORK}:sleep", seconds=1)
        kill_child(elder, *wait_for_children(elder))
        assert call.result().facts == {}
    assert nursery() == elder


def test_a_machine_without_room_for_another_process_is_given_a_moment() -> None:
    with nursery_that_takes(CROWDED):
        assert run_sealed(f"{CROWDED}:answer").facts == {"answered": True}


def test_work_that_was_not_loaded_beforehand_is_done_within_limits_that_do_not_count_the_loading() -> None:
    """It brings its decoders along and compiles its kernels, all of which is more than it may use itself."""
    samples = np.zeros(1000, np.float32)
    samples[300] = 0.5
    sound = io.BytesIO()
    soundfile.write(sound, samples, 8000, format="WAV", subtype="PCM_16")
    limits = Limits(cpu_s=30, memory_bytes=150 * 2**20)
    wanted: dict[str, Any] = {"format": "wav", "bin_samples": 256, "start": 0, "count": 4}
    outcome = run_sealed("audio.drawing.peaks:render", sound, limits=limits, **wanted)
    assert outcome.blobs["peaks"] == bytes([0, 0, 0, 64, 0, 0, 0, 0])


def test_a_nursery_that_was_killed_is_replaced() -> None:
    old = idle_nursery()
    os.kill(old, signal.SIGKILL)
    assert run_sealed(f"{WORK}:echo", name="again").facts["name"] == "again"
    assert nursery() != old
    assert not is_alive(old)


def test_a_question_that_loses_its_nursery_is_asked_again() -> None:
    """And asked once only: work that takes the nursery with it does not go on for ever."""
    old = idle_nursery()
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(run_sealed, f"{WORK}:sleep", seconds=1)
        (child,) = wait_for_children(old)
        os.kill(old, signal.SIGKILL)
        assert call.result().facts == {}
    wait_until_gone(child)


def test_children_whose_parent_gave_up_are_killed_and_reaped() -> None:
    for _ in range(3):
        with pytest.raises(SoundTooCostly):
            run_sealed(f"{WORK}:burn", limits=Limits(wall_s=0.2))
    wait_until(lambda: not children_of(nursery()), "children were left behind")


def test_a_forked_process_has_a_nursery_of_its_own() -> None:
    mine = idle_nursery()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            run_sealed(f"{WORK}:echo")
            os.write(writing, str(nursery()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    theirs = int(os.read(reading, 100))
    os.close(reading)
    os.waitpid(child, 0)
    assert theirs != mine
    wait_until_gone(theirs)
    assert run_sealed(f"{WORK}:echo").facts["digests"] == []
    assert nursery() == mine


PARENT = f"""
import os, sys, threading, time
from audio.sealed import asking as sealed
from audio.sealed.household import TEST_WORK
threading.Thread(target=sealed.run_sealed, args=("{WORK}:burn",), daemon=True).start()
while not (sealed._household._nursery and sealed._household._is_ready):
    time.sleep(0.01)
nursery = sealed._household._nursery.pid
bystander = os.fork()
if bystander:
    print(nursery, bystander, flush=True)
time.sleep(600)
"""


def test_when_the_parent_is_killed_nobody_is_left() -> None:
    """Not even while a process lives that was forked from it and holds copies of its descriptors."""
    environment = {**os.environ, TEST_WORK: WORK}
    with subprocess.Popen([sys.executable, "-c", PARENT], cwd=ROOT, env=environment, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        left, bystander = map(int, parent.stdout.readline().split())
        family = [left, *wait_for_children(left)]
        assert all(is_alive(process) for process in family)
        parent.kill()
    try:
        wait_until_gone(*family)
    finally:
        os.kill(bystander, signal.SIGKILL)


def test_no_descriptor_is_left_open_by_any_ending() -> None:
    def one_of_each() -> None:
        run_sealed(f"{WORK}:echo", io.BytesIO(b"x"))
        for function in ("refuse", "leave", "fail"):
            with pytest.raises(AppError):
                run_sealed(f"{WORK}:{function}", name="x") if function == "refuse" else run_sealed(f"{WORK}:{function}")

    def open_descriptors() -> list[int]:
        return [len(list(Path(f"/proc/{process}/fd").iterdir())) for process in (os.getpid(), idle_nursery())]

    one_of_each()
    before = open_descriptors()
    for _ in range(5):
        one_of_each()
    wait_until(lambda: open_descriptors() == before, "descriptors were left open")


def test_threads_that_start_together_share_one_nursery() -> None:
    sealed._household.close()
    seen: list[int] = []

    def ask() -> None:
        run_sealed(f"{WORK}:echo")
        seen.append(nursery())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 4
    assert len(set(seen)) == 1


def test_all_work_that_is_asked_for_exists_and_is_loaded_beforehand() -> None:
    asked = {
        tuple(found)
        for path in [*ROOT.glob("stimuli/**/*.py"), *ROOT.glob("audio/**/*.py")]
        for found in re.findall(r'"((?:audio|stimuli\.intake)\.[\w.]+):(\w+)"', path.read_text(encoding="utf-8"))
    }
    assert ("audio.judging.files", "probe") in asked
    assert {module for module, _ in asked} - set(PRELOADED) == set()
    assert [work for work in asked if not callable(getattr(importlib.import_module(work[0]), work[1], None))] == []
