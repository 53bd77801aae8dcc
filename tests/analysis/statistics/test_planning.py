"""Planning: closed form against R, against the mixed model, and against simulation; the cheapest design is cheapest."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.statistics.contrasts import all_pairs
from analysis.statistics.mixed_model import fit_mixed_model
from analysis.statistics.plan_simulation import (
    Grid,
    draw_votes,
    estimated_difference_precision,
    mean_squares,
    simulate_studies,
)
from analysis.statistics.planning import (
    Costs,
    Design,
    Goal,
    cheapest,
    choice,
    difference_precision,
    listeners_needed,
    mean_precision,
)
from rating.variance import OVERALL_QUALITY, VarianceComponents

FIVE = Grid(1, 5, 1)
UNROUNDED = Grid(1, 5, 0)


@pytest.mark.parametrize(
    ("listeners", "difference", "alpha", "power"),
    [
        (20, 0.2, 0.05, 0.807291679769),
        (34, 0.2, 0.005, 0.80130247169),
        (73, 0.1, 0.05, 0.802298943383),
        (124, 0.1, 0.005, 0.801004738726),
    ],
)
def test_without_items_it_is_the_paired_t_test(listeners: int, difference: float, alpha: float, power: float) -> None:
    """R: power.t.test(n, delta, sd = 0.3, sig.level, type = "paired", strict = TRUE)$power; 0.3^2 is 2 x 0.045."""
    components = VarianceComponents(0, 0, 0.045, 0, 0)
    precision = difference_precision(components, Design(listeners, 2))
    assert precision.df == pytest.approx(listeners - 1)
    assert precision.power(difference, alpha=alpha) == pytest.approx(power, abs=1e-9)
    assert listeners_needed(components, Goal(difference, 0.8, alpha), [2]) == [listeners]


def test_a_mean_over_listeners_alone_has_the_t_interval() -> None:
    """R: qt(0.975, 23) * sqrt(0.2 / 24) is 0.188841..."""
    half_width = mean_precision(VarianceComponents(0.2, 0, 0, 0, 0), Design(24, 2, conditions=1)).half_width()
    assert half_width == pytest.approx(2.0686576104 * np.sqrt(0.2 / 24), rel=1e-9)


def test_the_power_of_a_mean_against_a_value_is_that_of_the_t_test() -> None:
    """R: power.t.test(20, 0.2, sd = 0.3, type = "one.sample", strict = TRUE)$power."""
    precision = mean_precision(VarianceComponents(0.09, 0, 0, 0, 0), Design(20, 2, conditions=1))
    assert precision.power(0.2) == pytest.approx(0.807291679769, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_what_the_model_says_of_votes_with_these_components(seed: int) -> None:
    """With all components as they were fitted, standard errors and degrees of freedom are those of the model."""
    design = Design(8, 6, 3)
    without_items = OVERALL_QUALITY._replace(item_condition=0.0)
    components = without_items if seed % 2 else OVERALL_QUALITY
    drawn = draw_votes(components, design, np.array([2.5, 3, 3.5]), np.random.default_rng(seed + 1), 1)
    votes = FIVE.rounded(drawn)
    listener, item, condition = np.indices(votes.shape[2:]).reshape(3, -1)
    columns = {"listener": listener, "item": item, "condition": condition, "score": votes.ravel()}
    model = fit_mixed_model(pd.DataFrame(columns))
    contrast, mean = all_pairs(model)[0], model.means()[0]
    estimated = estimated_difference_precision(mean_squares(votes), design)
    assert estimated.se[0] == pytest.approx(contrast.se, rel=1e-5)
    assert estimated.df[0] == pytest.approx(contrast.df, rel=1e-3)
    if not model.dropped:
        fitted = VarianceComponents(**model.components)
        planned, planned_mean = difference_precision(fitted, design), mean_precision(fitted, design)
        assert [planned.se, planned.df] == pytest.approx([contrast.se, contrast.df], rel=1e-3)
        assert [planned_mean.se, planned_mean.df] == pytest.approx([mean.se, mean.df], rel=1e-3)


@pytest.mark.parametrize(
    ("design", "grid"), list(product([Design(24, 20, 4), Design(32, 32, 4, 4), Design(12, 40, 2)], [UNROUNDED, FIVE]))
)
def test_simulated_studies_find_a_difference_as_often_as_planned(design: Design, grid: Grid) -> None:
    simulated = simulate_studies(
        OVERALL_QUALITY, design, grid, np.random.default_rng(1), difference=0.3, mean=3, rounds=1000
    )
    planned = difference_precision(OVERALL_QUALITY, design)
    assert simulated.power == pytest.approx(planned.power(0.3), abs=3 * simulated.power_se)
    assert simulated.difference_half_width == pytest.approx(planned.half_width(), rel=0.04)
    assert simulated.mean_half_width == pytest.approx(mean_precision(OVERALL_QUALITY, design).half_width(), rel=0.04)


def test_without_a_difference_five_per_cent_are_found_and_at_the_end_of_the_scale_it_shrinks() -> None:
    design, rng = Design(16, 12, 3), np.random.default_rng(2)
    nothing = simulate_studies(OVERALL_QUALITY, design, FIVE, rng, difference=0, mean=3, rounds=2000)
    assert nothing.power == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 2000))
    high = simulate_studies(OVERALL_QUALITY, design, FIVE, rng, difference=0.4, mean=4.6, rounds=500)
    assert high.difference < 0.33
    assert high.at_ends > 0.3


def test_the_cheapest_design_is_the_cheapest_of_all() -> None:
    goal, costs = Goal(0.4, 0.8, conditions=3), Costs(most_listeners=40, most_items=30)
    found = cheapest(OVERALL_QUALITY, goal, costs)
    assert found is not None
    every = [
        choice(OVERALL_QUALITY, goal, costs, listeners=people * panels, items=each * panels, panels=panels)
        for panels in (1, 2, 4)
        for people in range(2, 40 // panels + 1)
        for each in range(2, 30 // panels + 1)
    ]
    fit = [each for each in every if each.power >= goal.power and each.minutes <= costs.longest_min]
    assert found.cost == min(each.cost for each in fit)
    assert found in fit


def test_no_number_of_listeners_makes_up_for_few_items() -> None:
    """Each item has its own difference, so with 5 of them a difference of 0.3 stays in doubt."""
    few, many = listeners_needed(OVERALL_QUALITY, Goal(0.3, conditions=4), [5, 40], most=2000)
    assert few is None
    assert many == 40
    assert cheapest(OVERALL_QUALITY, Goal(0.3, conditions=4), Costs(most_items=5)) is None
