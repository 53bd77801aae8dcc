"""Agreement of raters against published examples and against psych of R."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from analysis.statistics.agreement import (
    Icc,
    absolute_agreement,
    concordance,
    interval_alpha,
    intraclass_correlations,
    ordinal_alpha,
)
from tests.analysis.statistics.reference.votes import TABLES
from tests.scale import ALL

# By reference/make_agreement_figures.R.
PSYCH = json.loads((Path(__file__).parent / "reference" / "agreement.json").read_text())

# Four judges, six targets: Shrout and Fleiss (1979), "Intraclass correlations: uses in assessing rater reliability".
SHROUT_AND_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_the_mean_of_four_judges_agrees_better_than_one_of_them() -> None:
    single = absolute_agreement(np.array(SHROUT_AND_FLEISS, dtype=float).T)
    assert single.value == pytest.approx(0.29, abs=0.005)
    assert single.of_mean(4).value == pytest.approx(0.62, abs=0.005)
    assert single.of_mean(1) == pytest.approx(single)
    assert single.of_mean(4).low < single.of_mean(4).value < single.of_mean(4).high


def test_two_judges_of_opposite_opinion_have_no_figure_and_no_accident() -> None:
    assert math.isnan(absolute_agreement(np.array([[1.0, 5.0], [5.0, 1.0]])).value)
    assert math.isnan(absolute_agreement(np.array([[0.1, 0.3], [0.3, 0.1]])).value)
    assert math.isnan(Icc(-1.0, math.nan, math.nan, 2).of_mean(2).value)


def test_raters_who_are_alike_but_for_rounding_agree_wholly() -> None:
    found = intraclass_correlations(np.array([[0.1 + 0.2, 0.5, 0.9], [0.3, 0.5, 0.9]]))
    assert {each.value for each in found.values()} == {1.0}


@pytest.mark.parametrize("name", ["shrout_fleiss", "five_points"])
def test_every_coefficient_and_its_interval_is_psych_s(name: str) -> None:
    found = intraclass_correlations(np.array(PSYCH[name]["marks"], dtype=float).T)
    assert list(found) == ["ICC(1)", "ICC(A,1)", "ICC(C,1)", "ICC(k)", "ICC(A,k)", "ICC(C,k)"]
    for coefficient, known in PSYCH[name]["coefficients"].items():
        assert found[coefficient][:3] == pytest.approx(known, rel=1e-9), coefficient


@pytest.mark.parametrize("name", PSYCH["simulated"])
def test_coefficients_of_simulated_votes_over_stimuli_are_psych_s(name: str) -> None:
    marks = TABLES[name]().pivot(index="listener", columns=["item", "condition"], values="score").to_numpy(float)
    found = intraclass_correlations(marks)
    assert {each: found[each][:3] for each in found} == {
        each: pytest.approx(known, rel=1e-9) for each, known in PSYCH["simulated"][name].items()
    }


def test_severe_raters_agree_in_consistency_alone() -> None:
    found = intraclass_correlations(np.array([[1.0, 2, 4, 3], [2.0, 3, 5, 4]]))
    assert found["ICC(C,1)"].value == 1.0
    assert found["ICC(1)"].value < found["ICC(A,1)"].value < 1


@pytest.mark.parametrize("marks", [np.ones((3, 4)), np.ones((1, 4)), np.empty((0, 0)), np.array([[1.0, 1], [2, 2]])])
def test_where_no_target_differs_there_is_no_consistency(marks: np.ndarray) -> None:
    assert math.isnan(intraclass_correlations(marks)["ICC(C,1)"].value)


def test_alpha_at_both_levels_is_the_published_one() -> None:
    """Four observers, twelve units: Krippendorff (2011), "Computing Krippendorff's alpha reliability", example C."""
    gap = math.nan
    marks = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, gap, gap, gap],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, gap, 3],
            [gap, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, gap],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, gap],
        ]
    )
    assert ordinal_alpha(marks) == pytest.approx((0.815, 40), abs=5e-4)
    assert interval_alpha(marks) == pytest.approx((0.849, 40), abs=5e-4)


def test_concordance_by_hand() -> None:
    """Means 2 and 3, variances 2/3 and 2/3, covariance 2/3: 4/3 over 4/3 + 1."""
    found = concordance(np.array([1.0, 2, 3]), np.array([2.0, 3, 4]))
    assert found.value == pytest.approx(4 / 7)
    assert math.isnan(found.low)  # correlated without error: the transformation has no variance
    assert concordance(np.array([1.0, 2, math.nan]), np.array([1.0, 2, 5])).value == pytest.approx(1.0)
    assert math.isnan(concordance(np.ones(4), np.ones(4)).value)
    assert math.isnan(concordance(np.array([]), np.array([])).value)


def test_the_interval_of_a_concordance_holds_the_true_one_in_95_of_100_samples() -> None:
    rng = np.random.default_rng(7)
    true = 2 * 0.8 / (1 + 1 + 0.5**2)
    held, rounds = 0, 1000 if ALL else 250
    for _ in range(rounds):
        x, y = rng.multivariate_normal([0, 0.5], [[1, 0.8], [0.8, 1]], size=60).T
        found = concordance(x, y)
        held += found.low < true < found.high
    assert abs(held / rounds - 0.95) <= 0.02
