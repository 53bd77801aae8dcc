"""Pool of items: the quotas of its cells and margins, and what given counts reach in each goal, exactly."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Counts = list[list[int]]  # by cell or margin, then by subset

GOALS = (
    "items of margins beyond the whole numbers next to the exact proportion",
    "items of joint cells beyond the whole numbers next to the exact proportion",
    "largest minus smallest subset, summed over margins",
    "absolute deviation, summed over margins and subsets",
    "absolute deviation, summed over joint cells and subsets",
    "largest minus smallest subset, summed over joint cells",
)
GOALS_IN_UNITS = frozenset({3, 4})  # the others count items


@dataclass(frozen=True)
class Quota:
    """How many items of a subset a factor level or joint cell should have: `exact` of so many `units` to an item."""

    pool: int  # items that there are
    exact: int
    units: int

    @property
    def low(self) -> int:
        return self.exact // self.units

    @property
    def high(self) -> int:
        return -(-self.exact // self.units)

    @property
    def rest(self) -> int:
        return self.exact % self.units

    def excess(self, count: int) -> int:
        """How many items lie outside what is less than one item from the exact proportion."""
        return max(0, self.low - count, count - self.high)

    def deviation(self, count: int) -> int:
        """How far off a count is, in units."""
        return abs(count * self.units - self.exact)


def quotas_of(pools: Iterable[int], *, size: int, items: int) -> list[Quota]:
    """Scale exact proportions to whole numbers, the smallest that will do, so that no rounding enters a program."""
    pools = list(pools)
    divisor = math.gcd(items, *(size * pool for pool in pools))
    return [Quota(pool, size * pool // divisor, items // divisor) for pool in pools]


@dataclass(frozen=True)
class Pool:
    """Cells, margins, which cells make up a margin, and what is asked for."""

    cells: Sequence[Quota]
    margins: Sequence[Quota]
    members: Sequence[Sequence[int]]
    subsets: int
    size: int

    @classmethod
    def of(cls, cells: Sequence[int], members: Sequence[Sequence[int]], *, subsets: int, size: int) -> "Pool":
        margins = [sum(cells[cell] for cell in part) for part in members]
        quotas = quotas_of([*cells, *margins], size=size, items=sum(cells))
        return cls(quotas[: len(cells)], quotas[len(cells) :], members, subsets, size)

    def sums(self, cells: Counts) -> Counts:
        """Add up the counts of cells to those of the margins."""
        return [[sum(column) for column in zip(*(cells[cell] for cell in part), strict=True)] for part in self.members]

    def judge(self, cells: Counts) -> tuple[int, ...]:
        """Say what counts reach in each goal."""
        return self._goals(cells, self.sums(cells))

    def judge_totals(self, totals: Sequence[int]) -> tuple[int, ...]:
        """Say what totals over all subsets reach if cells and margins can all be divided evenly."""
        margins = [sum(totals[cell] for cell in part) for part in self.members]
        return self._goals([self._even(total) for total in totals], [self._even(total) for total in margins])

    def _even(self, total: int) -> list[int]:
        share, more = divmod(total, self.subsets)
        return [share + (subset < more) for subset in range(self.subsets)]

    def _goals(self, cells: Counts, margins: Counts) -> tuple[int, ...]:
        of_margins = _reached(self.margins, margins)
        of_cells = _reached(self.cells, cells)
        return of_margins[0], of_cells[0], of_margins[2], of_margins[1], of_cells[1], of_cells[2]


def _reached(quotas: Sequence[Quota], counts: Counts) -> tuple[int, int, int]:
    """Add up excess, deviation and spread."""
    pairs = [(quota, one) for quota, row in zip(quotas, counts, strict=True) for one in row]
    excess = sum(quota.excess(one) for quota, one in pairs)
    deviation = sum(quota.deviation(one) for quota, one in pairs)
    return excess, deviation, sum(max(row) - min(row) for row in counts)
