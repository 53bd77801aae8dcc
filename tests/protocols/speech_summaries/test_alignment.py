"""Alignment of two sequences: errors, percentages, and words of a text at their positions in the transcript."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.speech_summaries.analysis.alignment import Edit, align, place_words, through_recognition
from tests.protocols.speech_summaries.cherry import MANUAL, PAPER

TOKENS = ["cherry", "blossoms", "in", "Japan", "bloom", "in", "spring"]
words = st.lists(st.integers(1, 5), max_size=8)


@pytest.mark.parametrize(
    ("candidate", "target", "wacc", "percent_correct", "kinds"),
    [
        (MANUAL["A"], MANUAL["A"], 100, 100, (0, 0, 0)),
        (MANUAL["A"], MANUAL["C"], 40, 40, (3, 0, 0)),
        (MANUAL["A"], MANUAL["D"], 20, 40, (2, 1, 1)),
        (MANUAL["C"], MANUAL["D"], 60, 80, (0, 1, 1)),
        (PAPER, MANUAL["D"], 40, 40, (3, 0, 0)),
        (PAPER, MANUAL["E"], 0, 0, (5, 0, 0)),
        ((1, 2, 3, 4), (4,), -200, 100, (0, 3, 0)),
        ((), (4, 5), 0, 0, (0, 0, 2)),
    ],
)
def test_word_accuracy_and_percent_correct_of_worked_pairs(
    candidate: tuple[int, ...],
    target: tuple[int, ...],
    wacc: float,
    percent_correct: float,
    kinds: tuple[int, int, int],
) -> None:
    found = align(candidate, target)
    assert (found.word_accuracy, found.percent_correct) == (wacc, percent_correct)
    assert (found.count("substitution"), found.count("insertion"), found.count("deletion")) == kinds


def test_edits_tell_the_whole_way_from_the_candidate_to_the_target() -> None:
    assert align((3, "?plum", 5, 6), (2, 3, 4, 5)).edits == (
        Edit("deletion", None, 2),
        Edit("match", 3, 3),
        Edit("substitution", "?plum", 4),
        Edit("match", 5, 5),
        Edit("insertion", 6, None),
    )


def test_of_equally_short_ways_substitutions_come_first() -> None:
    """`a b` for `b a`: two substitutions, though an insertion and a deletion would keep a word."""
    assert [edit.op for edit in align("ab", "ba").edits] == ["substitution", "substitution"]


@given(words, words)
def test_edits_hold_both_sequences_in_order_and_both_directions_cost_the_same(one: list[int], other: list[int]) -> None:
    found = align(one, other)
    assert [edit.candidate for edit in found.edits if edit.op != "deletion"] == one
    assert [edit.target for edit in found.edits if edit.op != "insertion"] == other
    assert found.errors == align(other, one).errors == align(one[::-1], other[::-1]).errors
    assert all((edit.candidate == edit.target) == (edit.op == "match") for edit in found.edits)


def test_equal_words_take_the_position_and_all_others_are_foreign() -> None:
    placed = place_words(["cherry", "blossom", "in", "Japan"], TOKENS)
    assert placed.candidate == (1, "?blossom", 3, 4)
    assert placed.ambiguous == ()


def test_a_word_that_could_lie_at_two_places_is_named() -> None:
    placed = place_words(["cherry", "blossoms", "in", "spring"], TOKENS)
    assert placed.candidate == (1, 2, 6, 7)
    assert placed.ambiguous == (3,)


def test_nothing_in_common_is_all_foreign_and_nothing_at_all_is_nothing() -> None:
    assert place_words(["plum", "tree"], TOKENS).candidate == ("?plum", "?tree")
    assert place_words([], TOKENS).candidate == ()


def test_words_may_hold_anything_and_are_never_split() -> None:
    assert place_words(["春 の", "桜"], ["日本の", "春 の", "桜"]).candidate == (2, 3)


def test_a_summary_of_recognised_words_is_led_back_to_the_transcript() -> None:
    """The recogniser heard one word too many and one wrong."""
    recognised = place_words(["cherry", "blossoms", "uh", "in", "Japan", "gloom", "in", "spring"], TOKENS)
    assert recognised.candidate == (1, 2, "?uh", 3, 4, "?gloom", 6, 7)
    assert through_recognition((1, 3, 5, 8), recognised) == (1, "?uh", 4, 7)
