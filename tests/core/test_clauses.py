"""Clauses: English as it always was, whole sentences in another language, and nothing that a stranger could abuse."""

import ast
import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils.translation import gettext, override

from core.clauses import PLACE, Clause, clause, keep_clauses, translated
from core.errors import AppError
from core.http_errors import error_message
from stimuli.errors import TableUnreadable
from tests.contracts.tree import APPS, modules, parsed

FRENCH = {
    "it has {count} rows": "il a {count} lignes",
    "{names} and {count} more": "{names} et {count} de plus",
    "these are there: {names}": "ceux-ci sont là : {names}",
    "Refused: {problem}.": "Refusé : {problem}.",
}


class Refused(AppError):
    code = "test.clauses"
    sentence = "Refused: {problem}."


def french(text: str) -> str:
    return FRENCH.get(text, text)


def in_french(error: AppError) -> str:
    return error.say(french(error.sentence), french)


def test_a_clause_is_plain_english_that_can_be_said_in_another_language() -> None:
    error = Refused(problem=clause("it has {count} rows", count=20_000))
    assert str(error) == "Refused: it has 20,000 rows."
    assert error.data["problem"] == "it has 20,000 rows"
    assert in_french(error) == "Refusé : il a 20\u202f000 lignes."


def test_a_clause_inside_a_clause_is_said_too() -> None:
    names = clause("{names} and {count} more", names="a, b", count=3)
    error = Refused(problem=clause("these are there: {names}", names=names))
    assert str(error) == "Refused: these are there: a, b and 3 more."
    assert in_french(error) == "Refusé : ceux-ci sont là : a, b et 3 de plus."


def test_a_refusal_that_went_through_json_says_the_same() -> None:
    error = Refused(problem=clause("it has {count} rows", count=2), name="x")
    again = Refused(**json.loads(json.dumps(error.data)))
    assert (str(again), in_french(again)) == (str(error), "Refusé : il a 2 lignes.")
    renamed = Refused(**again.data | {"name": "y"})
    assert in_french(renamed) == "Refusé : il a 2 lignes."


def test_a_copy_of_a_clause_is_a_clause() -> None:
    again = copy.deepcopy(clause("it has {count} rows", count=2))
    assert isinstance(again, Clause)
    assert (again, again.says, again.data) == ("it has 2 rows", "it has {count} rows", {"count": 2})


def test_what_fills_a_clause_is_never_taken_for_a_place() -> None:
    error = Refused(problem=clause("these are there: {names}", names="{problem} {0} {names}"))
    assert str(error) == "Refused: these are there: {problem} {0} {names}."
    assert in_french(error) == "Refusé : ceux-ci sont là : {problem} {0} {names}."


def nested(depth: int) -> dict[str, Any]:
    part: dict[str, Any] = {"says": "these are there: {names}", "data": {"names": "deep"}}
    for _ in range(depth):
        part = {"says": part["says"], "data": {"names": "deep", "clauses": {"names": part}}}
    return part


@pytest.mark.parametrize(
    "part",
    [
        None,
        "text",
        {},
        {"says": 7, "data": {}},
        {"says": "", "data": {}},
        {"says": "it has {count} rows", "data": []},
        {"says": "{problem:>1000000000}", "data": {"problem": "x"}},
        {"says": "{problem.__class__.__mro__}", "data": {"problem": "x"}},
    ],
)
def test_a_part_that_makes_no_sense_leaves_the_english(part: Any) -> None:
    assert in_french(Refused(problem="as it was", clauses={"problem": part})) == "Refusé : as it was."


def test_clauses_without_end_come_to_one_and_what_is_missing_stays_open() -> None:
    assert in_french(Refused(problem="x", clauses={"problem": nested(200)})).count("ceux-ci") == 3
    missing = {"problem": {"says": "it has {count} rows", "data": {}}}
    assert in_french(Refused(problem="x", clauses=missing)) == "Refusé : il a {count} lignes."
    assert translated({"a": 1, "clauses": "none"}, french) == {"a": 1, "clauses": "none"}


def test_data_without_clauses_is_kept_as_it_is() -> None:
    assert keep_clauses({"name": "x", "count": 3}) == {"name": "x", "count": 3}


def test_a_refusal_is_shown_with_its_clauses_in_the_readers_language() -> None:
    error = TableUnreadable(name="t.csv", problem=clause("it is empty"))
    with override("fr"):
        assert error_message(error) == gettext(error.sentence).format(name="t.csv", problem=gettext("it is empty"))
    with override("en"):
        assert "it is empty" in error_message(error)


# --- Every clause of the code -----------------------------------------------------------------------------------------


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "clause":
            yield node


def problems(call: ast.Call) -> str:
    """Why a clause would not reach the catalogue, or would not be filled; empty if all is well."""
    says = call.args[0] if len(call.args) == 1 else None
    if not isinstance(says, ast.Constant) or not isinstance(says.value, str):
        return "the catalogue finds only a plain string in its place"
    given = {keyword.arg for keyword in call.keywords}
    return "" if set(PLACE.findall(says.value)) == given else "its places are not what is given"


def test_every_clause_reaches_the_catalogue_and_is_filled() -> None:
    found = [(path, call) for path in modules(*APPS) for call in calls(parsed(path))]
    assert len(found) > 50
    assert [(str(path), call.lineno, said) for path, call in found if (said := problems(call))] == []


@pytest.mark.parametrize(
    "planted",
    [
        'clause(f"it has {count} rows")',
        "clause(says, count=1)",
        'clause("it has {count} rows")',
        'clause("it is empty", count=1)',
    ],
)
def test_a_planted_clause_that_cannot_work_is_found(planted: str) -> None:
    (call,) = calls(ast.parse(planted))
    assert problems(call)
