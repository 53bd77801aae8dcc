"""Hotelling's paired test against R, the permutation test against all permutations, and its size where blocks fail."""

import math
from itertools import permutations, product

import numpy as np
import pytest

from analysis.statistics.estimates import Floats
from analysis.statistics.multivariate import paired_hotelling, permanova_within
from analysis.statistics.ranks import friedman
from tests.scale import ALL

DIFFERENCES = np.array(
    [[0.10, -0.20], [-0.05, -0.12], [0.22, -0.05], [0.13, -0.31], [0.04, -0.16], [0.18, 0.02]],
)


def test_hotelling_is_that_of_r() -> None:
    """R: d <- cbind(...); anova(lm(d ~ 1), test = "Hotelling-Lawley"); T^2 is n m S^-1 m."""
    found = paired_hotelling(np.vstack([DIFFERENCES, [np.nan, 0.1]]))
    assert (found.n, found.df, found.df_error) == (6, 2, 4)
    assert (found.t2, found.f, found.p) == pytest.approx((21.3418390949, 8.53673563796, 0.0360286362396), rel=1e-9)


@pytest.mark.parametrize("differences", [DIFFERENCES[:2], np.column_stack([DIFFERENCES[:, 0]] * 2)])
def test_hotelling_says_nothing_without_spread_in_every_direction(differences: Floats) -> None:
    assert math.isnan(paired_hotelling(differences).p)


def test_permanova_is_right_to_the_last_permutation() -> None:
    rng = np.random.default_rng(3)
    marks = rng.normal(size=(3, 3, 2)) + np.array([0.0, 0.6, 1.2])[None, :, None]
    found = permanova_within(marks, np.random.default_rng(1), permutations=20_000)
    about = marks - marks.mean(axis=1, keepdims=True)

    def between(orders: tuple[tuple[int, ...], ...]) -> float:
        turned = np.array([block[list(order)] for block, order in zip(about, orders, strict=True)])
        return float(3 * (turned.mean(axis=0) ** 2).sum())

    own = between(((0, 1, 2),) * 3)
    every = [between(orders) for orders in product(permutations(range(3)), repeat=3)]
    share = sum(value >= own - 1e-12 for value in every) / len(every)
    assert found.p == pytest.approx(share, abs=0.01)
    within = float((about**2).sum()) - own
    assert found.f == pytest.approx((own / 2) / (within / 4))
    assert found.r2 == pytest.approx(own / (own + within))
    assert (found.blocks, found.df, found.df_error) == (3, 2, 4)
    assert found == permanova_within(marks, np.random.default_rng(1), permutations=20_000)


def test_blocks_of_one_rater_find_what_is_not_there_and_rater_means_do_not() -> None:
    """Equal conditions, raters with opinions of their own: the size of both tests at 5 %."""
    rng, rounds = np.random.default_rng(0), 120 if ALL else 40
    by_blocks = by_raters = 0
    for _ in range(rounds):
        own = rng.normal(0, 0.1, (8, 1, 6, 2))
        marks = own + rng.normal(0, 0.1, (8, 4, 6, 2))
        by_blocks += friedman(marks[..., 0].reshape(-1, 6)).p < 0.05
        by_raters += permanova_within(marks.mean(axis=1), rng, permutations=199).p <= 0.05
    assert by_blocks / rounds > 0.3
    assert by_raters / rounds < 0.05 + 3 * math.sqrt(0.05 * 0.95 / rounds)


def test_too_little_says_nothing() -> None:
    one = permanova_within(np.ones((1, 3, 2)), np.random.default_rng(0))
    assert math.isnan(one.p)
    assert math.isnan(permanova_within(np.ones((4, 3, 2)), np.random.default_rng(0)).f)
