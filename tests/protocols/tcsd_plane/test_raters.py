"""Use of the axes by raters, against loops over single marks."""

import math
import statistics

from scipy import stats

from protocols.tcsd_plane.analysis.placements import Placement, Placements
from protocols.tcsd_plane.analysis.tables import scale_use, standardised_means
from tests.protocols.tcsd_plane.placed import close, placed, values


def test_scale_use_against_the_others_on_the_same_targets() -> None:
    marks = placed(2, gaps=0.1)
    for row in scale_use(Placements.of(marks)):
        own = {
            (m.recording, m.condition): v
            for m, v in zip(marks, values(marks, row["scale"]), strict=True)
            if m.rater == row["rater"]
        }
        others: dict[tuple[str, str], list[float]] = {}
        for mark, value in zip(marks, values(marks, row["scale"]), strict=True):
            if mark.rater != row["rater"]:
                others.setdefault((mark.recording, mark.condition), []).append(value)
        shared = [(own[key], statistics.fmean(others[key])) for key in own if key in others]
        sds = [
            statistics.stdev(values([m for m in marks if m.rater == rater], row["scale"]))
            for rater in {m.rater for m in marks} - {row["rater"]}
        ]
        expected = {
            "n": len(own),
            "mean": statistics.fmean(own.values()),
            "n_shared": len(shared),
            "offset": statistics.fmean(mine - theirs for mine, theirs in shared),
            "sd": statistics.stdev(own.values()),
            "sd_ratio": statistics.stdev(own.values()) / statistics.fmean(sds),
            "low": min(own.values()),
            "high": max(own.values()),
            "range": max(own.values()) - min(own.values()),
            "r_with_others": statistics.correlation(*zip(*shared, strict=True)),
        }
        assert {name: row[name] for name in expected} == close(expected)


def test_a_rater_alone_has_no_others_to_be_held_against() -> None:
    row = scale_use(Placements.of(placed(raters=1)))[0]
    assert [row[name] for name in ("n_shared", "offset", "sd_ratio", "r_with_others")] == [0, None, None, None]


def test_standardised_means_are_in_each_rater_s_own_units() -> None:
    marks = placed(2, gaps=0.1)
    for row in standardised_means(Placements.of(marks)):
        means = []
        for rater in sorted({mark.rater for mark in marks}):
            own = [mark for mark in marks if mark.rater == rater]
            every = values(own, row["scale"])
            here = values([mark for mark in own if mark.condition == row["condition"]], row["scale"])
            if here:
                means.append((statistics.fmean(here) - statistics.fmean(every)) / statistics.stdev(every))
        half = stats.t.ppf(0.975, len(means) - 1) * statistics.stdev(means) / math.sqrt(len(means))
        mean = statistics.fmean(means)
        expected = {"mean": mean, "sd": statistics.stdev(means), "ci_low": mean - half, "ci_high": mean + half}
        assert {name: row[name] for name in expected} == close(expected)
        assert row["n_raters"] == len(means)


def test_standardising_takes_out_offset_and_scale_use() -> None:
    marks = placed(raters=3, decimals=8)
    squeezed = [mark._replace(rater=mark.rater + 3, tc=0.3 + mark.tc / 4, sd=0.1 + mark.sd / 2) for mark in marks]
    alone, together = (standardised_means(Placements.of(each)) for each in (marks, marks + squeezed))
    assert [row["mean"] for row in together] == close([row["mean"] for row in alone])


def test_a_rater_who_put_everything_on_one_line_has_no_part_in_that_axis() -> None:
    flat = [Placement(9, recording, condition, 0.4, sd) for _, recording, condition, _, sd in placed(raters=1)]
    rows = standardised_means(Placements.of([*placed(), *flat]))
    assert {(row["scale"], row["n_raters"]) for row in rows} == {("TC", 6), ("SD", 7)}
