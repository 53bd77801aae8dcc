"""The tables of the mixed model, its differences, tests and agreement, against the functions they are made of."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.adjustment import adjusted, adjustments_of
from analysis.blinded_view import shown
from analysis.mos import MeanOpinionScore
from analysis.statistics.contrasts import all_pairs, equivalence, to_reference
from analysis.statistics.mixed_model import MixedModel, fit_mixed_model
from tests.analysis.mos.p835_marks import SCALES, p835_marks
from tests.analysis.mos.test_mos import run, votes


@pytest.fixture(scope="module")
def marks() -> pd.DataFrame:
    return p835_marks(7, panels=2, listeners=4, items=4, conditions=3)


@pytest.fixture(scope="module")
def result(marks: pd.DataFrame) -> Any:
    return whole_result(marks)


def whole_result(marks: pd.DataFrame) -> Any:
    """The tables that come first, and those that follow."""
    method = MeanOpinionScore()
    found = method.run(marks)
    return found | method.further(marks, found)


def of_scale(marks: pd.DataFrame, scale: str) -> pd.DataFrame:
    part = marks[(marks["kind"] == "test") & (marks["scale"] == scale)]
    return part.rename(columns={"value": "score"})


def fitted(marks: pd.DataFrame, scale: str) -> MixedModel:
    return fit_mixed_model(of_scale(marks, scale))


def test_means_are_those_of_the_full_model_for_each_scale(marks: pd.DataFrame, result: Any) -> None:
    for scale in SCALES:
        rows = [row for row in result["model_level"] if row["scale"] == scale]
        means = fitted(marks, scale).means()
        assert [row["condition"] for row in rows] == [mean.condition for mean in means]
        for row, mean in zip(rows, means, strict=True):
            wanted = (mean.estimate, mean.se, mean.df, mean.low, mean.high)
            assert [row[name] for name in ("mos", "se", "df", "ci_low", "ci_high")] == pytest.approx(wanted)
            assert (row["n_listeners"], row["n_items"], row["n_votes"]) == (8, 8, 32)


def test_the_model_is_adjusted_for_each_factor_that_varies_and_for_all_of_them(
    marks: pd.DataFrame, result: Any
) -> None:
    assert adjustments_of(result) == {
        **{name: name for name in ("panel", "session", "order")},
        "all": "panel, session, order",
    }
    for wanted, factors in (("session", ["session"]), ("all", ["panel", "session", "order"])):
        tables = adjusted(result, wanted)
        model = fit_mixed_model(of_scale(marks, "BAK"), factors=factors)
        rows = [row for row in tables["model_level"] if row["scale"] == "BAK"]
        assert [row["mos"] for row in rows] == pytest.approx([mean.estimate for mean in model.means()])
        assert [row["se"] for row in rows] == pytest.approx([mean.se for mean in model.means()])
        found = {(row["condition"], row["against"]): row["p"] for row in tables["contrasts"] if row["scale"] == "BAK"}
        assert [found[each.a, each.b] for each in all_pairs(model)] == pytest.approx(
            [each.p for each in all_pairs(model)]
        )
        assert tables["adjustment"] == {"for": wanted, "factors": factors}
        assert tables["unadjusted_model_level"] == result["model_level"]
    assert adjusted(result, "tea")["model_level"] == result["model_level"]


def test_what_does_not_vary_is_no_factor_and_what_cannot_be_told_apart_is_named(marks: pd.DataFrame) -> None:
    alike = marks.assign(session=marks["panel"], order="SIG-BAK-OVRL")
    tables = whole_result(alike)
    assert list(adjustments_of(tables)) == ["panel", "session", "all"]
    assert adjusted(tables, "all")["model_level"] == []
    assert {row["code"] for row in adjusted(tables, "all")["warnings"] if row["scale"] == "SIG"} >= {"no_model"}
    one = whole_result(marks[marks["panel"] == 1].assign(session=1))
    assert adjusted(one, "all")["adjustment"] == {"for": "order", "factors": ["order"]}


def test_every_difference_stands_in_both_directions_with_holm_over_all_and_over_one_reference(
    marks: pd.DataFrame, result: Any
) -> None:
    model = fitted(marks, "SIG")
    rows = {(row["condition"], row["against"]): row for row in result["contrasts"] if row["scale"] == "SIG"}
    assert len(rows) == 6
    for each in all_pairs(model):
        row, turned = rows[each.a, each.b], rows[each.b, each.a]
        names = ("difference", "t", "p", "p_holm", "ci_low", "ci_high")
        wanted = (each.estimate, each.t, each.p, each.p_holm, each.low, each.high)
        assert [row[name] for name in names] == pytest.approx(wanted)
        other = (-each.estimate, -each.t, each.p, each.p_holm, -each.high, -each.low)
        assert [turned[name] for name in names] == pytest.approx(other)
    for each in to_reference(model, "C1"):
        row = rows[each.a, "C1"]
        assert row["p_holm_against"] == pytest.approx(each.p_holm)
        limits = equivalence(each, margin=0.5)
        assert (row["ci90_low"], row["ci90_high"]) == pytest.approx((limits.low, limits.high))


def test_pair_tests_turn_with_their_direction(result: Any) -> None:
    rows = {(row["condition"], row["against"]): row for row in result["pair_tests"] if row["scale"] == "BAK"}
    assert len(rows) == 6
    for (a, b), row in rows.items():
        other = rows[b, a]
        assert row["p"] == other["p"]
        assert row["w_plus"] + other["w_plus"] == row["n_unequal"] * (row["n_unequal"] + 1) / 2
        assert (row["d_z"], row["d_z_low"]) == pytest.approx((-other["d_z"], -other["d_z_high"]))


def test_components_are_variances_whose_shares_add_up(marks: pd.DataFrame, result: Any) -> None:
    model = fitted(marks, "OVRL")
    rows = {row["component"]: row for row in result["components"] if row["scale"] == "OVRL"}
    assert {name: row["variance"] for name, row in rows.items()} == pytest.approx(dict(model.components))
    assert {name: row["dropped"] for name, row in rows.items() if row["dropped"]} == model.dropped
    assert sum(row["share"] for row in rows.values()) == pytest.approx(1)


def test_agreement_is_also_that_of_each_panel_since_panels_share_no_clip(result: Any) -> None:
    rows = [row for row in result["agreement"] if row["scale"] == "SIG"]
    over_clips = [row for row in rows if row["coefficient"] == "ICC(A,1)" and row["over"] == "stimuli"]
    assert [(row["panel"], row["n_listeners"]) for row in over_clips] == [(1, 4), (2, 4)]
    alphas = [row for row in rows if row["coefficient"] == "alpha (ordinal)"]
    assert [row["panel"] for row in alphas] == [None, 1, 2]


def test_a_blind_reader_cannot_tell_names_by_the_direction_of_differences(result: Any) -> None:
    letters = {"C0": "B", "C1": "C", "C2": "A", "ref0": "D", "ref1": "E", "ref2": "F", "ref3": "G"}
    tables = shown(result, names=letters, blind=True, scales=SCALES)
    for part in ("contrasts", "pair_tests"):
        pairs = {(row["condition"], row["against"]) for row in tables[part]}
        assert pairs == {(a, b) for a in "ABC" for b in "ABC" if a != b}, part
    few = {**result, "contrasts": [row for row in result["contrasts"] if row["against"] == "C0"]}
    assert shown(few, names=letters, blind=True, scales=SCALES)["contrasts"] == []
    assert shown(few, names=letters, blind=False, scales=SCALES)["contrasts"]


def test_a_scale_without_a_model_says_why_and_keeps_the_other_figures() -> None:
    result = run(votes("sub-0001", 4) + votes("sub-0001", 5, condition="c1"))
    assert result["model_level"] == []
    assert [row["mos"] for row in result["rows"]] == [4.0, 5.0]
    (warning,) = (row for row in result["warnings"] if row["code"] == "no_model")
    assert warning["scale"] == "QUALITY"
    assert "more votes than fixed effects" in warning["reason"]


def test_a_model_without_listeners_or_items_is_warned_of(marks: pd.DataFrame, result: Any) -> None:
    def codes(part: pd.DataFrame) -> set[str]:
        return {row["code"] for row in MeanOpinionScore().run(part)["warnings"]} & {"these_listeners", "these_items"}

    sig = marks[(marks["scale"] == "SIG") & (marks["kind"] == "test")]
    assert codes(sig[sig["listener"] == "p1s0"]) == {"these_listeners"}
    assert codes(sig[sig["item"] == "p1i00"]) == {"these_items"}
    assert not {"these_listeners", "these_items"} & {row["code"] for row in result["warnings"]}


def test_too_few_listeners_for_the_signed_rank_test_are_warned_of(result: Any) -> None:
    codes = [row["code"] for row in result["warnings"]]
    assert "cannot_reach" not in codes  # eight listeners, three pairs
    small = MeanOpinionScore().run(p835_marks(7, panels=1, listeners=4, items=4, conditions=3))
    assert {row["listeners"] for row in small["warnings"] if row["code"] == "cannot_reach"} == {4}


def test_an_incomplete_listener_counts_in_the_model_and_not_over_listeners(marks: pd.DataFrame) -> None:
    left = marks["listener"] == "p1s0"
    some = marks[~left | (marks["position"] < 30)]
    result = MeanOpinionScore().run(some.assign(complete=some["listener"] != "p1s0"))
    assert {row["n_listeners"] for row in result["rows"]} == {7}
    assert max(row["n_listeners"] for row in result["all_listeners"]) == 8
    assert {row["n_listeners"] for row in result["tests"]} == {7}
    for part, kept in (("model_level", some), ("complete_model", some[some["listener"] != "p1s0"])):
        means = [mean.estimate for mean in fitted(kept, "SIG").means()]
        assert [row["mos"] for row in result[part] if row["scale"] == "SIG"] == pytest.approx(means)
    without = MeanOpinionScore().run(some[some["listener"] != "p1s0"])
    for part in ("rows", "differences", "tests", "pair_tests", "agreement", "positions"):
        assert result[part] == without[part], part


def test_the_bootstrap_has_the_mean_of_all_votes_and_the_same_limits_every_time(
    marks: pd.DataFrame, result: Any
) -> None:
    again = MeanOpinionScore().run(marks)
    assert again["two_way_level"] == result["two_way_level"]
    row = result["two_way_level"][0]
    part = of_scale(marks, row["scale"])
    assert row["mos"] == pytest.approx(np.mean(part[part["condition"] == row["condition"]]["score"]))
    assert row["ci_low"] < row["mos"] < row["ci_high"]
