"""Lazy messages: English text, whole sentences in another language, and no way in for untrusted data."""

import ast
import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils.translation import gettext, override

from core.errors import AppError
from core.http_errors import error_message
from core.i18n import PLACE, LazyMessage, pack_messages, translate_messages
from stimuli.errors import TableUnreadable
from tests.contracts.tree import APPS, holding, modules, parsed

FRENCH = {
    "it has {count} rows": "il a {count} lignes",
    "{names} and {count} more": "{names} et {count} de plus",
    "these are there: {names}": "ceux-ci sont là : {names}",
    "Rejected: {problem}.": "Refusé : {problem}.",
}


def rejected(**data: Any) -> AppError:
    return AppError("test.messages", 400, "Rejected: {problem}.", **data)


def french(text: str) -> str:
    return FRENCH.get(text, text)


def in_french(error: AppError) -> str:
    return error.translate(french)


def test_a_message_is_english_text_that_can_be_translated() -> None:
    error = rejected(problem=LazyMessage("it has {count} rows", count=20_000))
    assert str(error) == "Rejected: it has 20,000 rows."
    assert error.data["problem"] == "it has 20,000 rows"
    assert in_french(error) == "Refusé : il a 20\u202f000 lignes."


def test_a_message_inside_a_message_is_translated_too() -> None:
    names = LazyMessage("{names} and {count} more", names="a, b", count=3)
    error = rejected(problem=LazyMessage("these are there: {names}", names=names))
    assert str(error) == "Rejected: these are there: a, b and 3 more."
    assert in_french(error) == "Refusé : ceux-ci sont là : a, b et 3 de plus."


def test_an_error_that_went_through_json_says_the_same() -> None:
    error = rejected(problem=LazyMessage("it has {count} rows", count=2), name="x")
    again = rejected(**json.loads(json.dumps(error.data)))
    assert (str(again), in_french(again)) == (str(error), "Refusé : il a 2 lignes.")
    renamed = rejected(**again.data | {"name": "y"})
    assert in_french(renamed) == "Refusé : il a 2 lignes."


def test_a_copy_of_a_message_is_a_message() -> None:
    again = copy.deepcopy(LazyMessage("it has {count} rows", count=2))
    assert isinstance(again, LazyMessage)
    assert (again, again.msgid, again.data) == ("it has 2 rows", "it has {count} rows", {"count": 2})


def test_data_are_never_taken_for_a_place() -> None:
    error = rejected(problem=LazyMessage("these are there: {names}", names="{problem} {0} {names}"))
    assert str(error) == "Rejected: these are there: {problem} {0} {names}."
    assert in_french(error) == "Refusé : ceux-ci sont là : {problem} {0} {names}."


def nested(depth: int) -> dict[str, Any]:
    part: dict[str, Any] = {"msgid": "these are there: {names}", "data": {"names": "deep"}}
    for _ in range(depth):
        part = {"msgid": part["msgid"], "data": {"names": "deep", "parts": {"names": part}}}
    return part


@pytest.mark.parametrize(
    "part",
    [
        None,
        "text",
        {},
        {"msgid": 7, "data": {}},
        {"msgid": "", "data": {}},
        {"msgid": "it has {count} rows", "data": []},
        {"msgid": "{problem:>1000000000}", "data": {"problem": "x"}},
        {"msgid": "{problem.__class__.__mro__}", "data": {"problem": "x"}},
    ],
)
def test_a_part_that_makes_no_sense_leaves_the_english(part: Any) -> None:
    assert in_french(rejected(problem="as it was", parts={"problem": part})) == "Refusé : as it was."


def test_messages_nested_too_deep_stay_english_and_what_is_missing_stays_open() -> None:
    assert in_french(rejected(problem="x", parts={"problem": nested(200)})).count("ceux-ci") == 3
    missing = {"problem": {"msgid": "it has {count} rows", "data": {}}}
    assert in_french(rejected(problem="x", parts=missing)) == "Refusé : il a {count} lignes."
    assert translate_messages({"a": 1, "parts": "none"}, french) == {"a": 1, "parts": "none"}


def test_data_without_messages_stay_as_they_are() -> None:
    assert pack_messages({"name": "x", "count": 3}) == {"name": "x", "count": 3}


def test_an_error_is_shown_with_its_parts_in_the_readers_language() -> None:
    error = TableUnreadable(name="t.csv", problem=LazyMessage("it is empty"))
    with override("fr"):
        assert error_message(error) == gettext(error.message).format(name="t.csv", problem=gettext("it is empty"))
    with override("en"):
        assert "it is empty" in error_message(error)


# --- Every message of the code ----------------------------------------------------------------------------------------


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "LazyMessage":
            yield node


def problems(call: ast.Call) -> str:
    """Why a message would not reach the catalogue, or would not be filled; empty if all is well."""
    msgid = call.args[0] if len(call.args) == 1 else None
    if not isinstance(msgid, ast.Constant) or not isinstance(msgid.value, str):
        return "the catalogue finds only a plain string in its place"
    given = {keyword.arg for keyword in call.keywords}
    return "" if set(PLACE.findall(msgid.value)) == given else "its places are not what is given"


def test_every_message_reaches_the_catalogue_and_is_filled() -> None:
    # Five modules take messages over from errors that were marked where they are raised.
    taken_over = {
        *(("stimuli", "sandbox.py"), ("votes_table", "sandboxed.py")),
        *(("statistics", "scale_record.py"), ("statistics", "ordinal_model.py"), ("mos", "ordinal.py")),
    }
    read = [path for path in holding({"LazyMessage"}, modules(*APPS)) if path.parts[-2:] not in taken_over]
    found = [(path, call) for path in read for call in calls(parsed(path))]
    assert len(found) > 50
    assert [(str(path), call.lineno, said) for path, call in found if (said := problems(call))] == []


@pytest.mark.parametrize(
    "planted",
    [
        'LazyMessage(f"it has {count} rows")',
        "LazyMessage(says, count=1)",
        'LazyMessage("it has {count} rows")',
        'LazyMessage("it is empty", count=1)',
    ],
)
def test_a_planted_message_that_cannot_work_is_found(planted: str) -> None:
    (call,) = calls(ast.parse(planted))
    assert problems(call)
