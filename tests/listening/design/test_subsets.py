"""Subsets that balance the factors of a pool: what they promise, and that nothing better exists."""

import itertools
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import AppError
from listening.design.base import Sample
from listening.design.subsets.greedy import greedy_counts
from listening.design.subsets.milp import solve
from listening.design.subsets.planning import SubsetPlan, plan_subsets
from listening.design.subsets.pool import Counts, Pool
from tests.errors import raises_error
from tests.scale import ALL

UDASE = {
    "session": {"S01": 112, "S21": 108},
    "location": {"dining": 77, "living": 70, "kitchen": 73},
    "sex": {"FM": 169, "F": 25, "M": 26},
}


def udase_pool(seed: int) -> list[Sample]:
    """Make 220 items with the margins of the published test, and a joint distribution of chance."""
    rng = Random(seed)
    columns = {
        factor: rng.sample([level for level, count in levels.items() for _ in range(count)], 220)
        for factor, levels in UDASE.items()
    }
    return [Sample(f"item-{n:03d}", {factor: column[n] for factor, column in columns.items()}) for n in range(220)]


def pool_of(cells: Sequence[Sequence[str]]) -> list[Sample]:
    return [Sample(f"item-{n}", {f"f{at}": level for at, level in enumerate(cell)}) for n, cell in enumerate(cells)]


def counted(samples: Sequence[Sample], plan: SubsetPlan, factors: Sequence[str]) -> list[Counter[tuple[str, ...]]]:
    by_name = {sample.name: tuple(sample.factors[factor] for factor in factors) for sample in samples}
    return [Counter(by_name[name] for name in subset) for subset in plan.subsets]


@pytest.mark.parametrize("seed", range(3 if ALL else 1))
def test_the_published_pool_gives_four_subsets_that_are_nowhere_a_whole_item_off(seed: int) -> None:
    samples, factors = udase_pool(seed), list(UDASE)
    plan = plan_subsets(samples, factors=factors, subsets=4, size=32, seed=str(seed))
    assert plan.optimal
    assert plan.gap == 0.0
    pool = Counter(tuple(sample.factors.values()) for sample in samples)
    for found in counted(samples, plan, factors):
        assert found.total() == 32
        assert all(abs(found[cell] - 32 * items / 220) < 1 for cell, items in pool.items())
    for factor, levels in UDASE.items():
        margins = counted(samples, plan, [factor])
        assert all(margin == margins[0] for margin in margins)
        assert all(abs(margins[0][(level,)] - 32 * items / 220) < 1 for level, items in levels.items())
    assert plan.report["margins_that_differ"] == []
    assert plan.report["a_whole_item_off"] == []


def test_the_report_sets_target_against_achieved_for_every_level_and_cell() -> None:
    samples, factors = udase_pool(5), list(UDASE)
    plan = plan_subsets(samples, factors=factors, subsets=4, size=32, seed="5")
    found = counted(samples, plan, factors)
    pool = Counter(tuple(sample.factors.values()) for sample in samples)
    assert len(plan.report["margins"]) == 8
    assert {tuple(row["levels"].values()) for row in plan.report["cells"]} == set(pool)
    for row in plan.report["cells"]:
        cell = tuple(row["levels"].values())
        assert row["pool"] == pool[cell]
        assert row["target"] == pytest.approx(32 * pool[cell] / 220)
        assert row["achieved"] == [subset[cell] for subset in found]
        assert row["deviations"] == pytest.approx([subset[cell] - row["target"] for subset in found])
    assert all(goal["proven"] for goal in plan.report["goals"])


def test_a_cell_too_small_for_any_subset_stands_in_the_report() -> None:
    samples = pool_of([("a",)] * 40 + [("rare",)])
    plan = plan_subsets(samples, factors=["f0"], subsets=2, size=5, seed="0")
    assert plan.report["cells_never_drawn"] == [{"f0": "rare"}]
    row = next(row for row in plan.report["cells"] if row["levels"] == {"f0": "rare"})
    assert (row["pool"], row["achieved"]) == (1, [0, 0])


# --- Any pool ---------------------------------------------------------------------------------------------------------


@st.composite
def requests(draw: st.DrawFn, *, items: int, subsets: int) -> tuple[list[Sample], list[str], int, int]:
    factors = draw(st.integers(0, 3))
    cell = st.tuples(*[st.sampled_from("abc")] * factors)
    cells = draw(st.lists(cell, min_size=1, max_size=items))
    count = draw(st.integers(1, min(subsets, len(cells))))
    most = len(cells) // count
    size = draw(st.sampled_from([most, draw(st.integers(1, most))]))
    return pool_of(cells), [f"f{at}" for at in range(factors)], count, size


@given(request=requests(items=40, subsets=5), seed=st.text(max_size=3))
@settings(max_examples=40 if ALL else 5, deadline=None)
def test_subsets_of_any_pool_are_disjoint_whole_and_told_truly(
    request: tuple[list[Sample], list[str], int, int], seed: str
) -> None:
    samples, factors, subsets, size = request
    plan = plan_subsets(samples, factors=factors, subsets=subsets, size=size, seed=seed)
    names = [name for subset in plan.subsets for name in subset]
    assert len(plan.subsets) == subsets
    assert all(len(subset) == size for subset in plan.subsets)
    assert len(set(names)) == len(names) == subsets * size
    assert set(names) <= {sample.name for sample in samples}
    found = counted(samples, plan, factors)
    for row in plan.report["cells"]:
        assert row["achieved"] == [subset[tuple(row["levels"].values())] for subset in found]
    for at, factor in enumerate(factors):
        rows = [row for row in plan.report["margins"] if row["factor"] == factor]
        assert [sum(column) for column in zip(*(row["achieved"] for row in rows), strict=True)] == [size] * subsets
        for row in rows:
            in_cells = [sum(n for cell, n in subset.items() if cell[at] == row["level"]) for subset in found]
            assert row["achieved"] == in_cells
    again = plan_subsets(samples[::-1], factors=factors, subsets=subsets, size=size, seed=seed)
    assert [set(subset) for subset in again.subsets] == [set(subset) for subset in plan.subsets]


def every_table(pool: Pool) -> Iterator[Counts]:
    rows = [
        [row for row in itertools.product(range(quota.pool + 1), repeat=pool.subsets) if sum(row) <= quota.pool]
        for quota in pool.cells
    ]
    for table in itertools.product(*rows):
        if all(sum(column) == pool.size for column in zip(*table, strict=True)):
            yield [list(row) for row in table]


def as_pool(samples: Sequence[Sample], factors: Sequence[str], subsets: int, size: int) -> Pool:
    cells = Counter(tuple(sample.factors.values()) for sample in samples)
    order = sorted(cells)
    levels = sorted({(at, level) for cell in order for at, level in enumerate(cell)})
    members = [[n for n, cell in enumerate(order) if cell[at] == level] for at, level in levels]
    assert len(factors) == len(order[0])
    return Pool.of([cells[cell] for cell in order], members, subsets=subsets, size=size)


@given(request=requests(items=7, subsets=2), seed=st.integers(0, 3))
@settings(max_examples=60 if ALL else 15, deadline=None)
def test_no_table_of_counts_is_better_than_the_one_that_is_called_optimal(
    request: tuple[list[Sample], list[str], int, int], seed: int
) -> None:
    pool = as_pool(*request)
    solution = solve(pool, Random(seed))
    assert solution.is_optimal
    assert solution.reached == min(pool.judge(table) for table in every_table(pool))


def test_a_pool_that_no_even_shares_fit_is_still_solved_to_the_proof() -> None:
    cells = ["aab", "aba", "baa", "bab", "bab", "bbb", "bbb"]
    samples = pool_of([tuple(cell) for cell in cells])
    pool = as_pool(samples, ["f0", "f1", "f2"], 2, 3)
    tables = list(every_table(pool))
    assert min(pool.judge_totals([sum(row) for row in table]) for table in tables) < min(map(pool.judge, tables))
    solution = solve(pool, Random(0))
    assert solution.is_optimal
    assert solution.reached == min(map(pool.judge, tables))


@given(request=requests(items=40, subsets=4))
@settings(max_examples=25, deadline=None)
def test_counts_found_without_a_solver_add_up_and_take_no_more_than_there_is(
    request: tuple[list[Sample], list[str], int, int],
) -> None:
    pool = as_pool(*request)
    counts = greedy_counts(pool, Random(0))
    assert all(sum(column) == pool.size for column in zip(*counts, strict=True))
    assert all(sum(row) <= quota.pool for row, quota in zip(counts, pool.cells, strict=True))


def test_another_seed_draws_other_items() -> None:
    samples = udase_pool(0)
    plans = [plan_subsets(samples, factors=["sex"], subsets=4, size=32, seed=str(seed)) for seed in range(3)]
    assert len({plan.subsets for plan in plans}) == 3
    assert len({plan.report["largest_deviation"]["margins"] for plan in plans}) == 1


def test_the_report_says_whether_the_seed_had_a_choice() -> None:
    tied = pool_of([("a",), ("b",), ("c",)] * 2)
    choices = {plan_subsets(tied, factors=["f0"], subsets=1, size=1, seed=str(seed)).subsets for seed in range(12)}
    assert len(choices) > 3
    plan = plan_subsets(tied, factors=["f0"], subsets=1, size=1, seed="0")
    assert plan.report["choice"]["other_totals_as_good"] is True
    plain = plan_subsets(tied, factors=["f0"], subsets=1, size=3, seed="0")
    assert plain.report["choice"]["other_totals_as_good"] is False


# --- What is rejected -------------------------------------------------------------------------------------------------

SIX = pool_of([("a", "x"), ("a", "y"), ("a", "x"), ("b", "x"), ("b", "y"), ("b", "y")])


def error_of(code: str, samples: Sequence[Sample] = SIX, **asked: object) -> AppError:
    request = {"factors": ["f0", "f1"], "subsets": 2, "size": 2, "seed": "0", **asked}
    with raises_error(code) as caught:
        plan_subsets(samples, **request)  # type: ignore[arg-type]
    return caught.value


def test_more_items_than_there_are_are_rejected_with_the_cells_and_the_nearest_size() -> None:
    error = error_of("subsets.too_large", subsets=2, size=4)
    assert error.data["nearest"] == 3
    assert "The nearest size that is possible is 3." in str(error)
    assert "a x x: 2 / 2.7" in str(error)
    assert len(error.data["short"]) == 4
    assert "6 subsets are possible" in str(error_of("subsets.too_large", subsets=7, size=1))
    assert plan_subsets(SIX, factors=["f0"], subsets=2, size=3, seed="0").optimal


def test_an_empty_pool_is_rejected() -> None:
    assert error_of("subsets.too_large", []).data["nearest"] == 0


@pytest.mark.parametrize(("subsets", "size"), [(0, 2), (2, 0), (-1, 2)])
def test_no_subsets_and_subsets_of_nothing_are_rejected(subsets: int, size: int) -> None:
    error_of("subsets.nothing", subsets=subsets, size=size)


def test_what_is_wrong_with_the_factors_is_named() -> None:
    assert "'talker'. The columns are: f0, f1." in str(error_of("subsets.factor_unknown", factors=["f0", "talker"]))
    assert "'f0'" in str(error_of("subsets.factor_twice", factors=["f0", "f0"]))
    lacking = [*SIX, Sample("late", {"f0": "a"})]
    assert "'f1' is empty for 'late'" in str(error_of("subsets.value_missing", lacking))


def test_an_item_that_is_there_twice_is_rejected_with_both_places() -> None:
    assert "places 2 and 7" in str(error_of("subsets.item_twice", [*SIX, SIX[1]]))


def test_planning_is_loaded_without_the_solver() -> None:
    program = "import sys, listening.design.subsets.planning; assert not {'scipy', 'django'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
