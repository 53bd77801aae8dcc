"""Refusals: a code, a sentence and a status, each known before anybody meets it."""

import re
import string
from collections import Counter

import pytest

import config.urls  # noqa: F401 - loads every app, and with it every refusal
from core.errors import AppError
from core.http_errors import MethodRefused

KINDS = [kind for kind in AppError.every() if not kind.__module__.startswith("tests.")]


def test_an_error_fills_its_sentence_with_its_data() -> None:
    error = MethodRefused(method="PUT", allowed="GET")
    assert str(error) == "This address does not answer PUT requests; use GET."
    assert error.translate(lambda _: "Utilisez {allowed}, non {method}.") == "Utilisez GET, non PUT."


def test_every_code_belongs_to_one_refusal() -> None:
    codes = Counter(kind.code for kind in KINDS)
    assert [code for code, count in codes.items() if count > 1] == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_a_refusal_states_a_code_a_status_and_a_whole_sentence(kind: type[AppError]) -> None:
    assert re.fullmatch(r"[a-z_]+(\.[a-z_]+)*", kind.code)
    assert 400 <= kind.status < 600
    assert kind.sentence[0].isupper() or kind.sentence[0] in "'{"
    assert kind.sentence.endswith((".", "}"))
    assert [name for _, name, _, _ in string.Formatter().parse(kind.sentence) if name == ""] == []
