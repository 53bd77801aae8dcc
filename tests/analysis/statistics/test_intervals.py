"""Intervals of means: bounded by the scale, and by drawing listeners and items anew; and the SOS parameter."""

import math

import numpy as np
import pandas as pd
import pytest

from analysis.statistics.bootstrap import two_way_bootstrap
from analysis.statistics.categories import bounded_limits, bounded_mean, sos_a
from analysis.statistics.mixed_model import fit_mixed_model
from tests.analysis.statistics.reference.votes import TABLES


def test_votes_that_all_agree_have_an_interval() -> None:
    """Eight votes of 5 are 32 of 32 successes, whose lower limit p has p^32 = 0.025."""
    found = bounded_mean(np.full(8, 5.0))
    assert found == pytest.approx((8, 5.0, 1 + 4 * 0.025 ** (1 / 32), 5.0))
    assert found.low == pytest.approx(4.56, abs=0.005)


def test_limits_stay_on_the_scale() -> None:
    found = bounded_mean(np.array([4.0, 5, 5, 3, 4, 5, 4, 5]))
    assert (found.mean, found.low, found.high) == pytest.approx((4.375, 3.69, 4.79), abs=0.005)
    assert bounded_mean(np.array([1.0, 1.0, math.nan])).low == 1.0
    shifted = bounded_mean(np.array([-3.0, 3.0]), lowest=-3, highest=3)
    assert -3 < shifted.low < 0 < shifted.high < 3


def test_limits_of_many_means_are_those_of_each() -> None:
    clips = [np.array(votes, dtype=float) for votes in ([5, 5, 5], [1], [1, 3, 5, 4], [2, 2])]
    low, high = bounded_limits(np.array([each.sum() for each in clips]), np.array([float(len(each)) for each in clips]))
    wanted = [bounded_mean(each) for each in clips]
    assert low.tolist() == pytest.approx([each.low for each in wanted])
    assert high.tolist() == pytest.approx([each.high for each in wanted])


def test_what_is_no_category_is_a_defect_and_no_vote_is_unknown() -> None:
    for wrong in (0.0, 6.0, 3.5):
        with pytest.raises(ValueError, match="categories 1 to 5"):
            bounded_mean(np.array([3.0, wrong]))
    assert math.isnan(bounded_mean(np.array([])).mean)


@pytest.mark.parametrize("a", [0.0, 0.2, 1.0])
def test_sos_finds_the_a_that_made_the_variances(a: float) -> None:
    means = np.array([1.5, 2.0, 3.3, 4.8, math.nan])
    assert sos_a(means, a * (means - 1) * (5 - means)) == pytest.approx(a)
    assert math.isnan(sos_a(np.array([1.0, 5.0]), np.zeros(2)))


def test_sos_is_one_where_all_votes_are_at_the_ends() -> None:
    votes = np.array([[1.0, 1, 1, 5], [1, 5, 1, 5]])
    assert sos_a(votes.mean(axis=1), votes.var(axis=1)) == pytest.approx(1.0)


def test_the_two_way_bootstrap_repeats_itself_and_is_about_as_wide_as_the_model() -> None:
    votes = TABLES["balanced"]()
    one, again = (two_way_bootstrap(votes, np.random.default_rng(3)) for _ in range(2))
    assert one == again
    for mean in fit_mixed_model(votes).means():
        found = one.means[mean.condition]
        assert found.estimate == pytest.approx(votes.loc[votes["condition"] == mean.condition, "score"].mean())
        assert (found.high - found.low) / (mean.high - mean.low) == pytest.approx(1.0, abs=0.15)


def test_a_difference_within_listeners_and_items_is_drawn_within_them() -> None:
    """Conditions that differ by one point for every listener and item differ by that in every draw."""
    votes = TABLES["balanced"]()
    first = votes[votes["condition"] == 0]
    both = pd.concat([first, first.assign(condition=1, score=first["score"] - 1)])
    found = two_way_bootstrap(both, np.random.default_rng(1), rounds=100)
    assert found.differences[0, 1] == pytest.approx((1.0, 1.0, 1.0))
    assert found.means[0].low < found.means[0].estimate < found.means[0].high


def test_one_listener_and_one_item_have_nothing_to_draw() -> None:
    votes = pd.DataFrame({"listener": ["p", "p"], "item": ["i", "i"], "condition": ["A", "B"], "score": [3.0, 4.0]})
    found = two_way_bootstrap(votes, np.random.default_rng(1), rounds=10)
    assert found.means == {"A": (3.0, 3.0, 3.0), "B": (4.0, 4.0, 4.0)}


def test_a_condition_that_few_rated_is_drawn_where_it_occurs() -> None:
    votes = TABLES["balanced"]()
    rare = votes[(votes["condition"] != 1) | ((votes["listener"] == 0) & (votes["item"] == 0))]
    found = two_way_bootstrap(rare, np.random.default_rng(2), rounds=200).means[1]
    assert found.low == found.estimate == found.high
