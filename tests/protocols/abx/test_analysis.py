"""Statistics of ABX: worked numbers, the same as scipy's, for trials, items and listeners; and what is shown."""

import csv
import io
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.method import AnsweredPage, HeardSlot
from protocols.abx.analysis import Identification
from protocols.abx.report import AbxReport, shares_plot
from tests.factories import make_experiment

# Correct answers of 8 trials of each listener: an audible pair, and one that nobody hears.
AUDIBLE = (8, 7, 8, 5, 6, 8, 7, 4)
INAUDIBLE = (4, 5, 3, 4, 6, 4, 2, 4)
TRIALS = 8


def slot(condition: str, item: str) -> HeardSlot:
    role = "reference" if condition == "clean" else "test"
    return HeardSlot(item=item, condition=condition, role=role, factors={}, text=None, duration_s=2.0)


def page(listener: int, position: int, condition: str, *, correct: bool, kind: str = "test") -> AnsweredPage:
    """One trial; every combination of A and X occurs in four of them, and each item has half of them."""
    item = "pq"[position // 2 % 2]
    pair = [slot("clean", item), slot(condition, item)]
    a, b = pair if position % 2 else pair[::-1]
    x_is = "ab"[position // 4 % 2]
    answer = x_is if correct else "ab".replace(x_is, "")
    return AnsweredPage(
        listener=listener,
        group="",
        panel=1,
        session=1,
        position=position,
        kind=kind,
        slots={"a": a, "b": b, "x": a if x_is == "a" else b},
        marks={("x", "ANSWER"): 1.0 + "ab".index(answer), ("x", "CORRECT"): float(correct)},
        detail={"answer": answer, "heard_ms": {"a": 500.0, "b": 600.0, "x": 900.0}, "switches": 3},
    )


def pages_of(counts: tuple[int, ...], condition: str, first: int = 0) -> list[AnsweredPage]:
    return [
        page(listener, first + place, condition, correct=place < correct)
        for listener, correct in enumerate(counts, start=1)
        for place in range(TRIALS)
    ]


def analysed(*pages: AnsweredPage) -> Any:
    return Identification().run(pages, [])


PAGES = [*pages_of(AUDIBLE, "narrow"), *pages_of(INAUDIBLE, "wide", first=TRIALS)]
BOTH = analysed(*PAGES)


def row_of(part: str, **about: Any) -> Any:
    (row,) = [row for row in BOTH[part] if about.items() <= row.items()]
    return row


@pytest.mark.parametrize(("condition", "counts"), [("narrow", AUDIBLE), ("wide", INAUDIBLE)])
def test_pooled_trials_are_scipy_s_binomial_test_with_exact_limits(condition: str, counts: tuple[int, ...]) -> None:
    row = row_of("rows", condition=condition, against="clean")
    expected = stats.binomtest(sum(counts), 64, 0.5, alternative="greater")
    limits = stats.binomtest(sum(counts), 64).proportion_ci(0.95, method="exact")
    assert (row["n_listeners"], row["n_trials"], row["n_correct"]) == (8, 64, sum(counts))
    assert (row["share"], row["p"]) == pytest.approx((sum(counts) / 64, expected.pvalue))
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((limits.low, limits.high), abs=1e-9)


@pytest.mark.parametrize(("condition", "counts"), [("narrow", AUDIBLE), ("wide", INAUDIBLE)])
def test_listeners_as_the_unit_are_tested_by_signed_ranks(condition: str, counts: tuple[int, ...]) -> None:
    row, shares = row_of("rows", condition=condition), np.array(counts) / TRIALS
    above = shares[shares != 0.5] - 0.5
    # Over all signs, because scipy's exact test does not allow for ties.
    ranks = stats.rankdata(np.abs(above))
    signs = np.array(np.meshgrid(*[[0, 1]] * len(above))).T.reshape(-1, len(above))
    expected = np.mean(signs @ ranks >= ranks[above > 0].sum() - 1e-9)
    assert row["p_listeners"] == pytest.approx(expected)
    assert row["mean_share"] == pytest.approx(shares.mean())
    half = stats.t.ppf(0.975, 7) * shares.std(ddof=1) / np.sqrt(8)
    low, high = shares.mean() - half, shares.mean() + half
    assert (row["mean_low"], row["mean_high"]) == pytest.approx((low, high))
    assert (row["n_above"], row["n_below"]) == (int((shares > 0.5).sum()), int((shares < 0.5).sum()))


def test_p_is_adjusted_over_pairs_by_holm() -> None:
    narrow, wide = row_of("rows", condition="narrow"), row_of("rows", condition="wide")
    for p, adjusted in (("p", "p_holm"), ("p_listeners", "p_listeners_holm")):
        assert narrow[p] < wide[p]
        assert narrow[adjusted] == pytest.approx(min(2 * narrow[p], 1))
        assert wide[adjusted] == pytest.approx(max(wide[p], 2 * narrow[p]))
    assert narrow["p_holm"] < 0.001
    assert wide["p_holm"] > 0.05


def test_each_listener_and_each_item_has_figures_of_its_own() -> None:
    alone = row_of("listeners", rater=2, condition="narrow")
    assert (alone["n_correct"], alone["n_trials"]) == (7, 8)
    assert alone["p"] == pytest.approx(9 / 256)
    assert alone["p_holm"] == pytest.approx(18 / 256)
    items = [row for row in BOTH["by_item"] if row["condition"] == "narrow"]
    assert [row["n_trials"] for row in items] == [32, 32]
    assert sum(row["n_correct"] for row in items) == sum(AUDIBLE)


def test_a_trial_says_what_was_a_what_was_x_and_what_was_answered() -> None:
    for row in BOTH["trials"]:
        assert (row["x_is"] == row["answer"]) == bool(row["correct"])
        assert (row["against"], row["a_is"] in {"condition", "against"}) == ("clean", True)
    assert len(BOTH["trials"]) == 128
    assert (BOTH["trials"][0]["heard_x_ms"], BOTH["trials"][0]["switches"]) == (900.0, 3)


def test_the_order_of_pages_changes_nothing_and_practice_does_not_count() -> None:
    practice = page(9, 1, "narrow", correct=True, kind="practice")
    assert analysed(practice, *PAGES[::-1]) == BOTH


def test_a_test_that_cannot_become_significant_is_announced() -> None:
    assert BOTH["warnings"] == []
    few = analysed(*pages_of((8, 8, 8, 8), "narrow"))
    assert few["warnings"] == [{"code": "few_listeners", "listeners": 4, "needed": 5, "pairs": 1}]
    assert few["rows"][0]["p_listeners"] == pytest.approx(2**-4), "the least there is"
    short = [each for each in pages_of((4,) * 8, "narrow") if each.position < 4]
    assert analysed(*short)["warnings"] == [{"code": "few_trials", "trials": 4, "needed": 5, "pairs": 1}]


def test_without_answers_every_table_is_there_and_empty() -> None:
    assert analysed() == {"rows": [], "by_item": [], "listeners": [], "trials": [], "warnings": []}


# --- The report -------------------------------------------------------------------------------------------------------

RESULT = {"table": BOTH, "simulated": False, "method": "abx", "version": "1.0"}


@pytest.mark.django_db
def test_the_report_has_both_tests_and_a_text_for_the_methods_section() -> None:
    report = AbxReport().context(make_experiment(protocol="abx"), RESULT, {})
    pooled, listeners = report["pooled"], report["over_listeners"]
    assert [cell.text for cell in pooled.lines[0].cells][:4] == ["narrow – clean", "64", "53", "83 %"]
    assert [cell.text for cell in pooled.lines[0].cells][5:7] == ["< 0.001", "< 0.001"]
    assert [cell.text for cell in listeners.lines[1].cells][:3] == ["wide – clean", "8", "50 %"]
    assert [table.id for table in report["more"]] == ["by-item", "listeners"]
    assert "8 listeners answered 128 ABX trials on 2 pairs" in report["methods_text"]
    assert report["warnings"] == []


def test_the_figure_shows_every_pair_and_where_chance_lies() -> None:
    figure = shares_plot(BOTH["rows"])
    assert "narrow – clean" in figure
    assert "53 / 64" in figure
    assert "chance" in figure


@pytest.mark.django_db
def test_files_have_a_row_for_everything() -> None:
    experiment, report = make_experiment(protocol="abx"), AbxReport()
    rows = {
        name: list(csv.DictReader(io.StringIO("".join(map(str, file.make(experiment, RESULT, {}))))))
        for name, file in report.files.items()
        if name.endswith(".csv")
    }
    assert {name: len(lines) for name, lines in rows.items()} == {
        "abx_pairs.csv": 2,
        "abx_items.csv": 4,
        "abx_listeners.csv": 16,
        "abx_trials.csv": 128,
    }
    assert rows["abx_pairs.csv"][0]["n_correct"] == "53"
