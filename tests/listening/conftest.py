"""Fixtures of listening tests: designs laid out without a process for the solver."""

import json
import subprocess
from types import SimpleNamespace
from typing import Any

import pytest

from listening.design.subsets import in_subprocess


@pytest.fixture
def _planned_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plan subsets in this process, which has the solver already; question and answer are still JSON."""

    def answered(*command: object, input: bytes, **options: Any) -> SimpleNamespace:
        return SimpleNamespace(stdout=json.dumps(in_subprocess._answer(json.loads(input))))

    runner = SimpleNamespace(run=answered, TimeoutExpired=subprocess.TimeoutExpired)
    monkeypatch.setattr(in_subprocess, "subprocess", runner)
