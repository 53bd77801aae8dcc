"""Means, spreads and ellipses against sums written out, eigenvectors and tabulated quantiles."""

import math
import statistics
from typing import Any

import numpy as np
import pytest
from scipy import stats

from protocols.tcsd_plane.analysis.placements import Placement, Placements
from protocols.tcsd_plane.analysis.tables import Cloud, by_recording, over_marks, over_raters, points
from tests.protocols.tcsd_plane.placed import CONDITIONS, close, placed, with_gaps


def described(pairs: list[tuple[float, float]]) -> dict[str, Any]:
    """Means, standard deviations and covariance by definition."""
    tc, sd = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return {
        "n": len(pairs),
        "tc_mean": statistics.fmean(tc),
        "sd_mean": statistics.fmean(sd),
        "tc_sd": statistics.stdev(tc),
        "sd_sd": statistics.stdev(sd),
        "cov": statistics.covariance(tc, sd),
    }


def test_over_marks_every_mark_weighs_the_same() -> None:
    marks = placed(2, gaps=0.1)
    rows = {row["condition"]: row for row in over_marks(Placements.of(marks))}
    assert list(rows) == sorted(CONDITIONS)
    for condition, row in rows.items():
        expected = described([(mark.tc, mark.sd) for mark in marks if mark.condition == condition])
        assert {name: row[name] for name in expected} == close(expected)


def test_over_raters_each_rater_weighs_the_same() -> None:
    marks = placed(2, gaps=0.1)
    for row in over_raters(Placements.of(marks)):
        own = [mark for mark in marks if mark.condition == row["condition"]]
        means = [
            tuple(statistics.fmean(axis) for axis in zip(*((m.tc, m.sd) for m in own if m.rater == rater), strict=True))
            for rater in sorted({mark.rater for mark in own})
        ]
        expected = described(means)  # type: ignore[arg-type]
        assert {name: row[name] for name in expected} == close(expected)
        assert row["n_marks"] == len(own)
        assert row["unit"] == "rater"


def test_each_recording_has_rows_of_its_own() -> None:
    marks = placed(2, gaps=0.1)
    rows = {(row["recording"], row["condition"]): row for row in by_recording(Placements.of(marks))}
    for (recording, condition), row in rows.items():
        own = [(m.tc, m.sd) for m in marks if (m.recording, m.condition) == (recording, condition)]
        expected = described(own)
        assert {name: row[name] for name in expected} == close(expected)
    assert set(rows) == {(mark.recording, mark.condition) for mark in marks}


@pytest.mark.parametrize("seed", range(5))
def test_the_spread_ellipse_is_that_of_the_eigenvectors(seed: int) -> None:
    marks = np.random.default_rng(seed).multivariate_normal([0.4, 0.6], [[0.02, 0.008], [0.008, 0.01]], size=9).T
    ellipse = Cloud.of(marks).spread()
    lengths, vectors = np.linalg.eigh(np.cov(marks))
    assert ellipse is not None
    assert (ellipse.major, ellipse.minor) == close((lengths[1] ** 0.5, lengths[0] ** 0.5))
    assert (ellipse.tc, ellipse.sd) == close(marks.mean(axis=1))
    along = np.array([math.cos(math.radians(ellipse.angle_deg)), math.sin(math.radians(ellipse.angle_deg))])
    assert abs(along @ vectors[:, 1]) == close(1)


@pytest.mark.parametrize(
    ("line", "angle_deg"), [([[0.1, 0.5, 0.9], [0.4, 0.4, 0.4]], 0.0), ([[0.5] * 2, [0, 1]], 90.0)]
)
def test_marks_on_one_line_make_an_ellipse_without_width(line: Any, angle_deg: float) -> None:
    ellipse = Cloud.of(np.array(line, dtype=float)).spread()
    assert ellipse is not None
    assert (ellipse.minor, ellipse.angle_deg) == close((0, angle_deg))
    assert ellipse.major == close(max(np.std(axis, ddof=1) for axis in line))


@pytest.mark.parametrize("n", [5, 8, 20])
def test_the_95_percent_ellipse_is_where_hotelling_s_test_of_a_mean_turns(n: int) -> None:
    """On its edge T2 (n - p) / (p (n - 1)) has the 95 % quantile of F(p, n - p)."""
    marks = np.random.default_rng(n).multivariate_normal([0.4, 0.6], [[0.02, -0.01], [-0.01, 0.03]], size=n).T
    ellipse = Cloud.of(marks).mean_region()
    turn = math.radians(ellipse.angle_deg)
    axes = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    for angle in np.linspace(0, 2 * math.pi, 17):
        offset = axes @ np.array([ellipse.major * math.cos(angle), ellipse.minor * math.sin(angle)])
        t2 = n * offset @ np.linalg.inv(np.cov(marks)) @ offset
        assert stats.f.cdf(t2 * (n - 2) / (2 * (n - 1)), 2, n - 2) == close(0.95)


def test_with_four_raters_the_ellipse_of_the_mean_is_rejected_with_the_reason() -> None:
    rows = over_raters(Placements.of(placed(raters=4, recordings=4)))
    for row in rows:
        assert row["mean_95"] is None
        assert row["mean_95_refused"]["code"] == "plane.too_few_raters"
        assert "at least 5 raters, and there are 4" in row["mean_95_refused"]["sentence"]
        assert row["spread"] is not None


def test_with_five_raters_it_is_drawn_about_the_mean() -> None:
    for row in over_raters(Placements.of(placed(raters=5))):
        assert row["mean_95_refused"] is None
        assert (row["mean_95"]["tc"], row["mean_95"]["sd"]) == (row["tc_mean"], row["sd_mean"])
        assert row["mean_95"]["major"] > row["spread"]["major"]


def test_one_mark_alone_has_a_mean_and_no_spread() -> None:
    (row,) = by_recording(Placements.of([Placement("x", "A", "c", 0.25, 0.5)]))
    assert (row["n"], row["tc_mean"], row["sd_mean"]) == (1, 0.25, 0.5)
    assert [row[name] for name in ("tc_sd", "sd_sd", "cov", "spread")] == [None] * 4


def test_every_mark_is_a_point() -> None:
    placements = with_gaps()
    rows = points(placements)
    assert {Placement(r["rater"], r["recording"], r["condition"], r["tc"], r["sd"]) for r in rows} == set(
        placed(2, gaps=0.08)
    )
    assert len(rows) == len(placements)
