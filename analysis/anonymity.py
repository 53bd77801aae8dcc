"""k-anonymity of listeners: cells are emptied until every combination of answers is shared by at least k of them."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

USUAL_K = 5


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
    """Empty cells of the rarest combinations, the most telling column first, until none is rarer than k.

    Where the emptied rows alone are too few, the next rarest combination joins them.
    """
    if columns and 0 < len(people) < k:
        raise TooFewListeners
    cells = {who: {name: own.get(name, "") for name in columns} for who, own in people.items()}
    while rare := _rare(cells, columns, k):
        column = _most_telling([cells[who] for who in rare], columns)
        if column is None:  # they are empty already, and too few
            rare = _next_rarest(cells, columns, apart_from=set(rare))
            column = _most_telling([cells[who] for who in rare], columns)
        for who in rare:
            cells[who][str(column)] = ""
    emptied = {
        name: count
        for name in columns
        if (count := sum(bool(people[who].get(name)) and not own[name] for who, own in cells.items()))
    }
    return Suppression(k, tuple(columns), cells, emptied)


def _groups(cells: Mapping[Any, Mapping[str, str]], columns: Sequence[str]) -> dict[tuple[str, ...], list[Any]]:
    groups: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    for who, own in cells.items():
        groups[tuple(own[name] for name in columns)].append(who)
    return groups


def _rare(cells: Mapping[Any, Mapping[str, str]], columns: Sequence[str], k: int) -> list[Any]:
    return [who for group in _groups(cells, columns).values() if len(group) < k for who in group]


def _most_telling(rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> str | None:
    """The column with the most different answers among these; none where all are empty."""
    counts = {name: len(Counter(row[name] for row in rows if row[name])) for name in columns}
    found = max(columns, key=lambda name: counts[name], default=None)
    return found if found is not None and counts[found] else None


def _next_rarest(cells: Mapping[Any, Mapping[str, str]], columns: Sequence[str], *, apart_from: set[Any]) -> list[Any]:
    groups = [group for group in _groups(cells, columns).values() if not apart_from & set(group)]
    return min(groups, key=len)
