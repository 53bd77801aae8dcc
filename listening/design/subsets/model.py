"""A small integer program, grown row by row and solved by HiGHS, and the quantities of a subset as it counts them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

Terms = dict[int, int]  # coefficient by variable

ROUNDING = 0.01  # objectives are whole numbers; what the solver's tolerances add to one stays far below this
SECONDS_A_SOLUTION = 60.0  # a safety net: nodes run out first on any usual machine, and are the same on every machine


@dataclass
class Expression:
    """A sum of variables, and a constant."""

    terms: Terms = field(default_factory=dict)
    constant: int = 0

    @classmethod
    def total(cls, parts: Iterable["Expression"]) -> "Expression":
        whole = cls()
        for part in parts:
            whole.constant += part.constant
            for variable, coefficient in part.terms.items():
                whole.terms[variable] = whole.terms.get(variable, 0) + coefficient
        return whole

    @classmethod
    def of(cls, *variables: int) -> "Expression":
        return cls(dict.fromkeys(variables, 1))


@dataclass(frozen=True)
class Answer:
    """The best values that were found, if any, and what no values can be better than."""

    values: list[int] | None
    bound: int
    is_impossible: bool = False
    is_exhausted: bool = False  # everything was searched: the values are the best there are


class Program:
    """Variables with bounds, and rows that say what sums of them may be."""

    def __init__(self) -> None:
        self._lowest: list[float] = []
        self._highest: list[float] = []
        self._whole: list[int] = []
        self._rows: list[tuple[Terms, float, float]] = []

    def variable(self, low: float = 0, high: float = math.inf, *, whole: bool = True) -> int:
        self._lowest.append(low)
        self._highest.append(high)
        self._whole.append(int(whole))
        return len(self._whole) - 1

    def require(self, terms: Terms, low: float = -math.inf, high: float = math.inf) -> None:
        if terms:
            self._rows.append((terms, low, high))

    def minimise(self, goal: Expression, *, nodes: int, seconds: float = SECONDS_A_SOLUTION) -> Answer:
        """Solve by branch and bound; scipy is imported here, so that a web process stays light."""
        import numpy as np
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        costs = np.zeros(len(self._whole))
        for variable, coefficient in goal.terms.items():
            costs[variable] = coefficient
        triples = [(row, *pair) for row, (terms, _, _) in enumerate(self._rows) for pair in terms.items()]
        rows, columns, coefficients = zip(*triples, strict=True)
        matrix = csr_array((np.array(coefficients, float), (rows, columns)), shape=(len(self._rows), len(costs)))
        found = milp(
            costs,
            integrality=np.array(self._whole),
            bounds=Bounds(np.array(self._lowest), np.array(self._highest)),
            constraints=LinearConstraint(
                matrix, np.array([low for _, low, _ in self._rows]), np.array([high for _, _, high in self._rows])
            ),
            options={"mip_rel_gap": 0.0, "node_limit": nodes, "time_limit": seconds},
        )
        values = None if found.x is None else [round(value) for value in found.x]
        dual = found.mip_dual_bound
        bound = 0 if dual is None or not math.isfinite(dual) else math.ceil(dual - ROUNDING) + goal.constant
        return Answer(values, bound, is_impossible=found.status == 2, is_exhausted=found.status == 0)


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
class Counted:
    """A count in a program, with what it costs."""

    variable: int
    excess: Expression
    deviation: Expression


def count(program: Program, quota: Quota, *, times: int, within: bool) -> Counted:
    """Add the count of one quota over so many subsets, shared out evenly among them.

    Costs are convex, so that an even share is the cheapest and costs what the piecewise linear function says. `within`
    keeps every subset less than one item from its proportion: then nothing is in excess and the deviation is linear.
    """
    low, high, rest, units = times * quota.low, times * quota.high, times * quota.rest, quota.units
    slope = units - 2 * quota.rest
    if within:
        variable = program.variable(low, min(high, quota.pool))
        rises = Expression({variable: slope}, rest - slope * low) if rest else Expression()
        return Counted(variable, Expression(), rises)
    variable = program.variable(0, quota.pool)
    excess, deviation = program.variable(whole=False), program.variable(whole=False)
    program.require({excess: 1, variable: 1}, low=low)
    program.require({excess: 1, variable: -1}, low=-high)
    program.require({deviation: 1, variable: units}, low=times * quota.exact)
    program.require({deviation: 1, variable: -units}, low=-times * quota.exact)
    if rest:
        program.require({deviation: 1, variable: -slope}, low=rest - slope * low)
    return Counted(variable, Expression.of(excess), Expression.of(deviation))


def unevenness(program: Program, variable: int, quota: Quota, *, times: int) -> Expression:
    """Add a variable that is 1 unless a count over so many subsets can be shared out in equal parts."""
    if quota.pool == 1 < times:
        return Expression.of(variable)
    share, uneven = program.variable(0, quota.pool // times), program.variable(0, 1)
    program.require({variable: 1, share: -times}, low=0)
    program.require({variable: 1, share: -times, uneven: 1 - times}, high=0)
    return Expression.of(uneven)


def spread(program: Program, variables: list[int], quota: Quota) -> Expression:
    """Add the difference between the largest and the smallest of some counts of one quota."""
    largest, smallest = program.variable(0, quota.pool), program.variable(0, quota.pool)
    for variable in variables:
        program.require({largest: 1, variable: -1}, low=0)
        program.require({smallest: -1, variable: 1}, low=0)
    return Expression({largest: 1, smallest: -1})
