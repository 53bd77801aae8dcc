"""The merged network: who follows whom, in how many summaries, and what a path weighs."""

import pytest

from protocols.speech_summaries.analysis.network import Network
from tests.protocols.speech_summaries.cherry import MANUAL, TOKENS


def test_nodes_and_arcs_are_counted_in_people() -> None:
    drawn = Network.of(MANUAL.values()).to_json(TOKENS)
    assert drawn["makers"] == 5
    assert [node["position"] for node in drawn["nodes"]] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert [node["count"] for node in drawn["nodes"]] == [1, 3, 5, 4, 2, 2, 2, 3, 3]
    assert drawn["nodes"][4] == {"position": 5, "word": "in", "count": 2}
    assert [(arc["from"], arc["to"], arc["count"]) for arc in drawn["arcs"]] == [
        *[("<s>", 1, 1), ("<s>", 2, 3), ("<s>", 3, 1), (1, 3, 1), (2, 3, 3), (3, 4, 4), (3, 7, 1), (4, 5, 2)],
        *[(4, 7, 1), (4, 8, 1), (5, 6, 2), (6, "</s>", 2), (7, 8, 2), (8, 9, 3), (9, "</s>", 3)],
    ]


def test_the_weight_is_the_geometric_mean_of_the_shares_of_people_over_arcs() -> None:
    network = Network.of([(1, 2, 3), (1, 2), (2, 3), (4,)])
    assert network.weight_of((1, 2, 3), boundaries=False) == pytest.approx((2 / 4 * 2 / 4) ** (1 / 2))
    assert network.weight_of((1, 2, 3), boundaries=True) == pytest.approx((2 * 2 * 2 * 2 / 4**4) ** (1 / 4))


def test_one_word_weighs_as_the_share_of_people_who_kept_it() -> None:
    network = Network.of([(2,), (1, 2), (2, 3), (4,)])
    assert network.weight_of((2,), boundaries=False) == pytest.approx(3 / 4)
    assert network.weight_of((2,), boundaries=True) == pytest.approx((2 / 4 * 2 / 4) ** (1 / 2))


def test_what_everybody_agrees_on_weighs_exactly_one() -> None:
    summary = tuple(range(1, 400))
    assert Network.of([summary] * 7).weight_of(summary, boundaries=True) == 1


def test_the_weight_of_a_long_path_does_not_vanish() -> None:
    """The product of 398 shares of 1/25 is smaller than any floating-point number."""
    summary = tuple(range(1, 400))
    network = Network.of([summary, *[(400,)] * 24])
    assert network.weight_of(summary, boundaries=False) == pytest.approx(1 / 25)
