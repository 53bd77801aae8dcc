"""Evaluation for a page and a program: scores, target, edits, near-ties, notes and means."""

import json

import pytest

from protocols.speech_summaries.analysis.evaluation import run
from protocols.speech_summaries.analysis.utterances import Utterance
from tests.protocols.speech_summaries.cherry import MANUAL, PAPER, TOKENS, positions, utterance


def test_the_result_is_json_and_holds_all_that_a_network_is_drawn_from() -> None:
    result = run([utterance(paper=PAPER)], draws=2)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    drawn = result["utterances"][0]
    assert drawn["tokens"] == list(TOKENS)
    assert len(drawn["network"]["arcs"]) == 15
    found = drawn["candidates"]["paper"]
    assert (found["target"], found["errors"], found["references"]) == ([3, 4, 5, 6], 1, 5)
    assert found["edits"][-1] == {"op": "insertion", "candidate": 7, "target": None}
    assert [edit["op"] for edit in found["edits"][:-1]] == ["match"] * 4
    assert found["network"] is None  # it is that of the utterance


def test_near_ties_say_what_else_might_have_been_the_target() -> None:
    """`cherry blossoms in(5) spring` is one error off two paths; the more popular one is the target."""
    found = run([utterance(system=positions("3 4 5 9"))])["utterances"][0]["candidates"]["system"]
    first = found["near_ties"][0]
    assert (first["target"], first["errors"], first["sum_accy"]) == ([3, 4, 8, 9], 1, 75)
    assert first["w_sum_accy"] < found["w_sum_accy"]
    assert len(found["near_ties"]) <= 5
    assert all(near["errors"] <= found["errors"] + 1 for near in found["near_ties"])


def test_an_empty_candidate_has_no_accuracy_and_says_so() -> None:
    found = run([utterance(nothing=())])["utterances"][0]["candidates"]["nothing"]
    assert (found["sum_accy"], found["w_sum_accy"], found["bleu"]) == (0, 0, 0)
    assert set(found["p_n"].values()) == {None}
    assert found["notes"] == ["empty"]


def test_notes_name_what_is_odd_about_a_candidate() -> None:
    odd = utterance(junk=positions("3 ?a ?b ?c ?d ?e ?f"), shuffled=(4, 3), twice=(3, 3), fine=(3, "?", 4))
    candidates = run([odd])["utterances"][0]["candidates"]
    assert [candidates[system]["notes"] for system in odd.candidates] == [
        ["negative"],
        ["out_of_order"],
        ["out_of_order"],
        [],
    ]


def test_means_are_plain_and_over_the_utterances_that_a_system_has() -> None:
    first, second = utterance(x=MANUAL["A"] + (9,), y=PAPER), utterance(x=(3, 4, 5, 9))
    result = run([first, second])
    both = [entry["candidates"]["x"] for entry in result["utterances"]]
    mean = result["means"]["x"]
    assert mean["utterances"] == 2
    assert result["means"]["y"]["utterances"] == 1
    for metric in ("sum_accy", "w_sum_accy", "bleu", "wacc_mean", "wacc_best"):
        assert mean[metric] == pytest.approx((both[0][metric] + both[1][metric]) / 2)
    assert mean["wacc"]["D"] == pytest.approx((both[0]["wacc"]["D"] + both[1]["wacc"]["D"]) / 2)


def test_what_a_candidate_is_too_short_for_is_left_out_of_its_mean() -> None:
    mean = run([utterance(x=(3, 4)), utterance(x=(3, 4, 5))])["means"]["x"]
    assert mean["p_n"]["3"] == 1
    assert mean["p_n"]["4"] is None


def test_the_author_can_be_named_and_a_name_that_means_nothing_can_be_said_to() -> None:
    candidates = {"SUB": MANUAL["B"], "A": MANUAL["A"]}
    subject = Utterance(TOKENS, MANUAL, candidates, authors={"SUB": "B", "A": None})
    found = run([subject])["utterances"][0]["candidates"]
    assert (found["SUB"]["left_out"], found["SUB"]["references"]) == ("B", 4)
    assert found["SUB"]["w_sum_accy"] == pytest.approx(39.127, abs=1e-3)
    assert (found["A"]["left_out"], found["A"]["references"], found["A"]["w_sum_accy"]) == (None, 5, pytest.approx(40))


def test_judges_means_stand_beside_the_metrics() -> None:
    subject = Utterance(TOKENS, MANUAL, {"x": PAPER, "y": (3,)}, judged={"x": 4.0})
    result = run([subject, Utterance(TOKENS, MANUAL, {"x": PAPER}, judged={"x": 3.0})])
    assert result["utterances"][0]["candidates"]["y"]["judged"] is None
    assert (result["means"]["x"]["judged"], result["means"]["y"]["judged"]) == (3.5, None)
