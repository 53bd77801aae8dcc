"""Integer program (HiGHS) for the number of items of each joint cell in each subset: six goals, each with a proof."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from listening.design.subsets.greedy import greedy_counts
from listening.design.subsets.pool import GOALS, Counts, Pool, Quota

# --- A small integer program, grown row by row ------------------------------------------------------------------------


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
class Counted:
    """A count in a program, with what it costs."""

    variable: int
    excess: Expression
    deviation: Expression


def count(program: Program, quota: Quota, *, times: int, within: bool) -> Counted:
    """Add the count of one quota over so many subsets, divided evenly among them.

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
    """Add a variable that is 1 unless a count over so many subsets can be divided into equal parts."""
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


# --- The goals, one after the other -----------------------------------------------------------------------------------


NODES = 2000  # of branch and bound, for a goal; the report says of which goals the proof is missing when they run out
NODES_FOR_TIES = 50
NODES_FOR_SHARES = 200
SECONDS_FOR_COUNTS = 30.0
TRIES = 6
WEIGHTS = 1000

Judge = Callable[[Counts], tuple[int, ...]]


@dataclass(frozen=True)
class Solution:
    """Counts of every cell in every subset, what they reach, and what nothing can be better than."""

    counts: Counts
    reached: tuple[int, ...]
    bounds: tuple[int | None, ...]  # none after a goal that is not proven: what follows depends on it
    has_ties: bool | None  # whether other totals of the cells are as good; None: not known

    @property
    def is_optimal(self) -> bool:
        return self.reached == self.bounds

    @property
    def gap(self) -> float:
        """How much of what is reached in the first unproven goal may be too much; 0 if all are proven."""
        for reached, bound in zip(self.reached, self.bounds, strict=True):
            if bound is not None and reached != bound:
                return (reached - bound) / reached
        return 0.0


@dataclass
class _Stage:
    """A program, its goals in order, and the variables that count the items of each cell."""

    program: Program
    goals: list[Expression]
    variables: list[list[int]]
    judge: Judge
    seconds: float
    is_impossible: bool = False

    def read(self, values: Sequence[int]) -> Counts:
        return [[values[variable] for variable in row] for row in self.variables]


def solve(pool: Pool, rng: Random) -> Solution:
    """Find the best counts: first their totals over all subsets, which no counts can beat, then counts that have them.

    Subsets are alike, so a program with a variable for each cell and subset finds the same table over and over. The
    totals alone are a far smaller program; where they can be balanced, as nearly always, its proof holds for
    the whole. Where they cannot, the large program decides.
    """
    found = _best_totals(pool)
    if found is None:
        counts = greedy_counts(pool, rng)
        return Solution(counts, pool.judge(counts), _while_proven(pool.judge(counts), (0,) * len(GOALS)), None)
    stage, totals, bounds = found
    counts, has_ties = _divided(pool, stage, totals, bounds, rng)
    if pool.judge(counts) != bounds:
        counts, bounds = _best_counts(pool, counts, bounds)
        has_ties = None
    order = rng.sample(range(pool.subsets), pool.subsets)
    counts = [[row[subset] for subset in order] for row in counts]
    return Solution(counts, pool.judge(counts), _while_proven(pool.judge(counts), bounds), has_ties)


def _while_proven(reached: Sequence[int], bounds: Sequence[int]) -> tuple[int | None, ...]:
    proven = next((number for number, bound in enumerate(bounds) if bound != reached[number]), len(bounds))
    return tuple(bound if number <= proven else None for number, bound in enumerate(bounds))


def _best_totals(pool: Pool) -> tuple[_Stage, Counts, tuple[int, ...]] | None:
    """Find the best totals over all subsets, and what no counts can beat; None if the limits end the search for any."""
    for within in (True, False):
        stage = _totals_stage(pool, within=within)
        found = _descend(stage)
        if found is not None:
            return stage, *found
        if not stage.is_impossible:
            return None
    return None


def _best_counts(pool: Pool, start: Counts, bounds: tuple[int, ...]) -> tuple[Counts, tuple[int, ...]]:
    """Find the best counts by the large program, beginning with what is known already."""
    for within in (True, False):
        found = _descend(_counts_stage(pool, within=within), start=start, floors=bounds)
        if found is not None:
            return found
    return start, bounds


def _totals_stage(pool: Pool, *, within: bool) -> _Stage:
    """Set up a program with one variable for each cell: its items in all subsets together."""
    program, times = Program(), pool.subsets
    cells = [count(program, quota, times=times, within=within) for quota in pool.cells]
    margins = [count(program, quota, times=times, within=within) for quota in pool.margins]
    program.require({cell.variable: 1 for cell in cells}, times * pool.size, times * pool.size)
    for margin, members in zip(margins, pool.members, strict=True):
        program.require({margin.variable: -1, **{cells[cell].variable: 1 for cell in members}}, 0, 0)

    def uneven(counted: list[int], quotas: Sequence[Quota]) -> Expression:
        pairs = zip(counted, quotas, strict=True)
        return Expression.total(unevenness(program, variable, quota, times=times) for variable, quota in pairs)

    goals = [
        Expression.total(margin.excess for margin in margins),
        Expression.total(cell.excess for cell in cells),
        uneven([margin.variable for margin in margins], pool.margins),
        Expression.total(margin.deviation for margin in margins),
        Expression.total(cell.deviation for cell in cells),
        uneven([cell.variable for cell in cells], pool.cells),
    ]
    variables = [[cell.variable] for cell in cells]
    return _Stage(
        program, goals, variables, lambda counts: pool.judge_totals([row[0] for row in counts]), 2 * SECONDS_FOR_COUNTS
    )


def _counts_stage(pool: Pool, *, within: bool) -> _Stage:
    """Set up a program with one variable for each cell and subset."""
    program, subsets = Program(), range(pool.subsets)
    cells = [[count(program, quota, times=1, within=within) for _ in subsets] for quota in pool.cells]
    margins = [[count(program, quota, times=1, within=within) for _ in subsets] for quota in pool.margins]
    for quota, row in zip(pool.cells, cells, strict=True):
        program.require({one.variable: 1 for one in row}, high=quota.pool)
    for subset in subsets:
        program.require({row[subset].variable: 1 for row in cells}, pool.size, pool.size)
        for margin, members in zip(margins, pool.members, strict=True):
            parts = {cells[cell][subset].variable: 1 for cell in members}
            program.require({margin[subset].variable: -1, **parts}, 0, 0)
    variables = [[one.variable for one in row] for row in cells]
    sums = [[one.variable for one in row] for row in margins]
    goals = [
        Expression.total(one.excess for row in margins for one in row),
        Expression.total(one.excess for row in cells for one in row),
        Expression.total(spread(program, *pair) for pair in zip(sums, pool.margins, strict=True)),
        Expression.total(one.deviation for row in margins for one in row),
        Expression.total(one.deviation for row in cells for one in row),
        Expression.total(spread(program, *pair) for pair in zip(variables, pool.cells, strict=True)),
    ]
    return _Stage(program, goals, variables, pool.judge, SECONDS_FOR_COUNTS)


def _descend(
    stage: _Stage, *, start: Counts | None = None, floors: tuple[int, ...] = ()
) -> tuple[Counts, tuple[int, ...]] | None:
    """Take one goal after the other, holding what was reached; None if the program has no solution or none was found.

    `floors` are proven elsewhere, and hold for a goal as long as all goals before it reach theirs.
    """
    best, bounds = start, list(floors) or [0] * len(GOALS)
    is_first = True
    for number, goal in enumerate(stage.goals):
        has_floor = bool(floors) and best is not None and stage.judge(best)[:number] == floors[:number]
        if has_floor:
            stage.program.require(goal.terms, low=floors[number] - goal.constant)
        if not goal.terms:
            bounds[number] = goal.constant
            continue
        answer = stage.program.minimise(goal, nodes=NODES, seconds=stage.seconds)
        if is_first and answer.values is None:
            stage.is_impossible = answer.is_impossible
            return None
        is_first = False
        candidate = None if answer.values is None else stage.read(answer.values)
        if candidate is not None and (best is None or _not_worse(stage.judge, candidate, best, number)):
            best = candidate
        assert best is not None  # noqa: S101 - the first goal found one, or returned
        value = stage.judge(best)[number]
        bounds[number] = (
            value if answer.is_exhausted else max(min(answer.bound, value), floors[number] if has_floor else 0)
        )
        stage.program.require(goal.terms, high=value - goal.constant)
    return None if best is None else (best, tuple(bounds))


def _not_worse(judge: Judge, candidate: Counts, best: Counts, number: int) -> bool:
    return judge(candidate)[: number + 1] <= judge(best)[: number + 1]


def _chosen_by_lot(stage: _Stage, best: Counts, rng: Random) -> tuple[Counts, bool | None]:
    """Choose among solutions that are equally good by weights drawn at random, and say whether there are several."""
    weights = Expression({row[0]: rng.randrange(1, WEIGHTS) for row in stage.variables})
    against = Expression({variable: -weight for variable, weight in weights.terms.items()})
    chosen, is_certain = best, True
    for goal in (weights, against):
        answer = stage.program.minimise(goal, nodes=NODES_FOR_TIES)
        is_certain = is_certain and answer.is_exhausted
        other = None if answer.values is None else stage.read(answer.values)
        if other is not None and other != best and stage.judge(other) == stage.judge(best):
            return other, True
    return chosen, False if is_certain else None


def _divided(
    pool: Pool, stage: _Stage, totals: Counts, goal: tuple[int, ...], rng: Random
) -> tuple[Counts, bool | None]:
    """Divide totals among the subsets, every cell evenly and every margin too, or as nearly as a few tries find."""
    best, has_ties = None, None
    for _ in range(TRIES):
        chosen, has_ties = _chosen_by_lot(stage, totals, rng)
        counts = _peeled(pool, [row[0] for row in chosen], rng)
        best = counts if best is None else min(best, counts, key=pool.judge)
        if pool.judge(best) == goal:
            break
    assert best is not None  # noqa: S101 - there was at least one try
    return best, has_ties


def _peeled(pool: Pool, totals: Sequence[int], rng: Random) -> Counts:
    """Take one subset after the other out of the totals, so that what is left can still be divided evenly."""
    left, taken = list(totals), []
    for subsets in range(pool.subsets, 1, -1):
        one = _one_share(pool, left, subsets, rng)
        taken.append(one)
        left = [total - part for total, part in zip(left, one, strict=True)]
    return [list(row) for row in zip(*taken, left, strict=True)]


def _one_share(pool: Pool, left: Sequence[int], subsets: int, rng: Random) -> list[int]:
    """Draw one subset: its cells are even shares of what is left, its margins too unless that cannot be."""
    program = Program()
    cells = [program.variable(total // subsets, -(-total // subsets)) for total in left]
    program.require(dict.fromkeys(cells, 1), pool.size, pool.size)
    goal = Expression({cell: rng.randrange(WEIGHTS) for cell in cells})
    for members in pool.members:
        total, parts = sum(left[cell] for cell in members), {cells[cell]: 1 for cell in members}
        short, over = program.variable(whole=False), program.variable(whole=False)
        program.require({**parts, short: 1}, low=total // subsets)
        program.require({**parts, over: -1}, high=-(-total // subsets))
        goal.terms[short] = goal.terms[over] = WEIGHTS * len(cells)  # dearer than all weights together
    answer = program.minimise(goal, nodes=NODES_FOR_SHARES)
    if answer.values is None:
        raise ArithmeticError("The solver found no share, although any even one that adds up would do.")
    return [answer.values[cell] for cell in cells]
