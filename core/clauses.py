"""Clauses: parts of a sentence with data of their own, which are translated where the sentence is said."""

import re
from collections.abc import Callable, Mapping
from typing import Any

Translate = Callable[[str], str]

KEPT = "clauses"
PLACE = re.compile(r"\{(\w+)\}")
DEEPEST = 3  # a clause may hold clauses, such as a list of names that ends in "and 5 more"
# Between groups of three digits, by ISO 80000-1: in other languages a comma would be taken for a decimal sign.
THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"


class Clause(str):
    """A part of a sentence in English, and what it was made of."""

    __slots__ = ("data", "says")

    says: str
    data: Mapping[str, Any]

    def __new__(cls, says: str, /, **data: Any) -> "Clause":
        made = super().__new__(cls, _filled(says, data, ","))
        made.says, made.data = says, data
        return made


def clause(says: str, /, **data: Any) -> Clause:
    """Mark a part of a sentence, or a title, for the catalogue, and fill its {places}; whole numbers are grouped."""
    return Clause(says, **data)


def keep_clauses(data: Mapping[str, Any]) -> dict[str, Any]:
    """Make data that JSON can hold: each clause as plain English, and under "clauses" what it was made of."""
    made = {name: value for name, value in data.items() if isinstance(value, Clause)}
    if not made:
        return dict(data)
    parts = {name: {"says": value.says, "data": keep_clauses(value.data)} for name, value in made.items()}
    plain = {name: str(value) for name, value in made.items()}
    return {**data, **plain, KEPT: {**data.get(KEPT, {}), **parts}}


def translated(data: Mapping[str, Any], translate: Translate, depth: int = DEEPEST) -> dict[str, Any]:
    """Say the kept clauses of such data in another language.

    Data may come from a sealed child, which nobody trusts: only a clause that the catalogue knows is filled, and
    whatever else is found there leaves the English.
    """
    parts = data.get(KEPT)
    if not isinstance(parts, dict):
        return dict(data)
    return {**data, **{name: _said(data.get(name), part, translate, depth) for name, part in parts.items()}}


def _said(english: Any, part: Any, translate: Translate, depth: int) -> Any:
    match part:
        case {"says": str() as says, "data": dict() as data} if says and depth:
            known = translate(says)
            if known != says:
                return _filled(known, translated(data, translate, depth - 1), THIN_SPACE)
    return english


def _filled(says: str, data: Mapping[str, Any], separator: str) -> str:
    """Fill places by name alone: what str.format also does, attributes and widths, is not for strangers' data."""
    return PLACE.sub(lambda place: _written(data.get(place[1], place[0]), separator), says)


def _written(value: Any, separator: str) -> str:
    return f"{value:,}".replace(",", separator) if isinstance(value, int) else str(value)
