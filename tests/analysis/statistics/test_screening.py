"""Screening rules on small tables of votes, and bias and inconsistency against figures of an independent program."""

import numpy as np
import pytest

from analysis.statistics.p910 import ListenerModel, listener_model
from analysis.statistics.screening import (
    bs1534_mid_anchor,
    bs1534_reference,
    bt500,
    low_variance,
    p808_correlation,
    p913_correlation,
)

GAP = np.nan

# Twelve listeners, twelve stimuli, drawn and rounded. The figures below are those of a program of plain loops over the
# steps of ITU-T P.910, written apart from the module. The module itself was compared with the results that the
# Recommendation's example program prints for its three data sets: largest deviation 2e-15, standard errors 1e-12.
VOTES = np.array(
    [
        [4, 5, 5, 3, 2, 2, 2, 4, 2, 3, 3, 4],
        [5, 5, 3, 2, 4, 1, 1, 2, 3, 4, 2, 3],
        [5, 5, 5, 3, 1, GAP, 1, 3, 2, 4, 2, 4],
        [5, 4, 5, 2, 3, 3, 2, 4, 3, 3, 3, 3],
        [5, 4, 4, 3, 3, 1, 2, 3, 4, 4, 2, 3],
        [5, 5, 5, 3, 3, 3, 2, 4, 3, 3, 1, 3],
        [5, 5, 5, 4, 4, 3, 2, 5, 5, 4, 2, 5],
        [5, 5, 4, 2, 4, 3, 1, 4, 3, 3, 2, 4],
        [5, 5, 4, 5, 2, 3, 3, 3, 1, 3, 3, 4],
        [5, 3, 4, 4, 2, 1, 2, 5, 4, 3, 2, 4],
        [5, 5, 4, 5, 3, 4, 1, 3, 4, 5, 3, 4],
        [3, 3, 3, 3, 3, 2, 2, 3, 3, 4, 3, 4],
    ]
)
BIAS = [-0.084376383, -0.417709716, -0.238526456, -0.001043049, -0.167709716, -0.001043049]
INCONSISTENCY = [0.633826732, 0.841419130, 0.789369125, 0.554374168, 0.582172745, 0.524528204]
QUALITY = [4.752150431, 4.516412376, 4.386655195, 3.021770297, 2.964374486, 2.388725580]
STANDARD_ERROR = [0.165537012, 0.207325932, 0.188195200, 0.249422624, 0.251128649, 0.238234280]

# Of eight listeners and ten stimuli, drawn alike: the weighted estimate takes over the first listener's votes.
FEW = np.array(
    [
        [4, 5, 4, 3, 2, 2, 2, 4, 3, 4],
        [5, 4, 4, 3, 2, 1, 3, 3, 2, 3],
        [5, 4, 3, 3, 3, GAP, 3, 4, 1, 5],
        [4, 4, 3, 3, 2, 2, 3, 4, 4, 4],
        [4, 5, 4, 3, 3, 1, 2, 3, 4, 4],
        [5, 4, 5, 2, 4, 2, 3, 4, 3, 3],
        [5, 5, 5, 3, 4, 3, 2, 4, 4, 4],
        [4, 4, 4, 4, 3, 2, 2, 4, 3, 4],
    ]
)


def fitted(votes: np.ndarray) -> ListenerModel:
    listener, stimulus = np.nonzero(np.isfinite(votes))
    return listener_model(listener, stimulus, votes[listener, stimulus])


def test_bias_inconsistency_and_quality_are_those_of_the_independent_program() -> None:
    found = fitted(VOTES)
    assert (found.method, found.collapsed, found.groups) == ("weighted", (), 1)
    for figures, known in (
        (found.bias, BIAS),
        (found.inconsistency, INCONSISTENCY),
        (found.quality, QUALITY),
        (found.half_width / 1.959963985, STANDARD_ERROR),
    ):
        assert figures[:6] == pytest.approx(known, abs=2e-9)
    assert found.bias.sum() == pytest.approx(0, abs=1e-12)


def test_votes_given_twice_change_nothing_but_the_width() -> None:
    once, twice = fitted(VOTES), fitted_twice(VOTES)
    assert twice.quality == pytest.approx(once.quality, abs=1e-9)
    assert twice.inconsistency == pytest.approx(once.inconsistency, abs=1e-9)
    assert twice.half_width == pytest.approx(once.half_width / np.sqrt(2), abs=1e-9)


def fitted_twice(votes: np.ndarray) -> ListenerModel:
    listener, stimulus = (np.tile(codes, 2) for codes in np.nonzero(np.isfinite(votes)))
    return listener_model(listener, stimulus, votes[listener, stimulus])


def test_a_collapse_is_named_and_gives_way_to_the_removal_of_bias() -> None:
    found = fitted(FEW)
    assert (found.method, found.collapsed) == ("bias_removed", (0,))
    means = np.nanmean(FEW, axis=0)
    bias = np.nanmean(FEW - means, axis=1)
    assert found.bias == pytest.approx(bias - bias.mean(), abs=1e-12)
    assert found.quality == pytest.approx(means + bias.mean(), abs=1e-12)
    assert found.inconsistency.min() > 0.3
    assert np.abs(found.quality - FEW[0]).max() > 0.2


def test_panels_without_common_stimuli_have_biases_of_their_own() -> None:
    votes = np.full((24, 24), GAP)
    votes[:12, :12] = VOTES
    votes[12:, 12:] = 6 - VOTES
    found = fitted(votes)
    assert found.groups == 2
    assert found.bias[:12] == pytest.approx(fitted(VOTES).bias, abs=1e-7)
    assert found.bias[12:] == pytest.approx(-fitted(VOTES).bias, abs=1e-7)


def erratic(listeners: int = 40, stimuli: int = 20) -> np.ndarray:
    """Everybody near the middle of 1 to 9; the last listener at one end and the other in turn."""
    votes = np.full((listeners, stimuli), 5.0)
    votes[::8] += 1
    votes[-1] = np.where(np.arange(stimuli) % 2, 1.0, 9.0)
    return votes


@pytest.mark.parametrize("guarded", [False, True])
def test_bt500_rejects_an_erratic_listener_and_keeps_a_severe_one(guarded: bool) -> None:
    votes = erratic()
    found = bt500(votes, guarded=guarded)
    assert found.rejected == (39,)
    assert (found.above[39], found.below[39], found.votes[39]) == (10, 10, 20)
    votes[-1] = 1.0
    severe = bt500(votes, guarded=guarded)
    assert (severe.above[39], severe.below[39], severe.rejected) == (0, 20, ())


def test_unanimous_stimuli_count_against_everybody_by_the_letter_alone() -> None:
    votes = np.tile(np.arange(20.0), (6, 1))
    votes[0, 2:] += 1
    votes[5, :2] = GAP  # of the two stimuli on which all others agree
    assert bt500(votes, guarded=True).rejected == ()
    literal = bt500(votes, guarded=False)
    assert literal.above.tolist() == literal.below.tolist() == [2, 2, 2, 2, 2, 0]
    assert literal.rejected == (0, 1, 2, 3, 4)


def test_nobody_is_rejected_where_everybody_would_be() -> None:
    found = bt500(np.full((5, 10), 3.0), guarded=False)
    assert (found.above.tolist(), found.rejected) == ([10] * 5, ())


def test_the_limit_is_wider_where_votes_are_far_from_normal() -> None:
    """One of ten votes apart has a kurtosis of 8.1, and is 3 standard deviations away: within sqrt(20) of them."""
    votes = np.full((10, 20), 3.0)
    votes[0] = 5.0
    assert bt500(votes, guarded=True).above.tolist() == [0] * 10


@pytest.mark.parametrize("listeners", [5, 21])
@pytest.mark.parametrize(("others", "dissent"), [(4.0, 3.0), (4.0, 2.0), (3.0, 4.0), (2.1, 4.7), (90.0, 13.0)])
def test_a_vote_exactly_at_the_limit_counts_whatever_the_numbers(listeners: int, others: float, dissent: float) -> None:
    """One of 5 apart is 2 standard deviations away with a kurtosis of 3.25, one of 21 is sqrt(20) with 19.05."""
    votes = np.full((listeners, 1), others)
    votes[-1] = dissent
    found = bt500(votes, guarded=True)
    side, other = (found.below, found.above) if dissent < others else (found.above, found.below)
    assert side.tolist() == [0] * (listeners - 1) + [1]
    assert other.tolist() == [0] * listeners


def test_a_listener_counts_the_votes_they_gave() -> None:
    votes = erratic()
    votes[-1, 4:] = GAP
    found = bt500(votes, guarded=True)
    assert (found.votes[39], found.rejected) == (4, (39,))


def test_correlation_is_with_the_others_in_p913_and_with_all_in_p808() -> None:
    votes = np.array([[1.0, 2, 3, 4, 5], [1, 2, 3, 4, 4], [5, 4, 3, 2, 1], [3, 3, 3, 3, 3]])
    others, everybody = p913_correlation(votes), p808_correlation(votes)
    assert others.r[0] == pytest.approx(np.corrcoef(votes[0], votes[1:].mean(axis=0))[0, 1])
    assert everybody.r[0] == pytest.approx(np.corrcoef(votes[0], votes.mean(axis=0))[0, 1])
    assert everybody.rejected == (2, 3)
    assert np.isnan(others.r[3])
    assert 3 in others.rejected


def test_p808_leaves_stimuli_with_few_votes_out() -> None:
    votes = np.array([[1.0, 2, 3, 5], [1, 2, 3, GAP], [1, 2, 4, 1]])
    assert p808_correlation(votes).r[0] == pytest.approx(np.corrcoef([1, 2, 3], [1, 2, 10 / 3])[0, 1])


def test_votes_that_hardly_vary_are_named() -> None:
    votes = np.array([[3.0] * 20, [3.0] * 19 + [4.0], [1.0, 5.0] * 10, [2.0] + [GAP] * 19])
    found = low_variance(votes)
    assert found.variance[:3] == pytest.approx([0, 0.0475, 4])
    assert (found.rejected, bool(np.isnan(found.variance[3]))) == ((0, 1), True)


def test_post_screening_allows_fifteen_per_cent_of_the_items() -> None:
    scores = np.full((3, 20), 100.0)
    scores[1, :3] = 89
    scores[2, :4] = 89
    assert bs1534_reference(scores).rejected == (2,)
    assert bs1534_mid_anchor(scores).rejected == (0, 1, 2)
    assert bs1534_mid_anchor(np.full((2, 4), 90.0)).rejected == ()
