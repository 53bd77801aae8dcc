"""t tests against scipy, effect sizes against the noncentral t, and shares against published limits."""

import math

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.differences import d_z, paired_t, welch_t
from analysis.statistics.proportions import binomial_p, clopper_pearson, wilson

ONE = np.array([3.9, 4.1, 3.2, 4.6, 3.7, 4.4])
OTHER = np.array([3.5, 4.2, 2.9, 4.0, 3.6, 3.8])


def test_the_paired_test_is_scipy_s() -> None:
    found, known = paired_t(ONE - OTHER), stats.ttest_rel(ONE, OTHER)
    assert (found.t, found.p, found.df) == pytest.approx((known.statistic, known.pvalue, 5))


def test_welch_s_test_is_scipy_s_also_for_samples_of_other_sizes() -> None:
    found, known = welch_t(ONE, OTHER[:4]), stats.ttest_ind(ONE, OTHER[:4], equal_var=False)
    assert (found.t, found.p, found.df) == pytest.approx((known.statistic, known.pvalue, known.df))


def test_the_interval_of_an_effect_leaves_two_and_a_half_per_cent_on_each_side() -> None:
    effect, tested = d_z(ONE - OTHER), paired_t(ONE - OTHER)
    differences = ONE - OTHER
    assert effect.value == pytest.approx(differences.mean() / differences.std(ddof=1))
    assert stats.nct.sf(tested.t, 5, effect.low * math.sqrt(6)) == pytest.approx(0.025, abs=1e-6)
    assert stats.nct.cdf(tested.t, 5, effect.high * math.sqrt(6)) == pytest.approx(0.025, abs=1e-6)


def test_an_effect_changes_sign_with_its_difference() -> None:
    one, other = d_z(ONE - OTHER), d_z(OTHER - ONE)
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))


@pytest.mark.parametrize("differences", [np.array([]), np.array([0.5]), np.array([0.5, 0.5, 0.5])])
def test_without_spread_nothing_is_known(differences: np.ndarray) -> None:
    assert math.isnan(paired_t(differences).p)
    assert math.isnan(d_z(differences).value)
    assert math.isnan(welch_t(differences, differences).p)


def test_shares_have_wilson_s_limits() -> None:
    # Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    limits = {(81, 263): (0.2553, 0.3662), (15, 148): (0.0624, 0.1605), (0, 20): (0, 0.1611), (1, 29): (0.0061, 0.1718)}
    for (hits, n), (low, high) in limits.items():
        assert wilson(hits, n)[1:] == pytest.approx((low, high), abs=5e-5)
    assert math.isnan(wilson(0, 0).value)


@pytest.mark.parametrize(("hits", "n"), [(0, 8), (8, 8), (12, 16), (5, 16), (1, 1), (61, 100), (700, 1234)])
def test_exact_limits_and_the_one_sided_test_of_shares_are_those_of_scipy(hits: int, n: int) -> None:
    expected = stats.binomtest(hits, n, 0.5, alternative="greater")
    limits = stats.binomtest(hits, n).proportion_ci(0.95, method="exact")
    assert binomial_p(hits, n) == pytest.approx(expected.pvalue, rel=1e-9)
    assert clopper_pearson(hits, n) == pytest.approx((hits / n, limits.low, limits.high), abs=1e-9)


def test_twelve_of_sixteen_is_the_customary_end_of_an_abx_test() -> None:
    """P(X >= 12) = (1820 + 560 + 120 + 16 + 1) / 2^16."""
    assert binomial_p(12, 16) == pytest.approx(2517 / 65536)
    assert binomial_p(11, 16) > 0.05
    assert math.isnan(clopper_pearson(0, 0).value)


def test_differences_that_are_the_same_but_for_rounding_have_no_t_and_no_effect() -> None:
    """The noncentral distribution of a t of 1e15 would be computed for ever."""
    same = np.array([3.75 - 5.0, 2.5 - 3.75 + 2.3e-16])
    assert same[0] != same[1]
    assert math.isnan(paired_t(same).t)
    assert math.isnan(d_z(same).value)
    large = d_z(np.array([1.0, 1.0 + 1e-9]))
    assert large.value > 1e8
    assert math.isnan(large.low)
