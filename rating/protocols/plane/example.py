"""What the option that describes an example must hold: an item, and crosses with their reasons."""

import math
from collections.abc import Mapping

from core.clauses import Clause, clause
from rating.protocols.base import FULL_LENGTH, Json, OptionUnfit


def check_example(example: Json, material: Mapping[str, Mapping[str, str]]) -> None:
    item, crosses = example.get("item"), example.get("crosses")
    if example.keys() != {"item", "crosses"} or not isinstance(item, str) or not isinstance(crosses, list):
        raise _unfit(clause("it takes an item and a list of crosses, and nothing else."))
    if material and item not in material:
        raise _unfit(clause("the collection has no item {item}.", item=item[:40]))
    summaries = [name for name, role in material.get(item, {}).items() if role != FULL_LENGTH]
    placed: set[str] = set()
    for number, cross in enumerate(crosses, start=1):
        name = cross.get("condition") if isinstance(cross, dict) else None
        if not isinstance(name, str) or name in placed or (material and name not in summaries):
            known = ", ".join(sorted(set(summaries) - placed)) or "-"
            raise _unfit(
                clause("cross {number} must name a summary of its own; left are {known}.", number=number, known=known)
            )
        placed.add(name)
        _check_shown(cross, number)


def _check_shown(cross: Json, number: int) -> None:
    if unknown := sorted(cross.keys() - {"condition", "tc", "sd", "why", "hears"}):
        raise _unfit(
            clause("cross {number} has {unknown}, which nothing reads.", number=number, unknown=unknown[0][:40])
        )
    if not _is_number(cross.get("tc"), most=1) or not _is_number(cross.get("sd"), most=1):
        raise _unfit(clause("cross {number} needs tc and sd, each a number from 0 to 1.", number=number))
    if not isinstance(cross.get("why"), str) or not cross["why"].strip():
        raise _unfit(clause("cross {number} needs a reason, as a text called why.", number=number))
    hears = cross.get("hears", [])
    if not isinstance(hears, list) or not all(_is_passage(each) for each in hears):
        problem = clause(
            "hears of cross {number} is a list of passages, each a beginning and an end in seconds.", number=number
        )
        raise _unfit(problem)


def _unfit(problem: Clause) -> OptionUnfit:
    return OptionUnfit(option="example", problem=problem)


def _is_passage(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)) and value[0] < value[1]


def _is_number(value: Json, most: float = math.inf) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most
