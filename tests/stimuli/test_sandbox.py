"""Sandbox as stimuli use it: errors of the library as AppErrors, and the work that it may run."""

import importlib
import re
from string import Formatter

import pytest
from django.utils.translation import override

from audio.errors import AudioError, DecoderDied, PositionOutside, SoundBroken, SoundTooCostly, SoundTooLong
from audio.sandbox.client import fork_server
from core.errors import AppError
from core.http_errors import error_message
from stimuli.sandbox import SandboxFailure, app_errors, error_from_child, to_app_error
from tests.contracts.tree import ROOT

ALLOWED = fork_server.allowed  # as the app has registered it, before other tests replace it
LAST_UNREADABLE = "it should have {count} samples, and its last cannot be read"


@pytest.mark.parametrize("kind", AudioError.__subclasses__())
def test_every_error_of_the_library_is_an_app_error_with_its_code_and_message(kind: type[AudioError]) -> None:
    places = {name: 1 for _, name, _, _ in Formatter().parse(kind.message) if name}
    error = to_app_error(kind(**places))
    assert (error.code, error.message) == (kind.code, kind.message)
    assert error.status == (416 if kind is PositionOutside else 422)
    assert isinstance(error, SandboxFailure) == (kind in {DecoderDied, SoundTooCostly})


def test_an_app_error_says_the_same_and_is_translated_with_the_problem_inside_it() -> None:
    error = SoundBroken(name="a {count}.wav", problem=LAST_UNREADABLE, count=12_345)
    shown = to_app_error(error)
    assert str(shown) == str(error)
    assert "'a {count}.wav' is damaged or breaks off: it should have 12,345 samples" in str(error)
    assert shown.data["problem"] == "it should have 12,345 samples, and its last cannot be read"
    assert shown.data["parts"] == {"problem": {"msgid": LAST_UNREADABLE, "data": {"count": 12_345}}}
    with override("fr"):
        assert "12\N{NARROW NO-BREAK SPACE}345" in error_message(shown)
        assert "breaks off" not in error_message(shown)


def test_errors_of_the_library_are_raised_as_app_errors() -> None:
    with pytest.raises(AppError, match="longer than the 2 hours") as error, app_errors():
        raise SoundTooLong(name="x", limit_h=2)
    assert error.value.data == {"name": "x", "limit_h": 2}


def test_an_error_that_a_child_reports_is_an_app_error_if_a_child_may_raise_it() -> None:
    data = {"name": "t.xlsx", "problem": "it is empty"}
    assert error_from_child({"kind": "TableUnreadable", "data": data}, name="t.xlsx").code == "table.unreadable"
    assert error_from_child({"kind": "SoundBroken", "data": data}, name="x").code == SoundBroken.code
    for unknown in ({"kind": "AppError", "data": {}}, {"kind": "CollectionNotFound", "data": {}}, {"kind": "x"}, 3):
        assert error_from_child(unknown, name="x").code == DecoderDied.code


def test_all_work_that_is_requested_exists_and_is_loaded_beforehand() -> None:
    requested = {
        tuple(found)
        for path in [*ROOT.glob("stimuli/**/*.py"), *ROOT.glob("audio/**/*.py")]
        for found in re.findall(r'"((?:audio|stimuli)\.[\w.]+):(\w+)"', path.read_text(encoding="utf-8"))
    }
    assert ("audio.validate", "probe_file") in requested
    assert any(module.startswith("stimuli.") for module, _ in requested)
    assert {module for module, _ in requested} - set(ALLOWED.preloaded) == set()
    assert [work for work in requested if not callable(getattr(importlib.import_module(work[0]), work[1], None))] == []
