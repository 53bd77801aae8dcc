"""Time by stage: functions are wrapped from outside, and what an inner stage takes is not counted in the outer one."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

CPU, WALL = "cpu", "wall"
REST = "not timed: "
_OVER = object()


class Stopwatch:
    """Adds up the stages of all threads, in seconds of CPU and in seconds that pass."""

    def __init__(self) -> None:
        self._spent: dict[str, Counter[str]] = {CPU: Counter(), WALL: Counter()}
        self._guard = threading.Lock()
        self._own = threading.local()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what passes here to a stage; the outer one goes on afterwards."""
        stack: list[str] = self._own.__dict__.setdefault("stack", [])
        self._charge(stack)
        stack.append(name)
        try:
            yield
        finally:
            self._charge(stack)
            stack.pop()

    def _charge(self, stack: list[str]) -> None:
        now = {CPU: time.thread_time(), WALL: time.perf_counter()}
        if stack:
            with self._guard:
                for clock, spent in self._spent.items():
                    spent[stack[-1]] += now[clock] - self._own.since[clock]
        self._own.since = now

    def around(self, owner: Any, *names: str, stage: str) -> None:
        """Put a timer around functions or methods of a module or a class."""
        for name in names:
            setattr(owner, name, self._timed(getattr(owner, name), stage))

    def around_each(self, owner: Any, *names: str, stage: str) -> None:
        """The same for generators: what their user does between two pieces is not theirs."""
        for name in names:
            setattr(owner, name, self._timed_pieces(getattr(owner, name), stage))

    def _timed(self, function: Callable[..., Any], stage: str) -> Callable[..., Any]:
        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.stage(stage):
                return function(*args, **kwargs)

        return timed

    def _timed_pieces(self, function: Callable[..., Iterator[Any]], stage: str) -> Callable[..., Iterator[Any]]:
        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Iterator[Any]:
            pieces = function(*args, **kwargs)
            while True:
                with self.stage(stage):
                    piece = next(pieces, _OVER)
                if piece is _OVER:
                    return
                yield piece

        return timed

    def add(self, found: Mapping[str, Mapping[str, float]]) -> None:
        """Add what another process has measured."""
        with self._guard:
            for clock, spent in found.items():
                self._spent[clock].update(spent)

    def spent(self) -> dict[str, dict[str, float]]:
        """Seconds by clock and stage."""
        with self._guard:
            return {clock: dict(spent) for clock, spent in self._spent.items()}

    def forget(self) -> None:
        with self._guard:
            for spent in self._spent.values():
                spent.clear()


Rows = list[tuple[str, float]]


def largest_first(spent: Mapping[str, float], prefix: str = "") -> Rows:
    return [(f"{prefix}{name}", value) for name, value in sorted(spent.items(), key=lambda row: -row[1])]


def table(rows: Sequence[tuple[str, float]], whole: float, *, unit: str = "s", digits: int = 2) -> Iterator[str]:
    """Each row with its share of the whole; those that begin with REST are what no timer covers, by subtraction."""
    width = max(len(name) for name, _ in rows)
    for name, value in (*rows, ("whole", whole)):
        yield f"{name:{width}} {value:9.{digits}f} {unit} {value / whole:7.1%}"
