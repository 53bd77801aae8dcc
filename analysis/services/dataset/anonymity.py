"""k-anonymity of listeners: cells are emptied until every combination of answers is shared by at least k of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

USUAL_K = 5
Answers = tuple[str, ...]


@dataclass(frozen=True)
class Suppression:
    """The answers as they may be published, and how many of each column were emptied for that."""

    k: int
    columns: tuple[str, ...]
    cells: Mapping[Any, Mapping[str, str]]
    emptied: dict[str, int]

    @property
    def listeners(self) -> int:
        return len(self.cells)


class TooFewListeners(ValueError):
    """There are fewer listeners than k, so that no combination can be shared by k of them."""


def suppress(people: Mapping[Any, Mapping[str, str]], *, columns: Sequence[str], k: int) -> Suppression:
    """Join the rarest combination with the one that costs the fewest answers, until none is rarer than k.

    Where two that are joined differ, both are left empty. The same answers always give the same outcome.
    """
    if columns and 0 < len(people) < k:
        raise TooFewListeners
    groups: dict[Answers, list[Any]] = defaultdict(list)
    for who, own in people.items():
        groups[tuple(own.get(name, "") for name in columns)].append(who)
    while rare := [answers for answers, group in groups.items() if len(group) < k]:
        rarest = min(rare, key=lambda answers: (len(groups[answers]), answers))
        nearest = min((one for one in groups if one != rarest), key=lambda one: (_cost(groups, rarest, one), one))
        joined = [*groups.pop(rarest), *groups.pop(nearest)]
        groups[_common(rarest, nearest)] += joined
    cells = {who: dict(zip(columns, answers, strict=True)) for answers, group in groups.items() for who in group}
    counts = {
        name: sum(bool(own.get(name)) and not cells[who][name] for who, own in people.items()) for name in columns
    }
    emptied = {name: count for name, count in counts.items() if count}
    return Suppression(k, tuple(columns), {who: cells[who] for who in people}, emptied)


def _common(one: Answers, other: Answers) -> Answers:
    return tuple(mine if mine == its else "" for mine, its in zip(one, other, strict=True))


def _cost(groups: Mapping[Answers, Sequence[Any]], one: Answers, other: Answers) -> int:
    """How many answers are emptied when two groups are joined."""
    apart = [(mine, its) for mine, its in zip(one, other, strict=True) if mine != its]
    return sum(bool(mine) * len(groups[one]) + bool(its) * len(groups[other]) for mine, its in apart)
