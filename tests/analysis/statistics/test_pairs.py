"""Paired comparisons against glm of R, shares and medians against their definitions, and what cannot be estimated."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.medians import median_of
from analysis.statistics.paired_comparisons import Link, bootstrap_strengths, fit_strengths
from analysis.statistics.proportions import clopper_pearson, jeffreys, wilson
from core.errors import AppError
from tests.scale import ALL

# By reference/make_pair_figures.R. Agresti prints 1.58, 1.44, 1.29, 1.25, 1.11 and 0.68 less the last team.
REFERENCE: dict[str, Any] = json.loads((Path(__file__).parent / "reference" / "pairs.json").read_text())
WINS = np.array(REFERENCE["wins"], dtype=np.float64)


@pytest.mark.parametrize("link", list(Link))
def test_strengths_are_those_of_r(link: Link) -> None:
    expected, found = REFERENCE[link.value], fit_strengths(WINS, link)
    assert found.values == pytest.approx(expected["values"], abs=1e-9)
    assert found.se() == pytest.approx(expected["se"], rel=1e-7)
    assert (found.deviance, found.df) == pytest.approx((expected["deviance"], expected["df"]), rel=1e-9)
    assert found.p == pytest.approx(stats.chi2.sf(expected["deviance"], expected["df"]))
    for place, (value, se) in enumerate(zip(expected["to_last"], expected["to_last_se"], strict=True)):
        apart, own_se, p = found.difference(place, 6)
        assert (apart, own_se) == pytest.approx((value, se), rel=1e-7)
        assert p == pytest.approx(2 * stats.norm.sf(value / se), rel=1e-6)
    low, high = found.limits()
    assert high - low == pytest.approx(2 * stats.norm.ppf(0.975) * np.array(expected["se"]))


def test_two_things_have_the_odds_of_their_wins() -> None:
    """By hand: 12 of 16 are odds of 3; on the normal scale the difference is the quantile of 3/4."""
    wins = np.array([[0, 12], [4, 0]], dtype=np.float64)
    odds = fit_strengths(wins)
    assert odds.values[0] - odds.values[1] == pytest.approx(math.log(3))
    assert odds.difference(0, 1)[1] == pytest.approx(math.sqrt(1 / 12 + 1 / 4))
    assert odds.chance(0, 1) == pytest.approx(0.75)
    normal = fit_strengths(wins, Link.THURSTONE)
    assert normal.difference(0, 1)[0] == pytest.approx(stats.norm.ppf(0.75))
    assert (odds.df, math.isnan(odds.p)) == (0, True)


@pytest.mark.parametrize(
    "wins",
    [
        [[0, 5], [0, 0]],
        [[0, 2, 3, 3], [1, 0, 4, 4], [0, 0, 0, 2], [0, 0, 2, 0]],
        [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
    ],
)
def test_what_never_lost_or_never_met_has_no_strength(wins: list[list[float]]) -> None:
    with pytest.raises(AppError, match="There are no strengths") as raised:
        fit_strengths(np.array(wins, dtype=np.float64))
    assert raised.value.code == "model.pairs_unbounded"


def test_listeners_who_repeat_themselves_add_little() -> None:
    """Twelve listeners who each say the same ten times: the interval over answers is far too short."""
    rng = np.random.default_rng(1)
    own = rng.random((12, 3)) < np.array([0.6, 0.7, 0.6])
    wins = np.zeros((12, 3, 3))
    for pair, (one, other) in enumerate([(0, 1), (0, 2), (1, 2)]):
        wins[:, one, other], wins[:, other, one] = 10 * own[:, pair], 10 * ~own[:, pair]
    low, high = bootstrap_strengths(wins, np.random.default_rng(0), rounds=200 if ALL else 60)
    short_low, short_high = fit_strengths(wins.sum(axis=0)).limits()
    assert ((high - low) > 1.5 * (short_high - short_low)).all()


def test_jeffreys_lies_within_the_exact_interval() -> None:
    """R: qbeta(c(0.025, 0.975), hits + 0.5, n - hits + 0.5)."""
    assert jeffreys(7, 10)[1:] == pytest.approx((0.3941817, 0.9073054), abs=1e-7)
    assert jeffreys(0, 8)[1:] == pytest.approx((0.0, 0.2622172), abs=1e-7)
    assert jeffreys(10, 10)[1:] == pytest.approx((0.7828037, 1.0), abs=1e-7)
    exact, short = clopper_pearson(13, 20), jeffreys(13, 20)
    assert exact.low < short.low < short.value < short.high < exact.high
    assert wilson(13, 20).value == short.value
    assert math.isnan(jeffreys(0, 0).low)


def test_a_median_lies_between_two_of_its_values() -> None:
    """Of ten values the second and the ninth: 1 - 2 (1 + 10) / 2^10 is 97.9 %; of five there are none."""
    found = median_of(np.array([40, 52, 55, 60, 61, 63, 70, 75, 90, 100], dtype=np.float64))
    assert (found.value, found.low, found.high) == (62, 52, 90)
    assert found.coverage == pytest.approx(1 - 2 * 11 / 2**10)
    assert (found.q1, found.q3) == (56.25, 73.75)
    six = median_of(np.arange(6.0))
    assert (six.low, six.high, six.coverage) == pytest.approx((0, 5, 1 - 2 / 2**6))
    assert math.isnan(median_of(np.arange(5.0)).low)
    assert median_of(np.array([np.nan])).n == 0
    rng = np.random.default_rng(0)
    held = [found.low <= 1 <= found.high for found in (median_of(2 ** rng.normal(size=15)) for _ in range(400))]
    assert np.mean(held) >= 0.93
