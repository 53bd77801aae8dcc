"""Objective metrics beside votes: against psych of R, sums by hand, and a general solver for the monotone mapping."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from analysis.statistics.objective_metrics import (
    FEWEST,
    compare_correlations,
    fit_mapping,
    missing_for,
    pearson,
    prediction_errors,
    spearman,
    williams_t,
)
from tests.scale import ALL

# By reference/make_metric_figures.R.
REFERENCE: dict[str, Any] = json.loads((Path(__file__).parent / "reference" / "metrics.json").read_text())
VOTES = np.array(REFERENCE["votes"])
METRICS = {name: np.array(values, dtype=np.float64) for name, values in REFERENCE["metrics"].items()}
UNKNOWN = np.array([math.nan])


@pytest.mark.parametrize("name", METRICS)
def test_correlations_and_fishers_interval_are_those_of_r(name: str) -> None:
    expected, metric = REFERENCE["correlations"][name], np.concatenate([METRICS[name], [1.0], UNKNOWN])
    votes = np.concatenate([VOTES, UNKNOWN, [3.0]])  # a clip without votes and one without a value are no points
    found = pearson(metric, votes)
    assert found.n == 12
    assert found.value == pytest.approx(expected["pearson"], abs=1e-12)
    assert [found.low, found.high] == pytest.approx(expected["interval"], abs=1e-9)
    ranked = spearman(metric, votes)
    assert ranked.value == pytest.approx(expected["spearman"], abs=1e-12)
    half = 1.959963984540054 * math.sqrt((1 + ranked.value**2 / 2) / 9)
    assert math.atanh(ranked.high) - math.atanh(ranked.value) == pytest.approx(half)
    assert math.atanh(ranked.value) - math.atanh(ranked.low) == pytest.approx(half)


@pytest.mark.parametrize("pair", REFERENCE["tests"])
def test_two_dependent_correlations_are_compared_as_psych_does_it(pair: str) -> None:
    """The third metric falls as votes rise, and is turned around as it was for R."""
    first, second = (METRICS[name] for name in pair.split("_"))
    found = compare_correlations(first, second, VOTES)
    assert (found.t, found.p) == pytest.approx(tuple(REFERENCE["tests"][pair].values()), abs=1e-12)
    assert (found.n, found.df) == (12, 9)
    back = compare_correlations(second, first, VOTES)
    assert (back.t, back.p) == pytest.approx((-found.t, found.p))


def test_errors_without_and_with_a_line_are_what_the_formula_gives_by_hand() -> None:
    """Votes less metric are 1, 1, 1 and -3; the line is 3 - x / 5."""
    metric, votes = np.array([1.0, 2, 3, 4]), np.array([2.0, 3, 4, 1])
    half = np.array([0.4, 0.4, 1.5, math.nan])
    plain = prediction_errors("none", metric, votes, half)
    assert plain.rmse == pytest.approx(math.sqrt((1 + 1 + 1 + 9) / 3))
    assert plain.rmse_star == pytest.approx(math.sqrt((0.6**2 + 0.6**2 + 0) / 2))  # the fourth has no interval
    assert (plain.n, plain.df, plain.n_intervals, plain.outliers) == pytest.approx((4, 3, 3, 2 / 3))
    assert plain.r == pytest.approx(-0.2)
    line = prediction_errors("linear", metric, votes, half)
    assert line.rmse == pytest.approx(math.sqrt((0.8**2 + 0.4**2 + 1.6**2 + 1.2**2) / 2))
    assert line.rmse_star == pytest.approx(math.sqrt(0.4**2 + 0.1**2))
    assert (line.r, line.df) == pytest.approx((0.2, 2))
    cubic = prediction_errors("monotone", metric, votes, half)
    assert (cubic.df, math.isnan(cubic.rmse)) == (0, True)


def general_solver(t: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> float:
    """The least sum of squared errors of a cubic whose slope is not negative at 801 places."""
    powers, places = np.vander(t, 4, increasing=True), np.linspace(-1, 1, 801)
    slope = np.stack([np.zeros(801), np.ones(801), 2 * places, 3 * places**2], axis=1)
    found: Any = optimize.minimize(  # type: ignore[call-overload]
        lambda c: ((powers @ c - y) ** 2).sum(),
        [float(y.mean()), 0.1, 0.0, 0.0],
        jac=lambda c: 2 * powers.T @ (powers @ c - y),
        constraints={"type": "ineq", "fun": lambda c: slope @ c, "jac": lambda c: slope},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return float(found.fun)


@pytest.mark.parametrize("shape", ["rises", "saturates", "turns", "s", "falls"])
def test_the_monotone_cubic_never_turns_and_is_as_good_as_a_general_solver_finds(shape: str) -> None:
    rng = np.random.default_rng(7)
    t = np.sort(rng.uniform(-1, 1, 40))
    curve = {"rises": t + t**3, "saturates": np.tanh(4 * t), "turns": t - t**2, "s": t**3 - 0.2 * t, "falls": -t - t**3}
    y = curve[shape] + rng.normal(0, 0.1, len(t))
    low, high = t.min(), t.max()
    metric = 40 + 7 * t  # in another unit
    mapping = fit_mapping("monotone", metric, y)
    assert mapping is not None
    along = mapping.at(np.linspace(metric.min(), metric.max(), 2001))
    sign = -1 if shape == "falls" else 1
    assert (sign * np.diff(along)).min() > -1e-9
    squares = float(((mapping.at(metric) - y) ** 2).sum())
    scaled = sign * (2 * (t - low) / (high - low) - 1)
    assert squares == pytest.approx(general_solver(scaled, y), rel=1e-5)
    if shape == "rises":
        assert mapping.at(metric) == pytest.approx(np.polynomial.Polynomial.fit(t, y, 3)(t))


def test_a_line_on_which_all_points_lie_leaves_no_error_and_no_interval() -> None:
    metric = np.array([1.0, 2, 3, 4, 5, 6])
    votes = 1 + metric / 2
    assert pearson(metric, votes)[:2] == pytest.approx((6, 1))
    assert math.isnan(pearson(metric, votes).low)
    for kind in ("linear", "monotone"):
        found = prediction_errors(kind, metric, votes, np.full(6, 0.1))
        assert found.rmse == pytest.approx(0, abs=1e-9)
        assert found.outliers == 0
    same = compare_correlations(metric, 2 * metric, votes + np.array([0, 0.1, 0, 0, 0.1, 0]))
    assert same.r_between == pytest.approx(1)
    assert (math.isnan(same.t), math.isnan(same.p)) == (True, True)


def test_what_cannot_be_said_is_named() -> None:
    votes = np.array([1.0, 2, 3, 4])
    assert missing_for(np.array([1.0, 2, math.nan, math.nan]), votes) == "few"
    assert missing_for(np.full(4, 2.5), votes) == "constant"
    assert missing_for(np.arange(4.0), np.full(4, 3.0)) == "constant_votes"
    assert missing_for(np.array([1.0, 2, 4, math.nan]), votes) == ""
    three = pearson(np.array([1.0, 3, 2]), np.array([1.0, 2, 3]))
    assert (three.n, three.value) == pytest.approx((FEWEST, 0.5))
    assert math.isnan(three.low)
    assert math.isnan(williams_t(0.5, 0.4, 0.3, 3).p)
    assert math.isnan(spearman(np.full(4, 1.0), votes).value)


def test_the_test_keeps_its_level_where_two_metrics_are_equally_good() -> None:
    """Of many seeded samples, 5 % are found different, within what chance allows at three standard errors."""
    rng = np.random.default_rng(3)
    p, rounds = [], 2000 if ALL else 400
    for _ in range(rounds):
        votes = rng.normal(size=20)
        first, second = (votes + rng.normal(size=20) for _ in range(2))
        p.append(compare_correlations(first, second, votes).p)
    assert abs(np.mean(np.array(p) < 0.05) - 0.05) < 3 * math.sqrt(0.05 * 0.95 / rounds)


def test_tiny_values_are_ranked_like_any_others() -> None:
    metric = np.array([3.0, 1, 4, 1.5, 9, 2.6]) * 1e-14
    votes = np.array([3.0, 1, 2, 4, 5, 1.5])
    assert spearman(metric, votes).value == pytest.approx(stats.spearmanr(metric, votes).statistic)
