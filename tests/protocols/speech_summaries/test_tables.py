"""The tables of a study: worked figures, agreement, curves within a budget, and conditions that can be hidden."""

import json
from typing import Any

import pytest

from protocols.speech_summaries.analysis import SpeechSummaryEvaluation, tables
from protocols.speech_summaries.analysis.study import gather
from protocols.speech_summaries.analysis.utterances import Utterance
from tests.protocols.speech_summaries.cherry import MANUAL, PAPER, TOKENS
from tests.protocols.speech_summaries.pages import JUDGED, MADE, MATERIAL, made, version


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    found: dict[str, Any] = SpeechSummaryEvaluation().run([*MADE, *JUDGED], MATERIAL)
    return found


def rows(result: dict[str, Any], **wanted: Any) -> list[dict[str, Any]]:
    return [row for row in result["rows"] if wanted.items() <= row.items()]


def test_metrics_are_means_over_utterances(result: dict[str, Any]) -> None:
    (row,) = rows(result, condition="close", metric="sum_accy")
    # Closest to 1 2 3 10 are 1 2 8 10 and 1 2 3 6, one substitution away, on each of three equal utterances.
    assert (row["mean"], row["sd"], row["n_items"]) == (75.0, 0.0, 3)
    (row,) = rows(result, condition="close", metric="p_2")
    assert row["mean"] == pytest.approx(2 / 3)
    assert rows(result, condition="far", metric="p_5") == []  # four words have none


def test_judges_are_averaged_one_by_one_with_an_interval_over_judges(result: dict[str, Any]) -> None:
    (row,) = rows(result, condition="close", metric="judged")
    assert row["mean"] == pytest.approx((4.5 + 4) / 2)
    assert (row["n_listeners"], row["n_votes"], row["n_items"]) == (2, 3, 2)
    assert row["ci_high"] - row["mean"] == pytest.approx(12.7062 * 0.35355 / 2**0.5, rel=1e-4)


def test_versions_are_compared_with_judges_and_utterances_random(result: dict[str, Any]) -> None:
    means = {row["condition"]: row for row in result["model_level"]}
    assert means.keys() == {row["condition"] for row in rows(result, metric="judged")}
    (forth,) = [row for row in result["model_contrasts"] if (row["condition"], row["against"]) == ("close", "far")]
    assert forth["difference"] == pytest.approx(means["close"]["mean"] - means["far"]["mean"])
    assert {row["component"] for row in result["components"]} >= {"listener", "item", "residual"}


def test_a_condition_is_named_only_where_it_can_be_hidden(result: dict[str, Any]) -> None:
    bare = json.dumps(
        {
            name: [{k: v for k, v in row.items() if k not in {"condition", "against"}} for row in table]
            if isinstance(table, list)
            else table
            for name, table in result.items()
        }
    )
    assert '"close"' not in bare
    assert '"far"' not in bare


def test_makers_agreement_is_fleiss_kappa() -> None:
    # Two makers of four words: they agree on three; shares kept 5/8, chance 17/32, agreed 3/4.
    pair = Utterance(("a", "b", "c", "d"), {"x": (1, 2, 3), "y": (1, 2)}, {})
    assert tables.kappa(pair) == pytest.approx((3 / 4 - 17 / 32) / (1 - 17 / 32))
    assert tables.kappa(Utterance(("a", "b"), {"x": (1,), "y": (1,)}, {})) == 1
    assert tables.kappa(Utterance(("a", "b"), {"x": (1,)}, {})) is None
    assert tables.kappa(Utterance(("a",), {"x": (1,), "y": (1,)}, {})) is None  # nothing was left out by anybody


def test_the_papers_sentence_gets_its_worked_numbers() -> None:
    from analysis.method import AnsweredPage, HeardSlot

    spoken = HeardSlot("u", "spoken", "reference", {}, {"kind": "tokens", "tokens": list(TOKENS)}, 0)
    paper = {"kind": "summary", "tokens": [TOKENS[place - 1] for place in PAPER], "positions": list(PAPER)}
    pages = [
        AnsweredPage(number, "maker", 1, 1, 1, "test", {"transcript": spoken}, {}, {"picked": list(picked)})
        for number, picked in enumerate(MANUAL.values(), start=1)
    ]
    found = SpeechSummaryEvaluation().run(pages, [spoken, HeardSlot("u", "paper", "test", {}, paper, 0)])
    (version_,) = found["versions"]
    assert version_["target"] == [3, 4, 5, 6]
    assert found["items"][0]["w_sum_accy"] == pytest.approx(37.798, abs=1e-3)
    arcs = {(start, end): count for start, end, count in found["utterances"][0]["network"]["arcs"]}
    assert (arcs[2, 3], arcs[3, 4], arcs["<s>", 2], arcs[9, "</s>"]) == (3, 4, 3, 3)


def test_with_nothing_answered_there_is_nothing_and_with_one_maker_something() -> None:
    run = SpeechSummaryEvaluation().run
    assert run([], MATERIAL)["rows"] == []
    assert run([], [])["counts"]["makers"] == 0
    assert run([made(1, "u1", (1, 2))], MATERIAL[:1])["rows"]  # also without any version
    assert run(JUDGED, MATERIAL)["rows"]
    assert [row["code"] for row in run([made(1, "u1", (1, 2))], MATERIAL)["warnings"]] == ["few_makers", "incomplete"]


def test_a_makers_own_version_is_told_and_measured_by_the_others() -> None:
    own = [version(item, "human", (1, 2, 3, 6)) for item in ("u1", "u2", "u3")]
    found = SpeechSummaryEvaluation().run(MADE, [*MATERIAL, *own])
    assert found["authors"] == [{"condition": "human", "maker": 3}]
    references = {(row["item"], row["condition"]): row["references"] for row in found["versions"]}
    assert (references["u1", "human"], references["u1", "close"]) == (3, 4)


def test_curves_are_drawn_as_far_as_they_can_be_paid_for(
    result: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert result["drawn"] == {"draws": 20, "seed": "0", "makers": 4}
    curve = [row for row in result["curves"] if (row["condition"], row["metric"]) == ("close", "sum_accy")]
    assert [row["makers"] for row in curve] == [1, 2, 3, 4]
    assert curve[-1]["low"] == curve[-1]["high"] == 75.0
    again = SpeechSummaryEvaluation().run([*MADE, *JUDGED], MATERIAL)
    assert again == result
    monkeypatch.setattr(tables, "MOST_MEASUREMENTS", 0.5)
    poor = tables.analyse(gather(MADE, MATERIAL))
    assert (poor["curves"], poor["drawn"]["draws"]) == ([], 0)
    assert {"code": "no_curves"} in poor["warnings"]


def test_of_many_makers_some_numbers_are_enough_and_the_last_is_among_them() -> None:
    assert tables._some_counts(25) == [1, 2, 3, 5, 8, 12, 17, 25]
    assert tables._some_counts(14) == [1, 2, 3, 5, 8, 12, 14]
