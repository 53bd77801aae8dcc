"""Timers of `./earmark bench profile`: every function that they wrap is there."""

from collections.abc import Callable
from typing import Any

import pytest

from audio.sandbox import client, fork_server
from bench import parent_stages, sandbox_stages
from bench.stages import Stopwatch


class Recorded(Stopwatch):
    """A stopwatch that notes what it would wrap and leaves it as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.wrapped: list[str] = []

    def around(self, owner: Any, *names: str, stage: str) -> None:
        assert all(callable(getattr(owner, name)) for name in names), stage
        self.wrapped += names

    around_each = around


@pytest.mark.parametrize("wrap", [parent_stages._wrap, sandbox_stages._wrap])
def test_every_function_that_is_timed_is_there(wrap: Callable[[Stopwatch], None]) -> None:
    recorded = Recorded()
    wrap(recorded)
    assert len(recorded.wrapped) > 10


def test_the_sandbox_has_the_functions_through_which_every_request_and_response_passes() -> None:
    assert callable(client._outcome)
    assert callable(fork_server._work)
