"""The agreement of a mean of several raters, against a published example."""

import math

import numpy as np
import pytest

from analysis.statistics.agreement import Icc, absolute_agreement

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
