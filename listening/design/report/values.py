"""Values of a design report: findings with a number and a verdict, cross tables, and shares of factor levels."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from core.i18n import pack_messages
from listening.design.base import Sample

Number = int | float


class Verdict(StrEnum):
    """How a design does in one respect."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True)
class Table:
    """Counts to be looked at: a heading for every column, and rows that begin with what they are about."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | Number, ...], ...]


@dataclass(frozen=True)
class Finding:
    """One respect in which a design was looked at. Title and sentence are LazyMessages."""

    key: str
    title: str
    value: str  # the short form for a table: "8-8"
    verdict: Verdict
    sentence: str
    numbers: Mapping[str, Number] = field(default_factory=dict)
    table: Table | None = None

    def to_json(self) -> dict[str, Any]:
        table = (
            {"columns": list(self.table.columns), "rows": [list(row) for row in self.table.rows]}
            if self.table
            else None
        )
        message = pack_messages({"title": self.title, "sentence": self.sentence})
        return {
            **message,
            "key": self.key,
            "value": self.value,
            "verdict": str(self.verdict),
            "numbers": dict(self.numbers),
            "table": table,
        }


EVEN_V, UNEVEN_V = 0.05, 0.2  # Cramer's V up to which an association does not matter, and beyond which it is plain


class Crosstab:
    """How often the levels of two things came together."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.cells = Counter(pairs)
        self.rows = sorted({row for row, _ in self.cells})
        self.columns = sorted({column for _, column in self.cells})

    @cached_property
    def total(self) -> int:
        return sum(self.cells.values())

    def row_sum(self, row: str) -> int:
        return sum(self.cells[row, column] for column in self.columns)

    def column_sum(self, column: str) -> int:
        return sum(self.cells[row, column] for row in self.rows)

    @cached_property
    def gaps(self) -> list[tuple[float, float]]:
        """For each cell, the count expected if the two had nothing to do with each other, and how far off it is."""
        row_sums = {row: self.row_sum(row) for row in self.rows}
        column_sums = {column: self.column_sum(column) for column in self.columns}
        expected = {
            (row, column): row_sums[row] * column_sums[column] / self.total
            for row in self.rows
            for column in self.columns
        }
        return [(count, self.cells[cell] - count) for cell, count in expected.items()]

    @cached_property
    def cramers_v(self) -> float:
        """0 when the two have nothing to do with each other, 1 when one tells the other."""
        smaller = min(len(self.rows), len(self.columns)) - 1
        if smaller < 1:
            return 0.0
        chi_square = math.fsum(off**2 / count for count, off in self.gaps)
        return math.sqrt(chi_square / (self.total * smaller))

    @property
    def verdict(self) -> Verdict:
        """Call even what does not matter, and what is as even as whole numbers allow unless one tells the other."""
        as_can_be = all(abs(off) < 1 for _, off in self.gaps) and self.cramers_v < 1 - 1e-9
        if as_can_be or self.cramers_v <= EVEN_V:
            return Verdict.OK
        return Verdict.WARN if self.cramers_v <= UNEVEN_V else Verdict.BAD

    def range(self) -> tuple[int, int]:
        counts = [self.cells[row, column] for row in self.rows for column in self.columns]
        return min(counts, default=0), max(counts, default=0)

    def table(self, heading: str) -> Table:
        rows: list[tuple[str | Number, ...]] = [
            (row, *(self.cells[row, column] for column in self.columns)) for row in self.rows
        ]
        return Table((heading, *self.columns), tuple(rows))


def span(low: Number, high: Number) -> str:
    """Write a range as people read it: 8 when there is only one value, 7-9 otherwise."""
    return f"{low:g}" if low == high else f"{low:g}-{high:g}"


def fixed(value: float, places: int = 2) -> str:
    return f"{value:.{places}f}"


OFF_BY_ONE, OFF_BY_TWO = 1.0, 2.0  # less than one item off is as good as whole numbers allow


@dataclass(frozen=True)
class Share:
    """One level, or one combination of levels, in the pool and in each subset."""

    factor: str  # empty for a combination
    level: str
    pool: int
    share: float
    target: float  # items that a subset would have if items could be divided
    counts: tuple[int, ...]

    @property
    def off(self) -> float:
        return max(abs(count - self.target) for count in self.counts)

    @property
    def verdict(self) -> str:
        return "ok" if self.off < OFF_BY_ONE else "warn" if self.off < OFF_BY_TWO else "bad"

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"off": self.off, "verdict": self.verdict}


def shares(samples: Sequence[Sample], *, factors: Sequence[str], subsets: Sequence[Sequence[str]]) -> list[Share]:
    """Every level of every factor, and behind them every combination that there is, where factors are several."""
    levels = {sample.name: tuple(sample.factors.get(factor, "") for factor in factors) for sample in samples}
    margins = [
        share
        for number, factor in enumerate(factors)
        for share in _counted(factor, {name: held[number] for name, held in levels.items()}, subsets)
    ]
    joint = _counted("", {name: ", ".join(held) for name, held in levels.items()}, subsets) if len(factors) > 1 else []
    return [*margins, *joint]


def _counted(factor: str, level_of: dict[str, str], subsets: Sequence[Sequence[str]]) -> Iterable[Share]:
    pool = Counter(level_of.values())
    counts = [Counter(level_of[item] for item in subset) for subset in subsets]
    size = max(map(len, subsets))
    for level, count in sorted(pool.items()):
        share = count / len(level_of)
        yield Share(factor, level, count, share, size * share, tuple(part[level] for part in counts))
