"""Tables of the mean opinion score against pandas and scipy, which compute it in another way."""

import json
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.mos import MeanOpinionScore
from analysis.statistics.categories import bounded_mean
from tests.analysis.mos.p835_marks import p835_marks
from tests.scale import ALL

UNITS = {"listener": "listener", "item": "item", "vote": None}


def interval(values: "pd.Series[float]", *, quantile: float | None = None) -> tuple[float, float, float, float]:
    """Mean, SD and the ends of the interval, by scipy."""
    mean, sd, error = values.mean(), values.std(ddof=1), stats.sem(values)
    if quantile is not None:
        return mean, sd, mean - quantile * error, mean + quantile * error
    half = stats.t.ppf(0.975, len(values) - 1) * error
    return mean, sd, mean - half, mean + half


def expected(marks: pd.DataFrame, by: list[str], unit: str) -> dict[tuple[Any, ...], tuple[float, ...]]:
    found: dict[tuple[Any, ...], tuple[float, ...]] = {}
    for key, group in marks.groupby(by):
        column = UNITS.get(unit.removesuffix("-1.96"))
        values = group.groupby(column)["value"].mean() if column else group["value"]
        counts = (len(group), group["listener"].nunique(), group["item"].nunique())
        found[key] = (*counts, *interval(values, quantile=1.96 if unit == "vote-1.96" else None))
    return found


def got(rows: list[dict[str, Any]], by: list[str], unit: str) -> dict[tuple[Any, ...], tuple[float, ...]]:
    figures = ("n_votes", "n_listeners", "n_items", "mos", "sd", "ci_low", "ci_high")
    return {
        tuple(row[name] for name in by): tuple(row[name] for name in figures) for row in rows if row["unit"] == unit
    }


def agree(found: dict[tuple[Any, ...], Any], wanted: dict[tuple[Any, ...], Any]) -> None:
    assert found.keys() == wanted.keys()
    assert found
    for key, figures in wanted.items():
        assert found[key] == pytest.approx(figures, rel=1e-9, abs=1e-9), key


@pytest.fixture(scope="module")
def marks() -> pd.DataFrame:
    return p835_marks(1, listeners=3, items=6, conditions=3)


@pytest.fixture(scope="module")
def result(marks: pd.DataFrame) -> Any:
    return MeanOpinionScore().run(marks)


@pytest.mark.parametrize(
    ("table", "unit"),
    [("rows", "listener"), ("votes_level", "vote"), ("votes_level_p808", "vote-1.96"), ("items_level", "item")],
)
def test_means_by_condition(marks: pd.DataFrame, result: Any, table: str, unit: str) -> None:
    by = ["condition", "scale"]
    agree(got(result[table], by, unit), expected(marks[marks["kind"] == "test"], by, unit))


@pytest.mark.parametrize("unit", ["listener", "vote", "vote-1.96", "item"])
def test_means_by_panel(marks: pd.DataFrame, result: Any, unit: str) -> None:
    by = ["panel", "condition", "scale"]
    agree(got(result["panels"], by, unit), expected(marks[marks["kind"] == "test"], by, unit))


@pytest.mark.parametrize("unit", ["listener", "vote", "vote-1.96", "item"])
def test_means_by_factor(marks: pd.DataFrame, result: Any, unit: str) -> None:
    test = marks[marks["kind"] == "test"].assign(factor="place")
    test["level"] = [json.loads(text)["place"] for text in test["factors"]]
    by = ["factor", "level", "condition", "scale"]
    agree(got(result["factors"], by, unit), expected(test, by, unit))


def test_means_by_item_and_of_practice_apart(marks: pd.DataFrame, result: Any) -> None:
    by = ["condition", "item", "scale"]
    for part, kind in (("items", "test"), ("practice", "practice")):
        agree(got(result[part], by, "listener"), expected(marks[marks["kind"] == kind], by, "listener"))


def test_clips_have_an_interval_that_stays_on_the_scale_also_where_all_agree() -> None:
    marks = p835_marks(5, panels=1, listeners=6, items=2, conditions=2, references=0)
    marks.loc[(marks["scale"] == "SIG") & (marks["condition"] == "C0"), "value"] = 5.0
    marks.loc[marks["scale"] == "BAK", "value"] += 0.5
    rows = MeanOpinionScore().run(marks)["items"]
    limits = {(row["scale"], row["condition"]): (row["ci_bounded_low"], row["ci_bounded_high"]) for row in rows}
    wanted = bounded_mean(np.full(6, 5.0))
    assert limits["SIG", "C0"] == pytest.approx((wanted.low, 5.0))
    assert [row["ci_high"] - row["ci_low"] for row in rows if row["sd"] == 0] == [0.0, 0.0]
    assert all(1 <= low < high <= 5 for (scale, _), (low, high) in limits.items() if scale != "BAK")
    assert {limits["BAK", condition] for condition in ("C0", "C1")} == {(None, None)}, "halves are no categories"


def test_the_published_design_gives_1024_votes_a_condition_and_8_a_cell() -> None:
    references = 48 if ALL else 2
    result = MeanOpinionScore().run(p835_marks(2, references=references))
    assert {row["n_votes"] for row in result["rows"]} == {1024}
    assert {(row["n_listeners"], row["n_items"]) for row in result["rows"]} == {(32, 128)}
    assert (len(result["rows"]), len(result["items"])) == (15, 1920)
    assert {(row["n_votes"], row["n_listeners"]) for row in result["items"]} == {(8, 8)}
    assert {row["n_votes"] for row in result["panels"]} == {256}
    assert result["counts"]["practice_votes"] == 96 * references
    assert not [warning for warning in result["warnings"] if warning["code"] in ("few_votes", "unbalanced")]


def test_a_listener_who_hears_a_clip_twice_is_still_one_listener() -> None:
    marks = p835_marks(3, panels=1, listeners=2, items=1, conditions=1, references=0)
    twice = pd.concat([marks, marks.assign(value=5.0, position=marks["position"] + 100)])
    row = MeanOpinionScore().run(twice)["items"][0]
    means = twice[twice["scale"] == row["scale"]].groupby("listener")["value"].mean()
    assert (row["n_votes"], row["n_listeners"], row["mos"]) == (4, 2, pytest.approx(means.mean()))


def test_an_item_without_a_factor_is_in_none_of_its_levels() -> None:
    marks = p835_marks(4, panels=1, listeners=2, items=4, conditions=1, references=0)
    marks.loc[marks["item"] == "p1i00", "factors"] = "{}"
    rows = [row for row in MeanOpinionScore().run(marks)["factors"] if row["unit"] == "item" and row["scale"] == "SIG"]
    assert {row["level"]: row["n_items"] for row in rows} == {"a": 1, "b": 2}


def test_names_as_categories_give_the_same_as_names_as_text() -> None:
    marks = p835_marks(5, panels=2, listeners=2, items=3, conditions=2)
    names = ["listener", "item", "condition", "condition_role", "scale", "kind", "order", "factors"]
    coded = marks.assign(
        **{name: pd.Categorical(marks[name], sorted(set(marks[name]), reverse=True)) for name in names}
    )
    assert MeanOpinionScore().run(coded) == MeanOpinionScore().run(marks)


@pytest.mark.long  # test_mos has the rows in any order as well
@settings(max_examples=100)
@given(seed=st.integers(0, 10_000), step=st.sampled_from([1.0, 0.5, 0.1, 1 / 3]))
def test_the_order_of_the_marks_changes_no_digit_of_any_table(seed: int, step: float) -> None:
    marks = p835_marks(seed, panels=2, listeners=2, items=3, conditions=2, references=1)
    marks["value"] *= step
    order = Random(seed).sample(range(len(marks)), len(marks))
    result = MeanOpinionScore().run(marks)
    assert MeanOpinionScore().run(marks.iloc[order]) == result
    assert json.loads(json.dumps(result, allow_nan=False)) == result


@pytest.mark.long  # the control of the test above
def test_control_a_changed_mark_shows() -> None:
    marks = p835_marks(6, panels=1, listeners=2, items=2, conditions=2)
    changed = marks.copy()
    changed.loc[changed.index[-1], "value"] = 6 - np.float64(changed["value"].iloc[-1]) + 0.5
    assert MeanOpinionScore().run(changed)["rows"] != MeanOpinionScore().run(marks)["rows"]
