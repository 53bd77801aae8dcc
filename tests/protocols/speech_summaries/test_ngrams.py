"""p_n looks at positions, BLEU at words; neither smooths, and only BLEU counts how often."""

from math import exp

import pytest

from protocols.speech_summaries.analysis.alignment import Bleu, StringPrecision
from protocols.speech_summaries.analysis.utterances import Candidate, Summary
from tests.protocols.speech_summaries.cherry import MANUAL, PAPER, TOKENS

SEA = ("the", "sea", "the", "sky", "the", "sun")


def bleu(candidate: Candidate, *references: Summary, tokens: tuple[str, ...] = SEA, order: int = 1) -> float:
    named = {str(number): summary for number, summary in enumerate(references)}
    return Bleu(candidate, named, tokens, order).among(named)


def test_equal_words_at_other_positions_are_other_words_for_p_n_and_the_same_for_bleu() -> None:
    assert StringPrecision((1, 4), {"m": (3, 4)}, 1).among({"m"}) == {1: 0.5}
    assert bleu((1, 4), (3, 4)) == 1


def test_a_string_that_is_longer_than_the_candidate_has_no_precision() -> None:
    assert StringPrecision((1, 2), {"m": (1, 2)}, 3).among({"m"}) == {1: 1, 2: 1, 3: None}
    assert StringPrecision((), {"m": (1, 2)}, 1).among({"m"}) == {1: None}


def test_precision_is_a_share_of_the_candidates_strings_and_takes_them_from_anybody() -> None:
    """The candidate has 1 2, 2 3, 3 4; one person has the first, the other the last."""
    precision = StringPrecision((1, 2, 3, 4), {"m": (1, 2, 6), "n": (3, 4)}, 2)
    assert precision.among({"m", "n"}) == {1: 1, 2: 2 / 3}
    assert precision.among({"n"}) == {1: 0.5, 2: 1 / 3}


def test_a_repeated_string_counts_in_full_for_p_n_and_is_clipped_for_bleu() -> None:
    assert StringPrecision((1, 1, 1, 2), {"m": (1, 2, 3)}, 1).among({"m"}) == {1: 1}
    # Of "the the the sea", one summary has "the" twice and the other once: two of them count, and "sea".
    assert bleu((1, 1, 1, 2), (1, 2, 3), (1, 2, 4)) == pytest.approx(3 / 4)


@pytest.mark.parametrize(
    ("order", "expected"), [(1, 1.0), (2, 0.8660254038), (3, 0.793700526), (4, 0.7071067812), (5, 0.0)]
)
def test_bleu_is_the_geometric_mean_up_to_its_order(order: int, expected: float) -> None:
    assert bleu(PAPER, *MANUAL.values(), tokens=TOKENS, order=order) == pytest.approx(expected, abs=1e-9)


def test_brevity_is_held_against_the_closest_length_and_of_two_against_the_shorter() -> None:
    assert bleu((1, 2), (1, 2, 3), (1, 2, 3, 4, 5, 6)) == pytest.approx(exp(1 - 3 / 2))
    assert bleu((1, 2, 3), (1, 2), (1, 2, 3, 4)) == 1
    assert bleu((1, 2, 3), (1, 2, 3, 4)) == pytest.approx(exp(1 - 4 / 3))


def test_a_foreign_word_matches_nothing_even_if_it_is_spelt_like_a_word_of_the_transcript() -> None:
    assert bleu(("?the", 2), (1, 2)) == 0.5
    assert bleu(("?sea",), (2,)) == 0
    assert bleu((), (2,)) == 0
