"""Words of a text take their positions in the transcript; what is not there is foreign."""

from protocols.speech_summaries.analysis.alignment import place_words, through_recognition

TOKENS = ["cherry", "blossoms", "in", "Japan", "bloom", "in", "spring"]


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
