"""Equivalence, compact letters, and tests on listeners' means against base R and by hand."""

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.statistics.contrasts import Contrast, all_pairs, compact_letters, equivalence, letters_of
from analysis.statistics.listener_tests import (
    ListenerMeans,
    least_adjusted_p,
    listener_means,
    rank_tests,
    repeated_anova,
)
from analysis.statistics.mixed_model import fit_mixed_model
from core.errors import AppError
from tests.analysis.statistics.reference.votes import TABLES, simulate

FIGURES = json.loads((Path(__file__).parent / "reference" / "figures.json").read_text())


def contrast(estimate: float, se: float, df: float) -> Contrast:
    return Contrast("A", "B", estimate, se, df, *[math.nan] * 5)


def means_of(values: np.ndarray) -> ListenerMeans:
    n, k = values.shape
    return ListenerMeans(tuple(range(n)), tuple(range(k)), values, ())


def test_equivalence_is_two_one_sided_t_tests() -> None:
    differences = np.array([0.1, -0.05, 0.12, 0.02, -0.08, 0.06, 0.03])
    n, se = len(differences), differences.std(ddof=1) / math.sqrt(len(differences))
    found = equivalence(contrast(differences.mean(), se, n - 1), margin=0.15)
    assert found.p_above == pytest.approx(stats.ttest_1samp(differences, -0.15, alternative="greater").pvalue)
    assert found.p_below == pytest.approx(stats.ttest_1samp(differences, 0.15, alternative="less").pvalue)
    assert found.p == max(found.p_above, found.p_below)


@pytest.mark.parametrize("margin", [0.05, 0.1, 0.2, 0.4])
def test_equivalence_holds_exactly_where_the_90_per_cent_interval_lies_within_the_margins(margin: float) -> None:
    found = equivalence(contrast(0.03, 0.05, 20), margin=margin)
    assert (found.p < 0.05) == (-margin < found.low and found.high < margin)


def test_equivalence_needs_a_margin_and_an_error() -> None:
    with pytest.raises(AppError, match="above 0"):
        equivalence(contrast(0.1, 0.1, 5), margin=0.0)
    assert math.isnan(equivalence(contrast(0.0, 0.0, math.nan), margin=0.1).p)


def test_letters_by_hand() -> None:
    """A above C and D, B above D: A and B share a, B and C b, C and D c."""
    assert compact_letters("ABCD", [("A", "C"), ("A", "D"), ("B", "D")]) == {"A": "a", "B": "ab", "C": "bc", "D": "c"}
    assert compact_letters("ABC", []) == {"A": "a", "B": "a", "C": "a"}
    assert compact_letters("AB", [("B", "A")]) == {"A": "a", "B": "b"}
    assert compact_letters("", []) == {}


@pytest.mark.parametrize("seed", range(20))
def test_two_share_a_letter_exactly_if_they_are_not_different(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(8), 2))
    different = [pair for pair in pairs if rng.random() < 0.4]
    letters = compact_letters(range(8), different)
    for pair in pairs:
        first, second = (set(letters[name]) for name in pair)
        assert bool(first & second) == (pair not in different)


def test_more_than_52_letters_are_still_told_apart() -> None:
    letters = compact_letters(range(54), list(combinations(range(54), 2)))
    assert len(set(letters.values())) == 54
    assert letters[53] == "(54)"


def test_letters_of_a_model_follow_its_means() -> None:
    votes = simulate(seed=11, shape=(20, 10, 3), deviations=(0.4, 0.4, 0.1, 0.1, 0.5), grid=(0, 100, 1))
    votes["score"] += 40 * (votes["condition"] == 1)
    fitted = fit_mixed_model(votes)
    letters = letters_of(fitted, all_pairs(fitted))
    assert next(iter(letters)) == 1
    assert letters[1] == "a"
    assert "a" not in letters[0] + letters[2]


@pytest.mark.parametrize("name", [name for name in FIGURES if name in TABLES and name != "two_conditions"])
def test_anova_and_friedman_on_listener_means_are_those_of_r(name: str) -> None:
    known, means = FIGURES[name]["listeners"], listener_means(TABLES[name]())
    assert len(means.listeners) == known["listeners"]
    found = repeated_anova(means)
    assert (found.f, found.df, found.df_error) == pytest.approx((known["f"], known["df"], known["df_error"]))
    assert (found.p, found.p_corrected) == pytest.approx((known["p"], known["p_corrected"]))
    assert found.epsilon == pytest.approx(known["epsilon"], abs=6e-5)  # which R prints with four digits
    overall = rank_tests(means).friedman
    assert (overall.chi2, overall.p) == pytest.approx((known["friedman"]["chi2"], known["friedman"]["p"]))


def test_with_two_conditions_f_is_the_square_of_the_paired_t() -> None:
    means = listener_means(TABLES["two_conditions"]())
    found, known = repeated_anova(means), stats.ttest_rel(*means.values.T)
    assert (found.f, found.p, found.epsilon) == pytest.approx((known.statistic**2, known.pvalue, 1.0))


def test_a_listener_counts_once_however_many_votes_were_given() -> None:
    votes = pd.DataFrame(
        [("p", "A", 1.0), *[("p", "A", 4.0)] * 3, ("p", "B", 2.0), ("q", "A", 5.0), ("q", "B", 4.0), ("r", "A", 3.0)],
        columns=["listener", "condition", "score"],
    )
    means = listener_means(votes)
    assert means.values.tolist() == [[3.25, 2.0], [5.0, 4.0]]
    assert (means.listeners, means.incomplete) == (("p", "q"), ("r",))


@pytest.mark.parametrize(("conditions", "enough"), [(3, 7), (5, 9), (7, 10), (8, 11)])
def test_too_few_listeners_are_warned_of(conditions: int, enough: int) -> None:
    """2^(1 - n) times the pairs is below 5 % from 1 + log2(pairs / 0.05) listeners on."""
    for n, cannot in ((enough - 1, True), (enough, False)):
        values = np.arange(n)[:, None] * 0.01 + np.arange(conditions)[None, :] * (1 + np.arange(n)[:, None])
        tested = rank_tests(means_of(values))
        assert tested.cannot_reach is cannot
        assert min(each.p_holm for each in tested.pairs) == pytest.approx(tested.least_p)
    assert least_adjusted_p(60, 10) == 0


def test_pairs_carry_the_effect_of_listeners_differences() -> None:
    values = np.array([[3.0, 3.5], [2.0, 3.0], [4.0, 4.1], [3.0, 2.8]])
    (pair,) = rank_tests(means_of(values)).pairs
    differences = values[:, 0] - values[:, 1]
    assert pair.effect.value == pytest.approx(differences.mean() / differences.std(ddof=1))
    assert pair.effect.low < pair.effect.value < pair.effect.high


@pytest.mark.parametrize("values", [np.ones((4, 3)), np.ones((1, 3)), np.ones((4, 1)), np.empty((0, 3))])
def test_where_nothing_could_differ_nothing_is_known(values: np.ndarray) -> None:
    assert math.isnan(repeated_anova(means_of(values)).p)
    assert math.isnan(rank_tests(means_of(values)).friedman.p)
