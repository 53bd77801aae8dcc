"""Distances between makers, and makers far from all others."""

import pytest

from protocols.speech_summaries.analysis.evaluation import measure_makers
from protocols.speech_summaries.analysis.utterances import Summary, Utterance


def utterance(**manual: Summary) -> Utterance:
    return Utterance(tuple("abcdefghij"), manual, {})


def test_a_distance_is_the_mean_over_the_others_and_over_utterances() -> None:
    """On the first utterance p and q share one of two words, and r shares none; on the second p and q agree."""
    rows = measure_makers([utterance(p=(1, 2), q=(1, 3), r=(4, 5, 6, 7)), utterance(p=(1,), q=(1,))])
    assert [row["maker"] for row in rows] == ["p", "q", "r"]
    assert [row["distance"] for row in rows] == pytest.approx([(75 + 0) / 2, (75 + 0) / 2, 100])
    assert [row["utterances"] for row in rows] == [2, 2, 1]


def test_a_maker_far_from_people_who_agree_is_isolated() -> None:
    agreeing = {"p": (1, 2, 3, 4), "q": (1, 2, 3, 5), "r": (1, 2, 3, 4), "s": (1, 2, 3, 4)}
    rows = measure_makers([utterance(**agreeing, t=(6, 7, 8, 9))])
    assert [row["maker"] for row in rows if row["isolated"]] == ["t"]
    assert not any(row["isolated"] for row in measure_makers([utterance(**agreeing)]))


def test_among_three_nobody_is_isolated() -> None:
    rows = measure_makers([utterance(p=(1, 2), q=(1, 2), r=(8, 9))])
    assert not any(row["isolated"] for row in rows)


def test_a_maker_without_others_has_no_distance() -> None:
    assert measure_makers([utterance(p=(1, 2))]) == [
        {"maker": "p", "utterances": 0, "distance": None, "isolated": False}
    ]
