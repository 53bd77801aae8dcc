"""The mixed model against lme4, lmerTest and emmeans, against tests in closed form, and on votes that allow little."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.statistics.contrasts import all_pairs, to_reference
from analysis.statistics.mixed_model import Dropped, MixedModel, _crossed, _Design, fit_mixed_model
from core.errors import AppError
from tests.analysis.statistics.reference.votes import TABLES, simulate
from tests.scale import ALL

FIGURES = json.loads((Path(__file__).parent / "reference" / "figures.json").read_text())
FITTED = [
    pytest.param(
        name,
        kind,
        marks=[pytest.mark.long] if (name, kind) == ("sparse", "full") else [],  # others lack nothing of it but size
    )
    for name, each in FIGURES.items()
    if name in TABLES
    for kind in each["models"]
]
SEEDS = 6 if ALL else 1  # of simulated votes, beside those on which R's figures were made
FACTORS = "_with_factors"
GROUPS = {
    "listener": "listener",
    "item": "item",
    "listener_condition": "listener:condition",
    "item_condition": "item:condition",
    "residual": "Residual",
}


def small(seed: int = 8, shape: tuple[int, int, int] = (6, 7, 3)) -> pd.DataFrame:
    return simulate(seed=seed, shape=shape, deviations=(0.5, 0.5, 0.3, 0.3, 0.6))


def column(rows: list[dict[str, Any]], name: str) -> list[float]:
    return [row[name] for row in rows]


@pytest.mark.parametrize(("name", "kind"), FITTED)
def test_figures_are_those_of_lme4_and_emmeans(name: str, kind: str) -> None:
    votes, known = TABLES[name](), FIGURES[name]["models"][kind]
    assert len(votes) == FIGURES[name]["votes"]
    assert votes["score"].sum() == pytest.approx(FIGURES[name]["total"])
    fitted = fit_mixed_model(votes, kind="full" if kind.startswith("full") else "intercepts", factors=known["factors"])
    assert fitted.reml_criterion == pytest.approx(known["reml_criterion"], abs=1e-5, rel=0)
    for component, value in fitted.components.items():
        expected = known["components"].get(GROUPS[component], 0.0)
        assert value == pytest.approx(expected, rel=1e-4, abs=1e-8), component
    means, pairs = fitted.means(), all_pairs(fitted)
    assert [each.estimate for each in means] == pytest.approx(column(known["means"], "emmean"), rel=1e-7)
    assert [each.se for each in means] == pytest.approx(column(known["means"], "SE"), rel=1e-4)
    assert [each.df for each in means] == pytest.approx(column(known["means"], "df"), rel=0, abs=1e-2)
    assert [each.low for each in means] == pytest.approx(column(known["means"], "lower.CL"), rel=1e-4)
    expected = known["contrasts"]
    assert [each.estimate for each in pairs] == pytest.approx(column(expected, "estimate"), rel=1e-6, abs=1e-8)
    assert [each.se for each in pairs] == pytest.approx(column(expected, "SE"), rel=1e-4)
    assert [each.df for each in pairs] == pytest.approx(column(expected, "df"), rel=0, abs=1e-2)
    assert [each.p for each in pairs] == pytest.approx(column(expected, "p.value"), rel=1e-3)
    assert [each.p_holm for each in pairs] == pytest.approx(column(expected, "p_holm"), rel=1e-3)


def dense_criterion(votes: pd.DataFrame, ratios: dict[str, float]) -> float:
    """The criterion as its formula reads, with a matrix of all votes."""
    n, fixed = len(votes), pd.get_dummies(votes["condition"]).to_numpy(float)
    columns = {"listener": ["listener"], "item": ["item"]}
    columns |= {f"{name}_condition": [name, "condition"] for name in ("listener", "item")}
    covariance = np.eye(n)
    for name, ratio in ratios.items():
        level = votes.groupby(columns[name]).ngroup().to_numpy()
        covariance += ratio * (level[:, None] == level)
    inverse = np.linalg.inv(covariance)
    products = fixed.T @ inverse @ fixed
    score = votes["score"].to_numpy()
    left = score - fixed @ np.linalg.solve(products, fixed.T @ inverse @ score)
    freedom = n - fixed.shape[1]
    determinants = np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(products)[1]
    return float(determinants + freedom * (1 + np.log(2 * np.pi * (left @ inverse @ left) / freedom)))


def in_panels(*, seed: int) -> pd.DataFrame:
    """Panels of different sizes that share neither listeners nor items."""
    panels = [small(seed=seed + n, shape=shape) for n, shape in enumerate([(5, 6, 3), (3, 4, 3), (2, 2, 3), (4, 3, 3)])]
    own = [
        votes.assign(**{name: votes[name] + 100 * n for name in ("listener", "item")}) for n, votes in enumerate(panels)
    ]
    return pd.concat(own, ignore_index=True)


@pytest.mark.parametrize("panels", [False, True])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_other_components_have_a_lower_criterion(seed: int, panels: bool) -> None:
    rng = np.random.default_rng(seed)
    votes = in_panels(seed=seed) if panels else small(seed=seed, shape=(5, 6, 3))
    votes = votes.sample(frac=0.8, random_state=seed)
    fitted = fit_mixed_model(votes)
    best = {name: fitted.components[name] / fitted.components["residual"] for name in GROUPS if name != "residual"}
    assert fitted.reml_criterion == pytest.approx(dense_criterion(votes, best), abs=1e-8)
    for scale in (1e-3, 1e-1, 1.0):
        for _ in range(10):
            other = {name: abs(ratio + scale * rng.normal()) for name, ratio in best.items()}
            assert dense_criterion(votes, other) >= fitted.reml_criterion - 1e-9


@pytest.mark.parametrize("name", ["balanced", "unbalanced", "zero", "panels"])
def test_the_second_derivatives_are_differences_of_the_gradient(name: str) -> None:
    design = _Design.of(in_panels(seed=1) if name == "panels" else TABLES[name](), ())
    votes, _ = _crossed(design, "full", {})
    assert len(votes.pairs) == (3 if name == "panels" else 1)  # the two small panels are one block
    ratios = np.array([0.2, 0.3, 0.1, 0.4])
    at, steps = votes.evaluate(ratios), np.diag(1e-4 * ratios)
    found = votes.information(at, ratios > 0)
    above, below = ([votes.evaluate(ratios + sign * each).gradient(at.error) for each in steps] for sign in (1, -1))
    expected = (np.array(above) - np.array(below)) / (2e-4 * ratios[:, None])
    assert found[:-1, :-1] == pytest.approx(expected, rel=1e-5, abs=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("factors", [(), ("panel",)])
@pytest.mark.parametrize("seed", range(min(SEEDS, 3)))
def test_the_fit_is_the_same_from_other_variances(seed: int, factors: tuple[str, ...]) -> None:
    votes = small(seed=seed, shape=(8, 9, 3)).sample(frac=0.8, random_state=seed)
    votes = votes.assign(panel=votes["listener"] % 2)
    fitted = fit_mixed_model(votes, factors=factors)
    starts = [
        fit_mixed_model(votes).components,
        dict.fromkeys(GROUPS, 0.0) | {"residual": 1.0},
        dict.fromkeys(GROUPS, 1.0) | {"residual": 0.1},
        dict.fromkeys(GROUPS, 0.0),  # of scores without an error, which are nothing to begin with
    ]
    for start in starts:
        other = fit_mixed_model(votes, factors=factors, start=start)
        assert other.reml_criterion == pytest.approx(fitted.reml_criterion, abs=1e-8)
        assert other.components == pytest.approx(dict(fitted.components), abs=1e-6)
        assert other.dropped == fitted.dropped
        pairs = zip(other.means(), fitted.means(), strict=True)
        assert all(one == pytest.approx(two, rel=1e-5) for one, two in pairs)


def test_a_component_that_is_zero_is_named() -> None:
    fitted = fit_mixed_model(TABLES["zero"]())
    assert fitted.dropped == {"item_condition": Dropped.ZERO}
    assert fitted.components["item_condition"] == 0
    assert fit_mixed_model(TABLES["balanced"]()).dropped == {}


def test_with_one_item_nothing_is_said_of_items() -> None:
    fitted = fit_mixed_model(TABLES["one_item"]())
    assert fitted.dropped == {"item": Dropped.FIXED, "item_condition": Dropped.FIXED}


def test_with_one_listener_nothing_is_said_of_listeners() -> None:
    votes = small(shape=(1, 12, 3))
    fitted = fit_mixed_model(pd.concat([votes, votes.assign(score=votes["score"] + (votes["item"] % 2))]))
    assert {"listener", "listener_condition"} <= fitted.dropped.keys()
    assert fitted.dropped["listener"] == Dropped.FIXED
    assert all(each.se > 0 and each.df > 1 for each in fitted.means())


def test_one_item_two_conditions_and_one_vote_each_is_the_paired_t_test() -> None:
    votes = simulate(seed=9, shape=(12, 1, 2), deviations=(0.8, 0, 0, 0, 0.5), grid=(0, 100, 1))
    fitted = fit_mixed_model(votes)
    assert fitted.dropped["listener_condition"] == Dropped.ERROR
    (found,) = all_pairs(fitted)
    first, second = (votes.loc[votes["condition"] == code, "score"] for code in (0, 1))
    known = stats.ttest_rel(first.to_numpy(), second.to_numpy())
    assert (found.t, found.p, found.df) == pytest.approx((known.statistic, known.pvalue, 11))


def test_one_listener_and_one_item_leave_the_t_test_of_votes() -> None:
    votes = pd.DataFrame({"listener": 1, "item": 1, "condition": [0] * 4 + [1] * 4, "score": [3, 4, 4, 2, 5, 4, 5, 3]})
    fitted = fit_mixed_model(votes)
    (found,) = all_pairs(fitted)
    known = stats.ttest_ind([3, 4, 4, 2], [5, 4, 5, 3])
    assert (found.t, found.p, found.df) == pytest.approx((known.statistic, known.pvalue, 6))
    assert set(fitted.dropped) == {"listener", "item", "listener_condition", "item_condition"}


def test_with_one_condition_the_interactions_are_what_they_interact_with() -> None:
    votes = small(shape=(8, 9, 1))
    fitted = fit_mixed_model(votes)
    assert fitted.dropped["listener_condition"] == fitted.dropped["item_condition"] == Dropped.SAME
    assert fitted.means()[0].estimate == pytest.approx(votes["score"].mean())
    assert all_pairs(fitted) == []


def test_groups_of_listeners_who_heard_one_condition_each_are_compared_between_listeners() -> None:
    votes = small(shape=(10, 8, 2))
    between = votes[votes["listener"] % 2 == votes["condition"]]
    fitted = fit_mixed_model(between)
    assert fitted.dropped["listener_condition"] == Dropped.SAME
    (between_pair,), (within,) = all_pairs(fitted), all_pairs(fit_mixed_model(votes))
    assert between_pair.se > within.se


@pytest.mark.parametrize("by_condition", [0.0, 1.0])
def test_equal_scores_give_means_without_intervals(by_condition: float) -> None:
    votes = small()
    fitted = fit_mixed_model(votes.assign(score=3.0 + by_condition * votes["condition"]))
    assert [each.estimate for each in fitted.means()] == pytest.approx([3, 3 + by_condition, 3 + 2 * by_condition])
    assert all(each.se == 0 and math.isnan(each.df) and math.isnan(each.low) for each in fitted.means())
    assert all(math.isnan(each.p) and math.isnan(each.t) for each in all_pairs(fitted))
    assert set(fitted.components.values()) == {0.0}
    assert set(fitted.dropped.values()) == {Dropped.ZERO}


def test_the_order_of_votes_and_what_things_are_called_do_not_matter() -> None:
    votes = TABLES["unbalanced"]()
    renamed = votes.sample(frac=1, random_state=3).assign(
        listener=lambda rows: "p" + rows["listener"].astype(str),
        condition=lambda rows: rows["condition"].map("CBA".__getitem__),
    )
    one, other = fit_mixed_model(votes), fit_mixed_model(renamed)
    assert other.conditions == ("A", "B", "C")
    assert other.reml_criterion == pytest.approx(one.reml_criterion, abs=1e-8)
    for mine, theirs in zip(one.means(), reversed(other.means()), strict=True):
        assert mine[1:] == pytest.approx(theirs[1:], rel=1e-5)


def test_votes_on_another_scale_give_the_same_test() -> None:
    votes = small()
    one = all_pairs(fit_mixed_model(votes))
    other = all_pairs(fit_mixed_model(votes.assign(score=1e6 + 25 * votes["score"])))
    assert [each.df for each in other] == pytest.approx([each.df for each in one], rel=1e-3)
    assert [each.p for each in other] == pytest.approx([each.p for each in one], rel=1e-3)


def test_rows_without_a_score_are_no_votes() -> None:
    votes = small()
    with_gap = pd.concat([votes, votes.head(3).assign(score=np.nan)])
    assert fit_mixed_model(with_gap).reml_criterion == pytest.approx(fit_mixed_model(votes).reml_criterion)


def test_a_factor_of_one_level_changes_nothing() -> None:
    fitted = fit_mixed_model(small().assign(panel=1), factors=["panel"])
    assert fitted.factors == ()


def test_one_listener_in_each_panel_leaves_no_listener_beyond_the_panel() -> None:
    votes = small().assign(panel=lambda rows: rows["listener"])
    assert fit_mixed_model(votes, factors=["panel"]).dropped["listener"] == Dropped.FIXED


def same_error(code: str, votes: pd.DataFrame, **options: Any) -> str:
    with pytest.raises(AppError) as caught:
        fit_mixed_model(votes, **options)
    assert (caught.value.code, caught.value.status) == (code, 422)
    return str(caught.value)


def test_what_cannot_be_fitted_is_said() -> None:
    votes = small()
    assert "panel" in same_error("model.column_missing", votes, factors=["panel"])
    gap = votes.assign(panel=np.where(votes.index == 0, np.nan, 1.0))
    assert "without one: 1" in same_error("model.value_missing", gap, factors=["panel"])
    same_error("model.too_few_votes", votes.head(1))
    same_error("model.too_few_votes", votes.head(0))
    confounded = votes.assign(session=votes["condition"])
    assert "session" in same_error("model.factors_confounded", confounded, factors=["session"])
    exact = votes.assign(score=votes["condition"] + votes["listener"] ** 2 + 0.5 * votes["item"])
    same_error("model.no_error", exact)
    many = pd.DataFrame(
        {"listener": range(5000), "item": 1, "condition": [0, 1] * 2500, "score": [1.0, 3.0, 2.0, 5.0] * 1250}
    )
    same_error("model.too_large", pd.concat([many, many]))


def test_differences_to_a_reference_are_those_of_all_pairs_with_fewer_to_adjust_for() -> None:
    fitted = fit_mixed_model(TABLES["balanced"]())
    pairs = {(each.a, each.b): each for each in all_pairs(fitted)}
    found = to_reference(fitted, 0)
    assert [(each.a, each.b) for each in found] == [(1, 0), (2, 0), (3, 0)]
    for each in found:
        assert (each.estimate, each.p) == pytest.approx((-pairs[0, each.a].estimate, pairs[0, each.a].p))
        assert each.p_holm <= pairs[0, each.a].p_holm
    with pytest.raises(AppError, match="Known: 0, 1, 2, 3"):
        to_reference(fitted, "C9")


def test_the_full_model_does_not_shorten_the_interval_of_a_difference() -> None:
    votes = TABLES["balanced"]()
    full, intercepts = (_first_half_width(fit_mixed_model(votes, kind=kind)) for kind in ("full", "intercepts"))
    assert full > 1.2 * intercepts


def _first_half_width(fitted: MixedModel) -> float:
    pair = all_pairs(fitted)[0]
    return pair.high - pair.estimate


def test_what_depends_on_components_that_cannot_be_told_apart_has_no_degrees_of_freedom() -> None:
    """Within A listeners and items group the votes alike, and the one listener of B says nothing of either.

    Only the sum of both variances is known, on which the mean of A depends; the difference depends on each of them.
    """
    cells = [("l1", "i1", "A", (4, 5, 4, 5)), ("l2", "i2", "A", (2, 1, 2, 2)), ("l3", "i1", "B", (3, 3, 4, 3))]
    rows = [(*cell, float(score)) for *cell, scores in cells for score in scores]
    fitted = fit_mixed_model(pd.DataFrame(rows, columns=["listener", "item", "condition", "score"]), kind="intercepts")
    assert fitted.dropped == {}
    [difference] = all_pairs(fitted)
    assert np.isfinite(difference.se)
    assert np.isnan([difference.df, difference.low, difference.p]).all()
    assert fitted.means()[0].df == pytest.approx(1, abs=1e-3)
