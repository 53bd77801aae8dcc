"""The trade-off along z, against regressions of each rater's marks."""

import itertools
import json
import math
import statistics

import numpy as np
import pytest
from scipy import stats

from protocols.tcsd_plane.analysis import tables
from protocols.tcsd_plane.analysis.placements import Placement, Placements, Setting
from tests.protocols.tcsd_plane.placed import SETTINGS, close, complete, placed, values


def of_family(marks: list[Placement], family: str) -> list[Placement]:
    return [mark for mark in marks if mark.condition in SETTINGS and SETTINGS[mark.condition].family == family]


def z_of(marks: list[Placement]) -> list[float]:
    return [SETTINGS[mark.condition].z for mark in marks]


def own_slope(marks: list[Placement], scale: str) -> float:
    """Least squares with an intercept for each recording."""
    recordings = sorted({mark.recording for mark in marks})
    design = np.array(
        [[z, *(float(m.recording == r) for r in recordings)] for z, m in zip(z_of(marks), marks, strict=True)]
    )
    return float(np.linalg.lstsq(design, np.array(values(marks, scale)), rcond=None)[0][0])


@pytest.mark.parametrize("gaps", [0.0, 0.15])
def test_slopes_are_means_of_each_rater_s_regression(gaps: float) -> None:
    marks = placed(4, gaps=gaps)
    rows = tables.slopes(Placements.of(marks, SETTINGS))
    assert [(row["family"], row["scale"]) for row in rows] == [
        ("greedy", "TC"), ("greedy", "SD"), ("hand", "TC"), ("hand", "SD")
    ]  # fmt: skip
    for row in rows:
        own = of_family(marks, row["family"])
        slopes = [own_slope([m for m in own if m.rater == rater], row["scale"]) for rater in range(1, 7)]
        half = stats.t.ppf(0.975, 5) * statistics.stdev(slopes) / math.sqrt(6)
        mean = statistics.fmean(slopes)
        expected = {
            "slope": mean,
            "ci_low": mean - half,
            "ci_high": mean + half,
            "r_with_z": statistics.correlation(z_of(own), values(own, row["scale"])),
            "n_marks": len(own),
            "n_raters": 6,
        }
        assert {name: row[name] for name in expected} == close(expected)


def test_families_have_a_correlation_and_the_area_under_their_curve() -> None:
    marks = placed(4)
    for row in tables.summaries(Placements.of(marks, SETTINGS)):
        own = of_family(marks, row["family"])
        assert row["correlation"] == close(statistics.correlation(values(own, "TC"), values(own, "SD")))
        means = sorted(
            tuple(statistics.fmean(values([m for m in own if m.condition == name], scale)) for scale in ("TC", "SD"))
            for name in {mark.condition for mark in own}
        )
        steps = itertools.pairwise(means)
        assert row["area"] == close(sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in steps))
        assert (row["n_conditions"], row["n_marks"]) == (len(means), len(own))


def test_an_area_that_is_not_known_is_null() -> None:
    placements = Placements.of(placed(1), SETTINGS)
    placements.marks[..., placements.conditions.index(next(iter(SETTINGS)))] = np.nan
    assert None in {row["area"] for row in tables.summaries(placements)}
    json.dumps(tables.summaries(placements), allow_nan=False)


def test_the_area_runs_over_the_range_of_the_points_and_no_further() -> None:
    assert tables.area(np.array([0.6, 0.2]), np.array([0.5, 0.9])) == close(0.4 * 0.7)


def test_curves_follow_z_and_not_the_names() -> None:
    settings = {"greedy 0": Setting("m", 9.0), "greedy 1": Setting("m", 10.0), "greedy 2": Setting("m", -1.0)}
    rows = tables.curves(Placements.of(placed(), settings))
    assert [(row["condition"], row["z"]) for row in rows] == [("greedy 2", -1.0), ("greedy 0", 9.0), ("greedy 1", 10.0)]


def test_a_family_with_one_value_of_z_has_no_trade_off() -> None:
    settings = {"greedy 0": Setting("m", 0.5), "greedy 1": Setting("m", 0.5), "even": Setting("n", 1.0)}
    placements = Placements.of(placed(), settings)
    assert (tables.slopes(placements), tables.summaries(placements), tables.curves(placements)) == ([], [], [])


def test_one_rater_has_a_slope_without_an_interval() -> None:
    row = tables.slopes(complete(raters=1))[0]
    assert row["slope"] is not None
    assert (row["ci_low"], row["ci_high"], row["n_raters"]) == (None, None, 1)
