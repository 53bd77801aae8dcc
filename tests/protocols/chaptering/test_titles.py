"""Titles by both rules of matching, words, word errors, and BERTScore where it is and where it is not."""

import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.chaptering.analysis.titles import (
    BY_ROUGE_L,
    Title,
    TitleMatching,
    common_subsequence,
    fewest_edits,
    load_bertscore,
    match_titles,
    rouge_l,
    title_scores,
    title_words,
    word_errors,
)
from tests.errors import raises_error
from tests.protocols.chaptering import naive

START, BOTH = TitleMatching.START, TitleMatching.START_AND_END
WRAP = [Title("Wrap text with a span", 11.0), Title("Add a background", 23.0), Title("Clip background to text", 34.0)]
SET = [Title("Set a background", 24.2), Title("Clip the background", 33.94)]
CROSSED = [Title("a b c", 10.0), Title("a c", 12.0), Title("end part", 40.0)]
LISTED = [Title("a c", 12.5), Title("a b", 9.0), Title("the end", 44.0)]


def scored(
    hypothesis: list[Title], reference: list[Title], matching: TitleMatching = START, duration_s: float = 60.0
) -> dict[str, float]:
    return title_scores(hypothesis, reference, duration_s=duration_s, tolerance_s=5.0, matching=matching)


def test_worked_numbers_of_titles_come_out() -> None:
    assert scored(SET, WRAP, duration_s=50.0) == pytest.approx(
        {
            "tm_matched": 2 / 3,
            "tm_rl_precision": 2 / 3,
            "tm_rl_recall": 7 / 12,
            "tm_rl_f1": 0.6190476190476191,
            "gc_rl_precision": 2 / 3,
            "gc_rl_recall": 1 / 3,
            "gc_rl_f1": 4 / 9,
        },
        abs=1e-12,
    )


def test_the_two_rules_of_matching_differ_where_a_chapter_ends_elsewhere() -> None:
    short, long = [Title("A part", 10.0)], [Title("A part", 10.0), Title("B part", 30.0)]
    assert scored(short, long)["tm_matched"] == 0.5
    by_both = scored(short, long, BOTH)
    assert by_both["tm_matched"] == 0.0
    assert not [name for name in by_both if name.startswith("tm_rl")]
    assert by_both["gc_rl_f1"] == pytest.approx(2 / 3)


def test_titles_are_paired_in_the_order_of_the_reference() -> None:
    def pairs(matching: TitleMatching) -> list[tuple[str, str]]:
        return match_titles(CROSSED, LISTED, duration_s=60.0, tolerance_s=5.0, matching=matching)

    assert pairs(START) == [("a c", "a c"), ("a b c", "a b"), ("end part", "the end")]
    assert pairs(BOTH) == [("a b c", "a c"), ("a c", "a b"), ("end part", "the end")]
    assert scored(CROSSED, LISTED)["tm_rl_f1"] == pytest.approx(0.7666666666666666, abs=1e-12)
    assert scored(CROSSED, LISTED, BOTH)["tm_rl_f1"] == pytest.approx(0.6, abs=1e-12)


def test_an_answer_without_titles_gets_nothing_rather_than_being_left_out() -> None:
    assert scored([], WRAP) == {"tm_matched": 0.0, "gc_rl_precision": 0.0, "gc_rl_recall": 0.0, "gc_rl_f1": 0.0}


def test_words_are_those_of_any_script_without_case_and_punctuation() -> None:
    assert title_words("Éva's 2nd: Überblick_neu") == ["éva", "s", "2nd", "überblick", "neu"]
    assert rouge_l("!", "?") == (0.0, 0.0, 0.0)


def test_word_errors_count_spoken_words() -> None:
    assert word_errors("it's [noise] a  Test", "It is a test") == (0, 4)
    assert word_errors("they won\N{RIGHT SINGLE QUOTATION MARK}t", "they will go <unk> there") == (2, 4)
    assert word_errors("", "three words here").rate == 1.0


words = st.lists(st.sampled_from("abcd"), max_size=40)


@given(words, words)
def test_words_in_bits_agree_with_tables(one: list[str], other: list[str]) -> None:
    assert common_subsequence(one, other) == naive.common(one, other)
    assert fewest_edits(one, other) == naive.edits(one, other)


class Scorer:
    """Stands in for the package's scorer: the share of equal letters, in three lists."""

    def __init__(self, lang: str) -> None:
        if lang != "en":
            raise KeyError(lang)

    def score(self, given: list[str], wanted: list[str]) -> tuple[list[float], list[float], list[float]]:
        same = [float(one == other) for one, other in zip(given, wanted, strict=True)]
        return same, [0.5] * len(same), [0.25] * len(same)


def test_bertscore_adds_its_own_scores_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = ModuleType("bert_score")
    installed.BERTScorer = Scorer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "bert_score", installed)
    similarities = {**BY_ROUGE_L, "bs": load_bertscore("en")}
    found = title_scores(SET, SET, duration_s=50.0, tolerance_s=5.0, matching=START, similarities=similarities)
    assert (found["tm_bs_precision"], found["gc_bs_recall"], found["tm_bs_f1"]) == (1.0, 0.5, 0.25)
    assert found["tm_rl_f1"] == 1.0
    with raises_error("chapters.bertscore", match="language 'tlh'"):
        load_bertscore("tlh")


def test_bertscore_is_rejected_with_the_remedy_where_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bert_score", None)
    with raises_error("chapters.bertscore", match="Install the Python package bert-score"):
        load_bertscore("en")
