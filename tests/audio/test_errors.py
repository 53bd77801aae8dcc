"""Errors of the library: messages that are filled with their data, and only with that."""

import ast
from collections.abc import Iterator
from string import Formatter
from typing import Any

import pytest

from audio import errors
from audio.errors import PARTS, PLACE, AudioError, SoundBroken, SoundTooLong
from tests.contracts.tree import modules, parsed

KINDS = {kind.__name__: kind for kind in AudioError.__subclasses__()}


def test_an_error_fills_its_message_and_the_problem_in_it() -> None:
    error = SoundBroken(name="a {count}", problem="it has {count} of {most} frames; {missing}", count=12_345, most="7")
    assert str(error) == (
        "'a {count}' is damaged or breaks off: it has 12,345 of 7 frames; {missing}. "
        "Export it again and give the new file."
    )
    assert error.to_json() == {"kind": "SoundBroken", "data": error.data}


@pytest.mark.parametrize("problem", ["{name.__class__}", "{name:>1000000000}", "{", "{}", "{0}"])
def test_only_places_by_name_are_filled_in_a_problem(problem: str) -> None:
    assert f": {problem}." in str(SoundBroken(name="x", problem=problem))


def test_a_message_without_its_data_cannot_be_filled() -> None:
    with pytest.raises(KeyError):
        str(SoundTooLong(name="x"))


# --- Every error that is raised ---------------------------------------------------------------------------------------


def raised(tree: ast.AST, names: dict[str, Any]) -> Iterator[tuple[ast.Call, dict[str, Any]]]:
    """Yield each call of an error class, with the messages that are known where it stands, by their names."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        known = dict(names)
        statements = [node for node in ast.walk(function) if isinstance(node, ast.Assign | ast.Call)]
        for node in sorted(statements, key=lambda one: one.lineno):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                known[node.targets[0].id] = message(node.value, known)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
                yield node, dict(known)


def message(node: ast.AST, known: dict[str, Any]) -> Any:
    """Return the text of gettext_noop("..."), of a name that stands for one, or None for any other expression."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "gettext_noop":
        return ast.literal_eval(node.args[0])
    return known.get(node.id) if isinstance(node, ast.Name) else None


def test_every_error_is_given_what_its_messages_have_places_for() -> None:
    seen = 0
    for path in modules("audio"):
        constants = vars(errors) | {
            target.id: message(node.value, {})
            for node in parsed(path).body
            if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name)
        }
        for call, known in raised(parsed(path), constants):
            kind = KINDS[ast.unparse(call.func)]
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            wanted = {name for _, name, _, _ in Formatter().parse(kind.message) if name}
            parts = [message(given[part], known) for part in PARTS if part in given]
            wanted |= {place for part in parts if isinstance(part, str) for place in PLACE.findall(part)}
            assert set(given) == wanted, (path.name, call.lineno)
            seen += 1
    assert seen > 40
