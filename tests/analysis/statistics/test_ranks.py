"""Rank tests against scipy and against every way in which signs could have fallen."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.ranks import MOST_EXACT, average_ranks, friedman, holm, signed_rank
from tests.protocols.tcsd_plane.placed import close


@pytest.mark.parametrize("decimals", [1, 2, 8])
def test_ranks_are_scipy_s(decimals: int) -> None:
    values = np.random.default_rng(decimals).uniform(size=40).round(decimals)
    assert average_ranks(values).tolist() == stats.rankdata(values).tolist()


@pytest.mark.parametrize("decimals", [1, 2, 8])
@pytest.mark.parametrize("blocks", [3, 16])
def test_friedman_is_scipy_s_with_and_without_ties(blocks: int, decimals: int) -> None:
    marks = np.random.default_rng(blocks).uniform(size=(blocks, 5)).round(decimals)
    expected = stats.friedmanchisquare(*marks.T)
    found = friedman(marks)
    assert (found.chi2, found.p) == close((expected.statistic, expected.pvalue))
    assert found.df == 4


def test_friedman_of_untied_blocks_is_the_textbook_formula() -> None:
    marks = np.random.default_rng(5).uniform(size=(7, 4))
    n, k = marks.shape
    sums = [sum(sorted(block).index(block[j]) + 1 for block in marks.tolist()) for j in range(k)]
    assert friedman(marks).chi2 == close(12 / (n * k * (k + 1)) * sum(s * s for s in sums) - 3 * n * (k + 1))


@pytest.mark.parametrize("marks", [np.full((3, 4), 0.5), np.empty((0, 4)), np.empty((0, 0)), np.ones((5, 1))])
def test_friedman_is_unknown_where_nothing_could_differ(marks: np.ndarray) -> None:
    assert math.isnan(friedman(marks).chi2)


@pytest.mark.parametrize("seed", range(6))
def test_wilcoxon_is_exact_over_all_signs_even_with_ties_and_zeros(seed: int) -> None:
    differences = np.random.default_rng(seed).normal(0.1, 0.2, size=9).round(1)
    kept = [value for value in differences.tolist() if value]
    ranks = stats.rankdata(np.abs(kept)).tolist()
    observed = sum(rank for rank, value in zip(ranks, kept, strict=True) if value > 0)
    sums = [
        sum(rank for rank, positive in zip(ranks, signs, strict=True) if positive)
        for signs in itertools.product((False, True), repeat=len(kept))
    ]
    least = min(sum(s <= observed for s in sums), sum(s >= observed for s in sums)) / len(sums)
    found = signed_rank(differences)
    assert (found.n, found.w_plus) == (len(kept), observed)
    assert found.p == close(min(1, 2 * least))
    assert signed_rank(differences, greater=True).p == close(sum(s >= observed for s in sums) / len(sums))


@pytest.mark.parametrize("n", [5, 16, MOST_EXACT])
def test_wilcoxon_without_ties_is_scipy_s_exact_test(n: int) -> None:
    differences = np.random.default_rng(n).normal(0.05, 0.2, size=n)
    assert signed_rank(differences).p == close(stats.wilcoxon(differences, method="exact").pvalue)
    one_sided = stats.wilcoxon(differences, method="exact", alternative="greater").pvalue
    assert signed_rank(differences, greater=True).p == close(one_sided)


def test_wilcoxon_of_many_tied_differences_is_scipy_s_approximation() -> None:
    differences = np.random.default_rng(3).normal(0.02, 0.2, size=MOST_EXACT + 30).round(1)
    expected = stats.wilcoxon(differences, method="approx", correction=False).pvalue
    assert signed_rank(differences).p == close(expected)
    one_sided = stats.wilcoxon(differences, method="approx", correction=False, alternative="greater").pvalue
    assert signed_rank(differences, greater=True).p == close(one_sided)


def test_equal_differences_tie_although_their_floating_point_numbers_differ() -> None:
    differences = np.array([0.3 - 0.1, 0.4 - 0.2, -(0.9 - 0.7)])
    assert len(set(np.abs(differences).tolist())) > 1
    assert signed_rank(differences).w_plus == 4.0  # three shared ranks of 2


def test_no_difference_at_all_is_no_evidence() -> None:
    assert signed_rank(np.zeros(4)) == (0, 0.0, 1.0)


def test_holm_by_hand() -> None:
    """Sorted 0.01 0.02 0.03 0.5 times 4 3 2 1: 0.04 0.06 0.06 0.5."""
    assert holm(np.array([0.03, 0.01, 0.5, 0.02])) == close([0.06, 0.04, 0.5, 0.06])
    assert holm(np.array([0.4, 0.9])).tolist() == [0.8, 0.9]
    assert holm(np.array([0.6, 0.7])).tolist() == [1.0, 1.0]
    assert holm(np.array([])).tolist() == []
    assert holm(np.array([0.03, math.nan, 0.01])).tolist() == pytest.approx([0.03, math.nan, 0.02], nan_ok=True)
