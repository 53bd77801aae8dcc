"""Tests of differences between conditions: which blocks count, and every pair against a computation of its own."""

import math
import statistics

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.ranks import holm
from protocols.tcsd_plane.analysis import tables
from protocols.tcsd_plane.analysis.placements import Placement, Placements
from tests.protocols.tcsd_plane.placed import CONDITIONS, close, complete, placed, values

AXES = pytest.mark.parametrize(("axis", "scale"), list(enumerate(("TC", "SD"))))


def complete_blocks(marks: list[Placement], scale: str) -> dict[tuple[int, str], list[float]]:
    """By rater and recording the marks of all conditions, in the order of their names, where none is missing."""
    found = {}
    for key in sorted({(mark.rater, mark.recording) for mark in marks}):
        own = sorted((m for m in marks if (m.rater, m.recording) == key), key=lambda mark: mark.condition)
        if len(own) == len(CONDITIONS):
            found[key] = values(own, scale)
    return found


@AXES
def test_incomplete_blocks_are_dropped_and_counted(axis: int, scale: str) -> None:
    marks = placed(2, gaps=0.08)
    blocks = complete_blocks(marks, scale)
    begun = {(mark.rater, mark.recording) for mark in marks}
    assert 3 < len(blocks) < len(begun)
    row = tables.tests(Placements.of(marks))[axis]
    expected = stats.friedmanchisquare(*np.array(list(blocks.values())).T)
    assert (row["chi2"], row["p"]) == close((expected.statistic, expected.pvalue))
    assert row["kendall_w"] == close(expected.statistic / (len(blocks) * (len(CONDITIONS) - 1)))
    assert (row["scale"], row["df"]) == (scale, len(CONDITIONS) - 1)
    assert (row["blocks"], row["blocks_dropped"]) == (len(blocks), len(begun) - len(blocks))


@AXES
def test_differences_are_over_raters_and_p_over_blocks(axis: int, scale: str) -> None:
    marks = placed(2, gaps=0.08)
    blocks, names = complete_blocks(marks, scale), sorted(CONDITIONS)
    rows = [row for row in tables.pairs(Placements.of(marks)) if row["scale"] == scale]
    for row in rows:
        one, other = names.index(row["condition"]), names.index(row["against"])
        apart = {key: round(block[one] - block[other], 9) for key, block in blocks.items()}
        raters = sorted({rater for rater, _ in apart})
        means = [statistics.fmean(d for (who, _), d in apart.items() if who == rater) for rater in raters]
        half = stats.t.ppf(0.975, len(means) - 1) * statistics.stdev(means) / math.sqrt(len(means))
        mean = statistics.fmean(means)
        assert (row["difference"], row["ci_low"], row["ci_high"]) == close((mean, mean - half, mean + half))
        assert (row["n_raters"], row["n_blocks"]) == (len(raters), len(blocks))
        nonzero = np.array([d for d in apart.values() if d])
        assert row["n_nonzero"] == len(nonzero)
        assert row["w_plus"] == stats.rankdata(np.abs(nonzero))[nonzero > 0].sum()
    assert len(rows) == len(names) * (len(names) - 1)
    assert [row["scale"] for row in tables.tests(Placements.of(marks))][axis] == scale


@AXES
def test_holm_is_over_the_pairs_of_one_axis(axis: int, scale: str) -> None:
    rows = [row for row in tables.pairs(complete()) if row["scale"] == scale and row["condition"] < row["against"]]
    p, m = sorted(row["p"] for row in rows), len(rows)
    assert m == 15 == tables.tests(complete())[axis]["pairs"]
    for row in rows:
        stepped = [(m - rank) * other for rank, other in enumerate(p) if other <= row["p"]]
        assert row["p_holm"] == close(min(1, max(stepped)))


def test_holm_is_also_over_the_pairs_of_both_axes() -> None:
    rows = [row for row in tables.pairs(complete()) if row["condition"] < row["against"]]
    expected = holm(np.array([row["p"] for row in rows]))
    assert [row["p_holm_all"] for row in rows] == close(expected.tolist())
    assert all(row["p_holm_all"] >= row["p_holm"] for row in rows)


def test_a_pair_is_told_both_ways_round() -> None:
    rows = {(row["scale"], row["condition"], row["against"]): row for row in tables.pairs(complete())}
    for (scale, one, other), row in rows.items():
        back = rows[scale, other, one]
        assert (row["p"], row["p_holm"], row["n_nonzero"]) == (back["p"], back["p_holm"], back["n_nonzero"])
        assert row["difference"] == close(-back["difference"])
        assert row["ci_low"] == close(-back["ci_high"])
        assert row["w_plus"] + back["w_plus"] == row["n_nonzero"] * (row["n_nonzero"] + 1) / 2


def test_it_is_said_how_small_a_p_could_be_at_all() -> None:
    """With 4 blocks no exact p lies below 2^-3, and with 15 pairs none is below 1 after Holm."""
    few = complete(raters=4, recordings=1)
    assert tables.tests(few)[0]["least_p_holm"] == 1.0
    assert {row["p_holm"] for row in tables.pairs(few)} == {1.0}
    assert tables.tests(complete(raters=4, recordings=4))[0]["least_p_holm"] == 15 * 2.0**-15


def test_without_a_complete_block_there_is_neither_test_nor_pair() -> None:
    placements = Placements.of([Placement(1, "A", "x", 0.1, 0.2), Placement(1, "B", "y", 0.3, 0.4)])
    row = tables.tests(placements)[0]
    assert (row["chi2"], row["p"], row["blocks"], row["blocks_dropped"]) == (None, None, 0, 2)
    assert tables.pairs(placements) == []
