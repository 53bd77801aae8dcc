"""Calls at the same moment, each in a thread with a database connection of its own."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

Result = TypeVar("Result")
PATIENCE_S = 60


def at_once(*actions: Callable[[], Result]) -> list[Result]:
    """Start every action at the same moment and return what each returned; the first failure is raised."""
    start = threading.Barrier(len(actions), timeout=PATIENCE_S)

    def run(action: Callable[[], Result]) -> Result:
        try:
            start.wait()
            return action()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=len(actions)) as pool:
        return list(pool.map(run, actions, timeout=PATIENCE_S))


def side_by_side(*lanes: Sequence[Callable[[], Result]]) -> list[tuple[Result, ...]]:
    """Run each lane in a thread, all entering each turn at the same moment; returns what each turn gave every lane."""
    meeting = threading.Barrier(len(lanes), timeout=PATIENCE_S)

    def go_along(lane: Sequence[Callable[[], Result]]) -> list[Result]:
        results = []
        try:
            for turn in lane:
                meeting.wait()
                results.append(turn())
        except BaseException:
            meeting.abort()  # the others would wait for this thread in vain
            raise
        finally:
            connections.close_all()
        return results

    with ThreadPoolExecutor(max_workers=len(lanes)) as pool:
        by_lane = [future.result() for future in [pool.submit(go_along, lane) for lane in lanes]]
    return list(zip(*by_lane, strict=True))
