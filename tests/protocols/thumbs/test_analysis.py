"""Captions by source: means, tests and agreement against the same computed another way."""

import math
import statistics
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.statistics.contrasts import all_pairs
from analysis.statistics.mixed_model import fit_mixed_model
from analysis.statistics.proportions import wilson
from protocols.thumbs.analysis import CaptionStatistics
from tests.protocols.thumbs.caption_marks import ENTERED, SOURCES, Caption, captions, overall, row, table

ALL = {"dataset": None, "group": None}


def run(marks: pd.DataFrame) -> dict[str, Any]:
    tables: dict[str, Any] = CaptionStatistics().run(marks)
    return tables


@cache
def result(*, people: int = 4, clips: int = 6, seed: int = 1) -> dict[str, Any]:
    """What is found in captions() of the same size, for tests that only look at it."""
    return run(table(captions(people=people, clips=clips, seed=seed)))


def pick(rows: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    (found,) = [each for each in rows if all(each[name] == value for name, value in wanted.items())]
    return found


def clip_means(scored: list[Caption], source: str, scale: str, **about: str) -> list[float]:
    """The mean over assessors of each clip, clips by name."""
    chosen = [
        each
        for each in scored
        if each.condition == source and all(getattr(each, name) == value for name, value in about.items())
    ]
    values = {item: [_value(each, scale) for each in chosen if each.item == item] for item in {e.item for e in chosen}}
    return [statistics.fmean(values[item]) for item in sorted(values)]


def _value(caption: Caption, scale: str) -> float:
    return overall(caption.scores) if scale == "OVERALL" else caption.scores[scale]


@pytest.mark.parametrize("scale", [*ENTERED, "OVERALL"])
@pytest.mark.parametrize("source", SOURCES)
def test_means_are_over_assessors_first_and_then_over_clips(source: str, scale: str) -> None:
    scored = captions()
    found = pick(result()["rows"], condition=source, scale=scale, dataset="D1", group="expert")
    means = clip_means(scored, source, scale, dataset="D1", group="expert")
    low, high = stats.t.interval(0.95, len(means) - 1, np.mean(means), stats.sem(means))
    assert found["mean"] == pytest.approx(statistics.fmean(means))
    assert found["sd"] == pytest.approx(statistics.stdev(means))
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((low, high))
    assert (found["n_clips"], found["n_assessors"], found["n_votes"], found["unit"]) == (3, 2, 6, "clip")


def test_the_interval_over_assessors_stands_apart_and_says_so() -> None:
    scored = captions()
    found = pick(result()["over_assessors"], condition="system", scale="RECALL", **ALL)
    people = [
        statistics.fmean(c.scores["RECALL"] for c in scored if (c.listener, c.condition) == (who, "system"))
        for who in (1, 2, 3, 4)
    ]
    assert (found["unit"], found["sd"]) == ("assessor", pytest.approx(statistics.stdev(people)))


def test_two_sources_are_compared_clip_by_clip_with_scipy_s_numbers() -> None:
    scored = captions(clips=8)
    rows = result(clips=8)["contrasts"]
    for scale in (*ENTERED, "OVERALL"):
        found = pick(rows, condition="describer", against="system", scale=scale, **ALL)
        one, other = (np.array(clip_means(scored, source, scale)) for source in SOURCES)
        paired, unpaired = stats.ttest_rel(one, other), stats.ttest_ind(one, other, equal_var=False)
        assert (found["t"], found["p"]) == pytest.approx((paired.statistic, paired.pvalue))
        assert (found["t_welch"], found["p_welch"]) == pytest.approx((unpaired.statistic, unpaired.pvalue))
        differences = one - other
        assert found["difference"] == pytest.approx(differences.mean())
        assert found["d_z"] == pytest.approx(differences.mean() / differences.std(ddof=1))
        assert found["d_z_low"] < found["d_z"] < found["d_z_high"]
        assert found["n_clips"] == 8


def test_holm_is_over_the_six_scores_of_a_pair() -> None:
    rows = [
        each
        for each in result(clips=8)["contrasts"]
        if (each["condition"], each["against"], each["dataset"], each["group"]) == ("describer", "system", None, None)
    ]
    ordered = sorted(rows, key=lambda each: float(each["p"]))
    assert ordered[0]["p_holm"] == pytest.approx(min(1, 6 * ordered[0]["p"]))
    assert ordered[-1]["p_holm"] >= ordered[-2]["p_holm"]
    assert len(rows) == 6


def test_the_same_pair_the_other_way_round_differs_in_sign_alone() -> None:
    rows = result()["contrasts"]
    one = pick(rows, condition="describer", against="system", scale="PRECISION", **ALL)
    back = pick(rows, condition="system", against="describer", scale="PRECISION", **ALL)
    assert back["difference"] == pytest.approx(-one["difference"])
    for name in ("p", "p_wilcoxon", "p_holm", "p_welch"):
        assert back[name] == pytest.approx(one[name])


@pytest.mark.parametrize("scale", ["RECALL", "OVERALL"])
def test_sources_are_compared_with_assessors_and_clips_random(scale: str) -> None:
    scored = captions(people=5, clips=7, seed=3)
    marks = pd.DataFrame(
        [(each.listener, each.item, each.condition, _value(each, scale)) for each in scored],
        columns=["listener", "item", "condition", "score"],
    )
    (pair,) = all_pairs(fit_mixed_model(marks))
    tables = result(people=5, clips=7, seed=3)
    found = pick(tables["model_contrasts"], scale=scale, condition=pair.a, against=pair.b)
    assert (found["difference"], found["se"], found["df"]) == pytest.approx((pair.estimate, pair.se, pair.df), rel=1e-6)
    assert (found["p"], found["ci_low"]) == pytest.approx((pair.p, pair.low), rel=1e-6)
    mean = pick(tables["model_level"], scale=scale, condition=pair.a)
    assert (mean["n_listeners"], mean["n_items"], mean["n_votes"]) == (5, 7, 35)


def test_worked_by_hand_negative_totals_included() -> None:
    hard = {"PRECISION": 1.0, "RECALL": 1.0, "FLUENCY": -2.0, "CONCISENESS": -2.0, "IRRELEVANCE": -2.0}
    fair = {"PRECISION": 4.0, "RECALL": 3.5, "FLUENCY": -0.1, "CONCISENESS": 0.0, "IRRELEVANCE": -0.5}
    given = {"describer": fair, "system": hard}
    scored = [Caption(who, "expert", "clip0", "D1", source, given[source]) for who in (1, 2) for source in SOURCES]
    rows = run(table(scored))["rows"]
    assert pick(rows, condition="system", scale="OVERALL", **ALL)["mean"] == pytest.approx(-5.0)
    assert pick(rows, condition="describer", scale="OVERALL", **ALL)["mean"] == pytest.approx(3.15)
    assert pick(rows, condition="describer", scale="OVERALL", **ALL)["ci_low"] is None


def test_a_single_dataset_or_group_is_not_told_apart() -> None:
    scored = [each for each in captions() if (each.dataset, each.group) == ("D1", "expert")]
    assert {(each["dataset"], each["group"]) for each in run(table(scored))["rows"]} == {(None, None)}


def test_a_score_that_is_missing_lowers_its_number_and_nothing_else() -> None:
    marks = table(captions())
    gone = (marks["listener"] == 1) & (marks["item"] == "clip0") & marks["scale"].isin(["FLUENCY", "OVERALL"])
    rows = run(marks[~gone])["rows"]
    assert pick(rows, condition="system", scale="FLUENCY", **ALL)["n_votes"] == 23
    assert pick(rows, condition="system", scale="PRECISION", **ALL)["n_votes"] == 24


def test_bias_is_the_deviation_from_the_others_on_the_same_captions() -> None:
    scored = captions(people=3)
    lenient = [
        each._replace(scores={**each.scores, "PRECISION": 5.0}) if each.listener == 1 else each for each in scored
    ]
    found = pick(run(table(lenient))["assessors"], rater=1, scale="PRECISION")
    others = statistics.fmean(each.scores["PRECISION"] for each in scored if each.listener > 1)
    assert found["offset"] == pytest.approx(5 - others)
    assert (found["sd"], found["range"], found["n"]) == (0, 0, 12)


def test_assessors_who_say_the_same_agree_and_strangers_do_not() -> None:
    one = [each for each in captions() if each.listener == 1]
    echo = one + [each._replace(listener=2) for each in one]
    same = pick(run(table(echo))["agreement"], scale="RECALL", group=None)
    assert (same["icc_single"], same["icc_mean"], same["alpha"]) == pytest.approx((1, 1, 1))
    other = pick(result()["agreement"], scale="RECALL", group=None)
    assert other["alpha"] < 0.5
    assert (other["n_assessors"], other["icc_captions"]) == (4, 12)
    assert other["icc_mean"] == pytest.approx(4 * other["icc_single"] / (1 + 3 * other["icc_single"]))


def test_a_score_that_nobody_gave_has_no_captions_to_agree_on() -> None:
    marks = table(captions(clips=14))
    found = pick(run(marks[marks["scale"] != "OVERALL"])["agreement"], scale="OVERALL", group=None)
    assert (found["n_assessors"], found["captions"], found["icc_captions"]) == (0, 0, 0)


def test_synthesised_is_held_against_the_collection_by_dataset_and_group() -> None:
    scored = captions()
    said = {(who, f"clip{clip}"): who <= 2 for who in (1, 2, 3, 4) for clip in range(6)}  # experts: always yes
    rows = run(table(scored, said))["synthesised"]
    experts = pick(rows, dataset="D2", group="expert")
    assert (experts["right"], experts["n"], experts["taken_for_synthesised"]) == (6, 6, 6)
    everybody = pick(rows, **ALL)
    share = wilson(12, 24)
    assert (everybody["accuracy"], everybody["ci_low"], everybody["ci_high"]) == pytest.approx(tuple(share))
    assert (everybody["n_synthesised"], everybody["recorded_taken_for_synthesised"]) == (12, 6)


def test_nothing_is_said_of_clips_whose_origin_nobody_knows() -> None:
    marks = table(captions(), {(1, "clip0"): True})
    marks["factors"] = '{"dataset": "D1"}'
    assert run(marks)["synthesised"] == []


def test_practice_and_the_order_of_rows_play_no_part() -> None:
    marks = table(captions())
    practice = row(1, "expert", "example", "D1", "system", "PRECISION", 1.0) | {"kind": "practice"}
    mixed = pd.concat([marks.sample(frac=1, random_state=3), pd.DataFrame([practice])])
    assert run(mixed) == result()


def test_without_marks_every_table_is_there_and_empty() -> None:
    assert [name for name, rows in run(table([])).items() if rows == []] == [
        *("rows", "over_assessors", "clips", "contrasts", "model_level", "model_contrasts", "components"),
        *("assessors", "agreement", "synthesised", "warnings"),
    ]


def test_what_cannot_be_known_is_null() -> None:
    single = captions(people=1, clips=1)
    found = pick(run(table(single))["contrasts"], condition="describer", against="system", scale="RECALL", **ALL)
    assert (found["p"], found["d_z"], found["p_holm"]) == (None, None, None)
    assert math.isfinite(found["difference"])
