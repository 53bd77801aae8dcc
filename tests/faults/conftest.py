"""Fixtures of the kill tests."""

from collections.abc import Callable

import pytest


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Print a line of figures, and keep it with the results."""

    def say(line: str) -> None:
        record_property("figures", line)
        with capsys.disabled():
            print(f"\n{line}")  # noqa: T201 - the figures are what the run is for

    return say
