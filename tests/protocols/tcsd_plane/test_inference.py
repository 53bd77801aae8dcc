"""Inference on the plane: the model of each axis, both axes at once, families at equal z, bootstrap over raters."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from analysis.statistics.contrasts import all_pairs
from analysis.statistics.mixed_model import fit_mixed_model
from analysis.statistics.model_rows import votes_of
from analysis.statistics.multivariate import paired_hotelling
from analysis.statistics.ranks import holm
from protocols.tcsd_plane.analysis import inference, tables
from protocols.tcsd_plane.analysis.placements import Placements
from tests.protocols.tcsd_plane.placed import close, complete, placed, with_gaps


@pytest.mark.parametrize(("axis", "scale"), list(enumerate(("TC", "SD"))))
def test_each_axis_has_the_mixed_model_with_raters_and_recordings_random(axis: int, scale: str) -> None:
    placements = with_gaps()
    model = fit_mixed_model(
        votes_of(placements.marks[axis], placements.raters, placements.recordings, placements.conditions)
    )
    found = inference.models(placements)
    means = {row["condition"]: row for row in found["model_level"] if row["scale"] == scale}
    for mean in model.means():
        row = means[mean.condition]
        assert (row["mean"], row["ci_low"], row["ci_high"]) == close((mean.estimate, mean.low, mean.high))
    rows = {(row["condition"], row["against"]): row for row in found["model_contrasts"] if row["scale"] == scale}
    for pair in all_pairs(model):
        forth, back = rows[pair.a, pair.b], rows[pair.b, pair.a]
        assert (forth["difference"], forth["p"], forth["p_holm"]) == close((pair.estimate, pair.p, pair.p_holm))
        assert (back["ci_low"], back["ci_high"]) == close((-pair.high, -pair.low))
    components = {row["component"]: row["variance"] for row in found["components"] if row["scale"] == scale}
    assert components == pytest.approx(model.components)


def test_holm_is_also_over_both_axes() -> None:
    rows = inference.models(complete())["model_contrasts"][::2]
    expected = holm(np.array([row["p"] for row in rows]))
    assert [row["p_holm_all"] for row in rows] == close(expected.tolist())
    assert all(row["p_holm_all"] >= row["p_holm"] for row in rows)


def test_pairs_on_the_plane_are_hotellings_of_rater_means() -> None:
    placements = complete()
    means = placements.rater_means()
    rows = inference.pairs_on_plane(placements)
    row = rows[0]
    one, other = (placements.conditions.index(row[key]) for key in ("condition", "against"))
    test = paired_hotelling((means[:, :, one] - means[:, :, other]).T)
    assert (row["t2"], row["p"], row["n_raters"]) == (close(test.t2), close(test.p), 6)
    assert rows[1] == row | {
        "condition": row["against"],
        "against": row["condition"],
        "tc": -row["tc"],
        "sd": -row["sd"],
    }
    (plane,) = inference.both_axes(placements)
    assert plane["p"] == 1 / 10_000
    assert plane == inference.both_axes(placements)[0]


def test_effects_within_a_recording_are_paired_over_raters_with_holm_over_both_axes() -> None:
    placements = with_gaps()
    rows = inference.recording_effects(placements)
    for place, recording in enumerate(placements.recordings):
        own = [row for row in rows if row["recording"] == recording]
        row = own[0]
        one, other = (placements.conditions.index(row[key]) for key in ("condition", "against"))
        apart = placements.marks[0, :, place, one] - placements.marks[0, :, place, other]
        apart = apart[np.isfinite(apart)]
        expected = ttest_1samp(apart, 0.0)
        assert (row["scale"], row["n_raters"]) == ("TC", len(apart))
        assert (row["difference"], row["p"]) == close((apart.mean(), expected.pvalue))
        assert (row["ci_low"], row["ci_high"]) == close(tuple(expected.confidence_interval()))
        assert own[1]["difference"] == -row["difference"]
        p = [each["p"] for each in own[::2]]
        assert {each["scale"] for each in own} == {"TC", "SD"}
        assert [each["p_holm"] for each in own[::2]] == close(holm(np.array(p)).tolist())


def test_families_are_compared_at_the_z_that_both_have() -> None:
    placements = complete()
    rows = [
        row for row in inference.families_at_equal_z(placements) if (row["family"], row["scale"]) == ("greedy", "TC")
    ]
    assert [row["z"] for row in rows] == [0.0, 1.0, None]
    contrasts = {
        (row["condition"], row["against"]): row
        for row in inference.models(placements)["model_contrasts"]
        if row["scale"] == "TC"
    }
    first, second, mean = rows
    assert first["difference"] == close(contrasts["greedy 0", "hand 0"]["difference"])
    assert first["p"] == close(contrasts["greedy 0", "hand 0"]["p"])
    assert mean["difference"] == close((first["difference"] + second["difference"]) / 2)
    assert mean["se"] < first["se"]
    assert first["p_holm"] >= first["p"]


def test_limits_of_slope_and_area_come_from_draws_of_raters() -> None:
    placements = complete()
    (slope, *_), (row, *_) = tables.slopes(placements), tables.summaries(placements)
    assert slope["bootstrap_low"] < slope["slope"] < slope["bootstrap_high"]
    assert slope["bootstrap_high"] - slope["bootstrap_low"] < slope["ci_high"] - slope["ci_low"]
    assert row["area_low"] < row["area"] < row["area_high"]
    assert tables.summaries(placements)[0] == row
    alone = tables.summaries(complete(raters=1))[0]
    assert (alone["area_low"], alone["area_high"]) == (None, None)


def test_few_marks_give_empty_tables_and_a_reason() -> None:
    empty = tables.analyse(Placements.of([]))
    assert (empty["model_level"], empty["both_axes"], empty["equal_z"], empty["warnings"]) == ([], [], [], [])
    one = tables.analyse(Placements.of(placed(raters=1, recordings=1)))
    assert [row["code"] for row in one["warnings"]] == ["no_model", "no_model"]
    assert one["both_axes"][0]["p"] is None
