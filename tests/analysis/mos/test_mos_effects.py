"""Effects within listeners, and warnings, against plain computations."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.mos import MeanOpinionScore
from tests.analysis.mos.p835_marks import p835_marks


@pytest.fixture(scope="module")
def marks() -> pd.DataFrame:
    return p835_marks(1, panels=2, listeners=3, items=8, conditions=3)


@pytest.fixture(scope="module")
def tested(marks: pd.DataFrame) -> pd.DataFrame:
    return marks[marks["kind"] == "test"]


@pytest.fixture(scope="module")
def result(marks: pd.DataFrame) -> Any:
    return MeanOpinionScore().run(marks)


def told(values: "pd.Series[float]") -> tuple[float, float, float, float]:
    low, high = stats.t.interval(0.95, len(values) - 1, loc=values.mean(), scale=stats.sem(values))
    return len(values), values.mean(), low, high


def figures(row: dict[str, Any], name: str) -> tuple[float, ...]:
    return tuple(row[key] for key in ("n_listeners", name, "ci_low", "ci_high"))


def test_differences_are_each_listeners_own(tested: pd.DataFrame, result: Any) -> None:
    assert len(result["differences"]) == 3 * 2 * 3
    for row in result["differences"]:
        means = tested[tested["scale"] == row["scale"]].groupby(["listener", "condition"])["value"].mean().unstack()
        wanted = told(means[row["condition"]] - means[row["against"]])
        assert figures(row, "difference") == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(
    ("names", "baseline"), [(("C1", "C0"), "C0"), (("noisy", "enhanced"), "noisy"), (("b", "a"), "a")]
)
def test_the_condition_to_compare_with_is_found_by_its_name(names: tuple[str, str], baseline: str) -> None:
    marks = p835_marks(1, panels=1, listeners=1, items=1, conditions=2)
    marks["condition"] = marks["condition"].replace({"C0": names[0], "C1": names[1]})
    assert MeanOpinionScore().run(marks)["baseline"] == baseline


def test_a_reference_is_not_what_others_are_compared_with() -> None:
    marks = p835_marks(1, panels=1, listeners=1, items=1, conditions=2, references=0)
    marks.loc[marks["condition"] == "C0", "condition_role"] = "reference"
    assert MeanOpinionScore().run(marks)["baseline"] == "C1"


def test_the_order_of_the_scales_is_compared_within_listeners(tested: pd.DataFrame, result: Any) -> None:
    rows = {(row["scale"], row["condition"]): row for row in result["orders"]}
    assert len(rows) == 3 * 4
    for (scale, condition), row in rows.items():
        chosen = tested[tested["scale"] == scale]
        means = chosen.groupby(["listener", "condition", "order"])["value"].mean().unstack()
        one = means["SIG-BAK-OVRL"] - means["BAK-SIG-OVRL"]
        by_listener = one.groupby("listener").mean() if condition is None else one.xs(condition, level="condition")
        assert figures(row, "difference") == pytest.approx(told(by_listener.dropna()), abs=1e-9)
        assert row["pairing"] == "within listeners"


def test_orders_heard_by_different_people_are_compared_between_them() -> None:
    marks = p835_marks(2, panels=2, listeners=4, items=6, conditions=1, references=0)
    marks["order"] = ["SIG-BAK-OVRL" if panel == 1 else "BAK-SIG-OVRL" for panel in marks["panel"]]
    row = next(row for row in MeanOpinionScore().run(marks)["orders"] if row["scale"] == "SIG" and row["condition"])
    means = marks[marks["scale"] == "SIG"].groupby(["panel", "listener"])["value"].mean()
    welch = stats.ttest_ind(means[1], means[2], equal_var=False)
    low, high = welch.confidence_interval(0.95)
    wanted = (8, means[1].mean() - means[2].mean(), low, high)
    assert figures(row, "difference") == pytest.approx(wanted, abs=1e-9)
    assert (row["pairing"], row["sd"]) == ("between listeners", None)


def test_one_order_for_all_has_no_effect_to_tell() -> None:
    marks = p835_marks(2, panels=1, listeners=2, items=2).assign(order="SIG-BAK-OVRL")
    assert MeanOpinionScore().run(marks)["orders"] == []


def residuals(tested: pd.DataFrame) -> pd.DataFrame:
    means = tested.groupby(["scale", "condition"])["value"].transform("mean")
    return tested.assign(residual=tested["value"] - means)


def test_the_drift_within_sessions_is_a_slope_for_each_listener(tested: pd.DataFrame, result: Any) -> None:
    for row in result["positions"]:
        chosen = residuals(tested[tested["scale"] == row["scale"]])
        for name in ("position", "residual"):
            chosen[name] = chosen[name] - chosen.groupby(["listener", "session"])[name].transform("mean")
        slopes = {
            listener: 100 * np.dot(group["position"], group["residual"]) / np.dot(group["position"], group["position"])
            for listener, group in chosen.groupby("listener")
        }
        assert figures(row, "slope_per_100_pages") == pytest.approx(told(pd.Series(slopes)), abs=1e-9)


def test_a_drift_that_was_put_in_is_found() -> None:
    marks = p835_marks(3, panels=1, listeners=4, items=16, references=0)
    marks["value"] = 3 + 0.02 * marks["position"]
    slopes = [row["slope_per_100_pages"] for row in MeanOpinionScore().run(marks)["positions"]]
    assert slopes == pytest.approx([2.0] * 3, abs=0.1)


def test_session_means_are_told_raw_and_as_residuals(tested: pd.DataFrame, result: Any) -> None:
    assert {row["session"] for row in result["sessions"]} == {1, 2, 3, 4}
    for row in result["sessions"]:
        chosen = residuals(tested[tested["scale"] == row["scale"]])
        own = chosen.groupby("listener")["residual"].mean()
        session = chosen[chosen["session"] == row["session"]].groupby("listener")
        assert figures(row, "residual") == pytest.approx(told(session["residual"].mean() - own), abs=1e-9)
        assert row["mos"] == pytest.approx(session["value"].mean().mean(), abs=1e-9)


def test_votes_are_counted_by_category(tested: pd.DataFrame, result: Any) -> None:
    for row in result["distribution"]:
        values = tested[(tested["scale"] == row["scale"]) & (tested["condition"] == row["condition"])]["value"]
        assert row["counts"] == {str(n): int((values == n).sum()) for n in range(1, 6)}
        assert row["good_or_better"] == pytest.approx((values >= 4).mean())
        assert row["poor_or_worse"] == pytest.approx((values <= 2).mean())


def test_a_scale_with_other_values_has_no_categories() -> None:
    marks = p835_marks(4, panels=1, listeners=1, items=2)
    marks.loc[marks["scale"] == "SIG", "value"] = 37.0
    assert {row["scale"] for row in MeanOpinionScore().run(marks)["distribution"]} == {"BAK", "OVRL"}


def warnings(marks: pd.DataFrame) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = MeanOpinionScore().run(marks)["warnings"]
    return found


def test_clips_with_unanimous_votes_are_warned_of() -> None:
    marks = p835_marks(5, panels=1, listeners=8, items=2, conditions=1, references=0)
    marks["value"] = [float(1 + n % 5) for n in range(len(marks))]
    assert {warning["code"] for warning in warnings(marks)} == set()
    alike = marks.copy()
    alike.loc[(alike["item"] == "p1i00") & (alike["scale"] == "SIG"), "value"] = 3.0
    assert {"code": "unanimous", "scale": "SIG", "cells": 1, "of": 2} in warnings(alike)


def test_crowded_ends_and_unequal_conditions_are_warned_of() -> None:
    marks = p835_marks(6, panels=1, listeners=8, items=5, conditions=2, references=0)
    sig = (marks["scale"] == "SIG") & (marks["condition"] == "C1")
    marks.loc[sig, "value"] = [5.0, 5.0, 5.0, 1.0, 2.0] * 8
    found = warnings(marks)
    assert {"code": "ceiling", "scale": "SIG", "condition": "C1", "share": 0.6} in found
    assert ("floor", "C1") not in {(warning["code"], warning.get("condition")) for warning in found}
    fewer = marks.drop(marks[sig].index[0])
    assert {"code": "unbalanced", "scale": "SIG", "least": 39, "most": 40} in warnings(fewer)
