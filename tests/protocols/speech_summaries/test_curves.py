"""Metrics and correlations against the number of makers, over seeded orders of people."""

from typing import Any

import pytest

from protocols.speech_summaries.analysis.evaluation import Scores, correlate, draw_curves, run
from protocols.speech_summaries.analysis.utterances import DEFAULT, Utterance
from tests.protocols.speech_summaries.cherry import MANUAL, PAPER, TOKENS

SUBJECT = Utterance(
    TOKENS,
    MANUAL,
    {"paper": PAPER, "plum": (2, 3, "?plum", 5, 6), "A": MANUAL["A"], "last": (9,)},
    judged={"paper": 3.5, "plum": 4.0, "A": 4.5, "last": 1.0},
)


def rows(curves: dict[str, Any], table: str, **wanted: object) -> list[dict[str, Any]]:
    return [row for row in curves[table] if all(row[key] == value for key, value in wanted.items())]


def curves(draws: int = 6, seed: int = 0) -> dict[str, Any]:
    return draw_curves([SUBJECT], DEFAULT, draws=draws, seed=seed)


def test_a_curve_ends_where_everybody_is_counted_with_a_band_of_no_width() -> None:
    whole = run([SUBJECT])["means"]
    for system in SUBJECT.candidates:
        curve = rows(curves(), "metrics", system=system, metric="w_sum_accy")
        assert [row["makers"] for row in curve] == [1, 2, 3, 4, 5]
        last = curve[-1]
        assert last["low"] == last["high"] == whole[system]["w_sum_accy"] == pytest.approx(last["mean"])


def test_an_author_is_in_no_group_so_that_curve_is_level_from_four_people_on() -> None:
    curve = rows(curves(), "metrics", system="A", metric="sum_accy")
    assert [row["mean"] for row in curve[3:]] == pytest.approx([80, 80])
    assert [row["low"] for row in curve[3:]] == pytest.approx([80, 80])


def test_one_person_is_a_network_of_one_summary() -> None:
    """With one reference, SumACCY and WSumACCY are the word accuracy."""
    (only,) = rows(curves(), "metrics", system="paper", metric="w_sum_accy", makers=1)
    assert only == rows(curves(), "metrics", system="paper", metric="wacc_best", makers=1)[0] | {"metric": "w_sum_accy"}
    assert {0, 20, 40, 60} >= {only["low"], only["high"]}
    assert only["low"] <= only["mean"] <= only["high"]
    assert only["draws"] == 6


def test_the_seed_decides() -> None:
    assert curves(seed=1) == curves(seed=1)
    assert curves(seed=1)["metrics"] != curves(seed=2)["metrics"]


def test_more_people_never_lower_p_n() -> None:
    for metric in ("p_1", "p_2"):
        means = [row["mean"] for row in rows(curves(), "metrics", system="paper", metric=metric)]
        assert means == sorted(means)
        assert means[0] < means[-1]


def test_correlations_are_drawn_for_systems_and_for_single_summaries() -> None:
    drawn = curves()
    whole = {(row["unit"], row["metric"]): row["r"] for row in run([SUBJECT])["correlations"]}
    for unit in ("system", "summary"):
        (last,) = rows(drawn, "correlations", unit=unit, metric="sum_accy", makers=5)
        assert last["mean"] == pytest.approx(whole[unit, "sum_accy"])


def test_a_correlation_over_systems_is_that_of_their_means() -> None:
    scores = {(1, "x"): 10.0, (2, "x"): 30.0, (1, "y"): 50.0, (1, "z"): 60.0, (2, "z"): 100.0}
    judged = {(1, "x"): 1.0, (2, "x"): 1.0, (1, "y"): 2.5, (1, "z"): 3.0, (2, "z"): 5.0, (7, "other"): 1.0}
    cells: dict[tuple[int, str], Scores] = {cell: {"metric": score} for cell, score in scores.items()}
    assert correlate(cells, judged, "system")["metric"] == pytest.approx(1)
    assert correlate(cells, judged, "summary")["metric"] == pytest.approx(220 / (4600 * 11) ** 0.5)


def test_two_systems_and_constants_have_no_correlation() -> None:
    judged = {(1, "x"): 1.0, (1, "y"): 2.0, (1, "z"): 3.0}
    assert correlate({(1, "x"): {"m": 1.0}, (1, "y"): {"m": 2.0}}, judged, "system") == {"m": None}
    assert correlate({cell: {"m": 0.1 + 0.2} for cell in judged}, judged, "system") == {"m": None}
    assert correlate({(1, "x"): {"m": None}, (1, "y"): {"m": 2.0}, (1, "z"): {"m": 1.0}}, judged, "system") == {
        "m": None
    }


def test_without_judges_there_are_no_correlations() -> None:
    unjudged = Utterance(TOKENS, MANUAL, {"paper": PAPER})
    assert draw_curves([unjudged], DEFAULT, draws=1, seed=0)["correlations"] == []
    assert run([unjudged])["correlations"] == []
