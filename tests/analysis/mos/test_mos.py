"""The mean opinion score against an independent computation in plain Python."""

import json
import math
import statistics
from collections import defaultdict
from random import Random
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.method import COLUMNS
from analysis.mos import MeanOpinionScore
from tests.scale import ALL

# t(0.975, df) as printed in statistical tables.
T_QUANTILES = {1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 5: 2.5706, 6: 2.4469, 7: 2.3646, 11: 2.2010, 23: 2.0687}


def table(marks: list[dict[str, Any]]) -> pd.DataFrame:
    filled = {
        "listener": "sub-0001",
        "panel": 1,
        "session": 1,
        "position": 1,
        "item": "i1",
        "condition": "c0",
        "condition_role": "test",
        "scale": "QUALITY",
        "value": 3.0,
        "kind": "test",
        "factors": "{}",
    }
    return pd.DataFrame([filled | mark for mark in marks], columns=list(COLUMNS))


def votes(listener: str, *values: float, condition: str = "c0", **more: Any) -> list[dict[str, Any]]:
    return [{"listener": listener, "value": float(value), "condition": condition, **more} for value in values]


def run(marks: list[dict[str, Any]]) -> Any:
    return MeanOpinionScore().run(table(marks))


def test_listeners_weigh_the_same_however_often_they_voted() -> None:
    result = run(votes("sub-0001", 5, 5, 5, 5) + votes("sub-0002", 1))
    assert result["rows"][0]["mos"] == 3.0
    assert result["votes_level"][0]["mos"] == pytest.approx(4.2)
    assert result["rows"][0]["n_votes"] == 5
    assert result["rows"][0]["n_listeners"] == 2


@pytest.mark.parametrize("df", sorted(T_QUANTILES) if ALL else (1, 5, 23))
def test_the_interval_uses_the_tabulated_t_quantile(df: int) -> None:
    values = [float(1 + n % 5) for n in range(df + 1)]
    row = run([mark for n, value in enumerate(values) for mark in votes(f"sub-{n:04d}", value)])["rows"][0]
    expected = T_QUANTILES[df] * statistics.stdev(values) / math.sqrt(len(values))
    assert row["ci_high"] - row["mos"] == pytest.approx(expected, rel=3e-5)
    assert row["mos"] - row["ci_low"] == pytest.approx(expected, rel=3e-5)


def test_a_published_example_of_eight_votes() -> None:
    """Votes 4 5 5 3 4 5 4 5: mean 4.375, half width 0.622 (Hossfeld et al. compare it with their bounded interval)."""
    marks = [mark for n, value in enumerate([4, 5, 5, 3, 4, 5, 4, 5]) for mark in votes(f"sub-{n}", value)]
    row = run(marks)["rows"][0]
    assert row["mos"] == 4.375
    assert row["ci_high"] - row["mos"] == pytest.approx(0.622, abs=5e-4)


def test_one_listener_has_no_interval_over_listeners() -> None:
    result = run(votes("sub-0001", 4, 5))
    assert result["rows"][0] | {"mos": 4.5, "sd": None, "ci_low": None, "ci_high": None} == result["rows"][0]
    assert result["votes_level"][0]["sd"] is not None


def test_practice_is_left_out() -> None:
    result = run(votes("sub-0001", 1, kind="practice") + votes("sub-0001", 5))
    assert result["rows"][0]["mos"] == 5.0
    assert result["rows"][0]["n_votes"] == 1


def test_a_condition_heard_only_in_practice_has_no_row() -> None:
    result = run(votes("sub-0001", 1, condition="warm-up", kind="practice") + votes("sub-0001", 5))
    assert [row["condition"] for row in result["rows"]] == ["c0"]


@pytest.mark.parametrize("marks", [[], votes("sub-0001", 2, kind="practice")])
def test_nothing_to_average_gives_empty_tables(marks: list[dict[str, Any]]) -> None:
    result = run(marks)
    assert {part for part, rows in result.items() if rows} <= {"practice"}
    assert result["rows"] == result["differences"] == result["warnings"] == []


def test_a_mark_without_a_listener_is_an_error_and_not_left_out() -> None:
    with pytest.raises(ValueError, match="needs a listener"):
        run([*votes("sub-0001", 5), {"listener": None, "value": 1.0}])


def test_conditions_and_scales_are_kept_apart_and_sorted() -> None:
    result = run(
        votes("sub-0001", 1, condition="c1", scale="SIG")
        + votes("sub-0001", 2, condition="c0", scale="SIG")
        + votes("sub-0001", 3, condition="c0", scale="BAK")
    )
    for unit in ("rows", "votes_level"):
        assert [(row["condition"], row["scale"], row["mos"]) for row in result[unit]] == [
            ("c0", "BAK", 3.0),
            ("c0", "SIG", 2.0),
            ("c1", "SIG", 1.0),
        ]


MARKS = st.lists(
    st.tuples(
        st.sampled_from(["sub-0001", "sub-0002", "sub-0003", "sub-0004"]),
        st.sampled_from(["c0", "c1", "c2"]),
        st.sampled_from(["SIG", "BAK"]),
        st.integers(1, 5),
    ),
    min_size=1,
    max_size=60,
)


def in_plain_python(marks: list[tuple[str, str, str, int]]) -> dict[tuple[str, str], tuple[float, float]]:
    by_listener: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for listener, condition, scale, value in marks:
        by_listener[condition, scale][listener].append(value)
    return {
        cell: (
            statistics.mean(statistics.mean(values) for values in listeners.values()),
            statistics.mean(value for values in listeners.values() for value in values),
        )
        for cell, listeners in by_listener.items()
    }


@settings(max_examples=100 if ALL else 5)
@given(marks=MARKS, seed=st.integers(0, 1000))
def test_means_agree_with_plain_python_in_any_order_of_the_rows(
    marks: list[tuple[str, str, str, int]], seed: int
) -> None:
    rows = [{"listener": who, "condition": c, "scale": s, "value": float(v)} for who, c, s, v in marks]
    result = run(rows)
    expected = in_plain_python(marks)
    assert [(row["condition"], row["scale"]) for row in result["rows"]] == sorted(expected)
    for unit, index in (("rows", 0), ("votes_level", 1)):
        for row in result[unit]:
            assert row["mos"] == pytest.approx(expected[row["condition"], row["scale"]][index])
    for row in result["rows"]:
        if row["ci_low"] is not None:
            assert row["ci_low"] <= row["mos"] <= row["ci_high"]
    assert run(Random(seed).sample(rows, len(rows))) == result
    assert json.loads(json.dumps(result, allow_nan=False)) == result
