"""Values of a set with their intervals, systems compared in pairs, and people held against each other."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.chaptering.analysis.comparison import Annotated, between_people, compare, draws, sign_flips, summarise
from protocols.chaptering.analysis.evaluation import Answer, Measures, Sample, Scored, evaluate
from protocols.chaptering.analysis.metrics import METRICS
from protocols.chaptering.analysis.titles import WordErrors

ROUNDS = 400


def scored(precision: float, recall: float, **others: float) -> Scored:
    return Scored({"precision": precision, "recall": recall, "f1": 0.5, **others})


def test_f1_of_a_set_is_that_of_its_mean_precision_and_recall() -> None:
    found = summarise([scored(1.0, 0.2), scored(0.5, 0.4)], rounds=ROUNDS, seed=1)
    assert found["precision"]["mean"] == 0.75
    assert found["f1"]["mean"] == pytest.approx(2 * 0.75 * 0.3 / 1.05)
    assert found["f1"]["ci_lower"] < found["f1"]["mean"] < found["f1"]["ci_upper"]


def test_word_errors_are_pooled_by_words() -> None:
    items = [Scored({"wer": 0.5}, WordErrors(1, 2)), Scored({"wer": 0.1}, WordErrors(2, 20))]
    found = summarise(items, rounds=ROUNDS, seed=1)["wer"]
    assert found["mean"] == pytest.approx(3 / 22)
    assert (found["ci_lower"], found["ci_upper"]) == pytest.approx((0.1, 0.5))


def test_a_metric_is_pooled_over_the_items_that_have_it() -> None:
    found = summarise([scored(1.0, 1.0, tm_rl_f1=0.25), scored(0.0, 0.0), Scored({})], rounds=ROUNDS, seed=1)
    assert (found["tm_rl_f1"]["mean"], found["tm_rl_f1"]["n"], found["precision"]["n"]) == (0.25, 1, 2)
    assert (found["tm_rl_f1"]["std"], found["tm_rl_f1"]["ci_lower"]) == (None, None)
    assert summarise([Scored({})], rounds=ROUNDS, seed=1) == {}


def test_the_same_seed_gives_the_same_interval_and_another_gives_another() -> None:
    items = [scored(value / 10, 0.5) for value in range(9)]
    first, again, other = (summarise(items, rounds=50, seed=seed)["precision"] for seed in (1, 1, 2))
    assert first == again
    assert (first["ci_lower"], first["std"]) != (other["ci_lower"], other["std"])


def test_the_interval_is_that_of_means_of_items_drawn_with_replacement() -> None:
    values = [0.0, 0.1, 0.5, 0.9]
    found = summarise([scored(value, 0.5) for value in values], rounds=20_000, seed=1)["precision"]
    every = [np.mean(drawn) for drawn in product(values, repeat=4)]
    assert found["std"] == pytest.approx(np.std(every), abs=0.005)
    assert (found["ci_lower"], found["ci_upper"]) == pytest.approx(np.percentile(every, (2.5, 97.5)), abs=0.03)


@given(st.integers(1, 30), st.integers(1, 40))
def test_every_round_draws_as_many_items_as_there_are(count: int, rounds: int) -> None:
    drawn = np.concatenate(list(draws(count, rounds, np.random.default_rng(0))))
    assert drawn.shape == (rounds, count)
    assert (drawn.sum(axis=1) == count).all()


def test_a_better_system_is_told_from_a_worse_one_on_the_same_items() -> None:
    better = [scored(0.5, 0.5, pk=0.1 + item / 100) for item in range(10)]
    worse = [scored(0.5, 0.5, pk=0.2 + item / 90) for item in range(10)]
    rows = {row["metric"]: row for row in compare({"A": better, "B": worse}, rounds=ROUNDS, seed=1)}
    assert set(rows) == {"f1", "pk"}
    pk = rows["pk"]
    assert pk["ci_lower"] < pk["difference"] < pk["ci_upper"] < 0
    assert pk["p"] == pk["p_smallest"] == 2 / 2**10
    assert pk["p_holm"] == 2 * pk["p"]
    assert (rows["f1"]["difference"], rows["f1"]["p"]) == (0.0, 1.0)


def test_many_items_are_tested_by_drawn_signs_that_never_give_0() -> None:
    p, smallest = sign_flips(np.full(40, 0.1), np.random.default_rng(1))
    assert p == smallest == 1 / 10_000


def test_the_exact_test_counts_every_assignment_of_signs() -> None:
    differences = np.array([0.3, -0.1, 0.2])
    means = [abs(np.mean(np.array(signs) * differences)) for signs in product((-1, 1), repeat=3)]
    share = np.mean([mean >= abs(differences.mean()) - 1e-12 for mean in means])
    assert sign_flips(differences, np.random.default_rng(1)) == (share, 0.25)


def test_people_are_held_against_each_other_in_both_directions() -> None:
    sparse, dense = Answer([60.0]), Answer([60.0, 120.0])
    recordings = [Annotated(600.0, {"P1": sparse, "P2": dense}), Annotated(600.0, {"P1": sparse})]
    rows = {
        (row["reference"], row["hypothesis"]): row
        for row in between_people(recordings, Measures(), rounds=ROUNDS, seed=1)
    }
    assert set(rows) == {("P1", "P2"), ("P2", "P1")}
    assert rows["P1", "P2"]["recordings"] == 1
    one, other = rows["P1", "P2"]["summary"], rows["P2", "P1"]["summary"]
    assert (one["precision"]["mean"], one["recall"]["mean"]) == (0.5, 1.0)
    assert (other["precision"]["mean"], other["recall"]["mean"]) == (1.0, 0.5)
    as_system = evaluate(Sample(dense, sparse, 600.0), Measures()).metrics
    assert {name: row["mean"] for name, row in one.items()} == pytest.approx(dict(as_system))


def test_every_metric_names_its_unit_and_which_way_is_better() -> None:
    assert all(metric.unit for metric in METRICS.values())
    lower = {name for name, metric in METRICS.items() if metric.lower_is_better}
    assert lower == {"pk", "window_diff", "ghd", "wer"}
    assert {name for name, metric in METRICS.items() if metric.lower_is_better is None} == {
        "num_segments",
        "reference/num_segments",
    }
