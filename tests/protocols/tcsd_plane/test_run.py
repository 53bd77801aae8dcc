"""The method on a table of marks: what counts, what conditions were made with, and rows that can be blinded."""

import json
import statistics
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.blinded_view import shown
from protocols.tcsd_plane.analysis import PlaneStatistics
from protocols.tcsd_plane.analysis.placements import Placement
from tests.protocols.tcsd_plane.placed import CONDITIONS, SETTINGS, close, placed, table, values
from tests.scale import ALL


def run(marks: pd.DataFrame) -> Any:
    return PlaneStatistics().run(marks)


@cache
def usual() -> Any:
    """What is found in placed(), for tests that only look at it."""
    return run(table(placed()))


def test_marks_on_two_scales_are_points() -> None:
    marks = placed(raters=2, recordings=1)
    result = run(table(marks))
    assert {(p["rater"], p["recording"], p["condition"], p["tc"], p["sd"]) for p in result["points"]} == set(marks)
    assert result["counts"] == {"marks": 12, "raters": 2, "recordings": 1, "conditions": 6}
    assert result["correlation"] == close(statistics.correlation(values(marks, "TC"), values(marks, "SD")))


def test_the_order_of_the_rows_and_categories_play_no_part() -> None:
    marks = table(placed(2, raters=6 if ALL else 4, recordings=3 if ALL else 2, gaps=0.1))
    shuffled = marks.iloc[np.random.default_rng(1).permutation(len(marks))].reset_index(drop=True)
    coded = shuffled.astype(dict.fromkeys(("listener", "item", "condition", "scale", "kind"), "category"))
    assert json.dumps(run(marks)) == json.dumps(run(shuffled)) == json.dumps(run(coded))


def test_practice_other_scales_and_an_axis_alone_do_not_count() -> None:
    marks = table(placed())
    practice = table([Placement(1, "X", "even", 0.1, 0.1)], kind="practice")
    other = table([Placement(1, "A", "even", 0.1, 0.1)], scale="OVRL")
    alone = table([Placement(8, "A", "even", 0.1, 0.1)]).iloc[:1]
    assert run(pd.concat([marks, practice, other, alone], ignore_index=True)) == usual()


def test_the_axes_may_come_from_two_passes_and_repeats_are_averaged() -> None:
    first, second = table([Placement(1, "A", "c", 0.2, 0.4)]), table([Placement(1, "A", "c", 0.4, 0.8)], position=2)
    (point,) = run(pd.concat([first.iloc[:1], second.iloc[1:]]))["points"]
    assert (point["tc"], point["sd"]) == (0.2, 0.8)
    (point,) = run(pd.concat([first, second]))["points"]
    assert (point["tc"], point["sd"]) == close((0.3, 0.6))


def test_factors_of_conditions_make_families() -> None:
    result = usual()
    assert {(row["family"], row["z"], row["condition"]) for row in result["curves"]} == {
        (made.family, made.z, condition) for condition, made in SETTINGS.items()
    }
    assert {row["family"] for row in result["families"]} == {"greedy", "hand"}


@pytest.mark.parametrize("factors", ["{}", '{"z": "loud"}', '{"z": "nan"}', '{"method": "m"}', '{"z": null}'])
def test_conditions_without_a_number_z_have_no_trade_off(factors: str) -> None:
    assert run(table(placed(), condition_factors=factors))["trade_off"] == []


def test_a_z_without_a_family_makes_one_family() -> None:
    marks = table(placed())
    marks["condition_factors"] = [json.dumps({"z": float(len(condition))}) for condition in marks["condition"]]
    assert len(run(marks)["families"]) == 1


def test_a_table_without_the_factors_of_conditions_is_analysed_all_the_same() -> None:
    result = run(table(placed()).drop(columns="condition_factors"))
    assert (result["trade_off"], len(result["rows"])) == ([], 6)


def test_without_marks_every_table_is_an_empty_list_or_knows_nothing() -> None:
    result = run(table(placed()).iloc[:0])
    for name in ("rows", "conditions_marks", "recordings", "contrasts", "raters", "standardised", "points"):
        assert result[name] == []
    assert [row["chi2"] for row in result["friedman"]] == [row["icc"] for row in result["agreement"]] == [None, None]
    assert result["correlation"] is None


@pytest.mark.parametrize("marks", [[], placed(raters=1, recordings=1)[:1], placed(raters=1), placed(gaps=0.5)])
def test_results_are_json_without_nan(marks: list[Placement]) -> None:
    json.dumps(run(table(marks)), allow_nan=False)


def test_a_blind_reader_sees_letters_for_names() -> None:
    letters = dict(zip(sorted(CONDITIONS), "FEDCBA", strict=True))
    tables = shown(usual(), names=letters, blind=True, scales=["TC", "SD"])
    told = {name: rows for name, rows in tables.items() if name not in {"trade_off", "families", "curves", "equal_z"}}
    assert not any("family" in row for rows in told.values() if isinstance(rows, list) for row in rows)
    assert not [name for name in CONDITIONS if f'"{name}"' in json.dumps(told)]
    assert {row["condition"] for row in tables["contrasts"]} == set("ABCDEF")
