"""Fixtures of the tests of analysis."""

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any, BinaryIO

import pytest

from analysis.services import metrics, plans, tables
from audio.sandbox.client import Limits, Outcome


@pytest.fixture
def unconfined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work for the sandbox done in this process: every child of its own would load pandas and scipy anew.

    Of each page at least one test leaves the work to the sandbox.
    """
    for service in (metrics, plans, tables):
        monkeypatch.setattr(service, "run_sandboxed", _run)


def _run(work: str, *files: BinaryIO, limits: Limits, blobs: Mapping[str, bytes] | None = None, **more: Any) -> Outcome:
    module, _, function = work.partition(":")
    made: Outcome = getattr(import_module(module), function)(*files, **(blobs or {}), **more)
    return Outcome(json.loads(json.dumps(made.facts)), made.blobs)
