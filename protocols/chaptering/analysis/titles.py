"""Title and word metrics: titles paired by time (TM) or in one text (GC), ROUGE-L, word errors, BERTScore.

Both tables of dynamic programming are kept as the bits of one long integer a row, so that a word costs one pass over
bits instead of one over a list (Hyyrö 2004 for the subsequence, Hyyrö 2003 after Myers for the edits).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from statistics import fmean
from typing import NamedTuple

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from protocols.chaptering.analysis.boundaries import f1_of

WORD = re.compile(r"[^\W_]+")
NON_SPEECH = re.compile(r"[<\[][^>\]]*[>\]]")  # such as <unk> and [noise]
# As jiwer expands them, which chunkseg uses, in this order; the bare endings come last.
CONTRACTIONS = (
    *(("won't", "will not"), ("can't", "can not"), ("let's", "let us"), ("n't", " not"), ("'re", " are")),
    *(("'s", " is"), ("'d", " would"), ("'ll", " will"), ("'t", " not"), ("'ve", " have"), ("'m", " am")),
)


class Agreement(NamedTuple):
    """How two texts agree, by some similarity."""

    precision: float
    recall: float
    f1: float


class WordErrors(NamedTuple):
    """Edits that turn the reference's words into those that were recognised, and how many words it has."""

    errors: int
    words: int

    @property
    def rate(self) -> float:
        return self.errors / self.words


def title_words(title: str) -> list[str]:
    """Runs of letters and digits of any script, in lower case; words are not stemmed."""
    return WORD.findall(title.casefold())


def transcript_words(text: str) -> list[str]:
    """Words between spaces, in lower case, with English contractions written out and noise marks left out."""
    spoken = NON_SPEECH.sub("", text.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    for short, full in CONTRACTIONS:
        spoken = spoken.replace(short, full)
    return spoken.split()


def rouge_l(hypothesis: str, reference: str) -> Agreement:
    """Share of each title's words that both have in the same order (Lin 2004)."""
    given, wanted = title_words(hypothesis), title_words(reference)
    if not given or not wanted:
        return Agreement(0.0, 0.0, 0.0)
    shared = common_subsequence(given, wanted)
    precision, recall = shared / len(given), shared / len(wanted)
    return Agreement(precision, recall, f1_of(precision, recall))


def word_errors(hypothesis: str, reference: str) -> WordErrors:
    wanted = transcript_words(reference)
    return WordErrors(fewest_edits(transcript_words(hypothesis), wanted), len(wanted))


def common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest sequence that both hold in order, with gaps."""
    places, everything = _places(one), (1 << len(one)) - 1
    row = everything  # a 0 for each step by which the subsequence has grown
    for word in other:
        met = row & places.get(word, 0)
        row = ((row + met) | (row - met)) & everything
    return len(one) - row.bit_count()


def fewest_edits(one: Sequence[str], other: Sequence[str]) -> int:
    """Insertions, deletions and substitutions, one each."""
    if not one:
        return len(other)
    places, everything, last = _places(one), (1 << len(one)) - 1, 1 << (len(one) - 1)
    up, down, edits = everything, 0, len(one)  # where the table rises and falls by one from a row to the next
    for word in other:
        same = places.get(word, 0)
        diagonal = (((same & up) + up) ^ up) | same
        right, left = down | (everything & ~(diagonal | up)), up & diagonal
        edits += bool(right & last) - bool(left & last)
        right, left = ((right << 1) | 1) & everything, (left << 1) & everything
        carried = same | down
        up, down = left | (everything & ~(carried | right)), right & carried
    return edits


def _places(words: Sequence[str]) -> dict[str, int]:
    """For each word, an integer with a bit at every place it stands."""
    places: dict[str, int] = {}
    for at, word in enumerate(words):
        places[word] = places.get(word, 0) | 1 << at
    return places


# From pairs of a hypothesis and a reference to how well each agrees.
Similarity = Callable[[Sequence[tuple[str, str]]], list[Agreement]]


class Title(NamedTuple):
    text: str
    start_s: float


class TitleMatching(StrEnum):
    """What must lie within the tolerance for two chapters to be a pair."""

    START = "start"  # chunkseg up to 0.3.4, and the default
    START_AND_END = "start-and-end"  # chunkseg 0.4.0


def rouge_l_of_pairs(pairs: Sequence[tuple[str, str]]) -> list[Agreement]:
    return [rouge_l(given, wanted) for given, wanted in pairs]


# Under the part of a metric's name that tells the similarity: tm_rl_f1.
BY_ROUGE_L: Mapping[str, Similarity] = {"rl": rouge_l_of_pairs}


def title_scores(
    hypothesis: Sequence[Title],
    reference: Sequence[Title],
    *,
    duration_s: float,
    tolerance_s: float,
    matching: TitleMatching,
    similarities: Mapping[str, Similarity] = BY_ROUGE_L,
) -> dict[str, float]:
    """Compare titles. Without a pair there are no tm_ scores; without titles on one side all that is left is 0."""
    pairs = match_titles(hypothesis, reference, duration_s=duration_s, tolerance_s=tolerance_s, matching=matching)
    scores = {"tm_matched": len(pairs) / len(reference)}
    whole = "\n".join(title.text for title in hypothesis), "\n".join(title.text for title in reference)
    for name, similarity in similarities.items():
        if pairs:
            scores |= _named(f"tm_{name}", similarity(pairs))
        scores |= _named(f"gc_{name}", similarity([whole]) if all(whole) else [Agreement(0.0, 0.0, 0.0)])
    return scores


def match_titles(
    hypothesis: Sequence[Title],
    reference: Sequence[Title],
    *,
    duration_s: float,
    tolerance_s: float,
    matching: TitleMatching,
) -> list[tuple[str, str]]:
    """Give each reference title, in the order of its list, the free hypothesis title that starts closest to it."""
    given = list(zip(hypothesis, _ends_s(hypothesis, duration_s), strict=True))
    pairs = []
    for wanted, end_s in zip(reference, _ends_s(reference, duration_s), strict=True):
        near = [
            (abs(title.start_s - wanted.start_s), at)
            for at, (title, other_end_s) in enumerate(given)
            if abs(title.start_s - wanted.start_s) <= tolerance_s
            and (matching is TitleMatching.START or abs(other_end_s - end_s) <= tolerance_s)
        ]
        if near:
            title, _ = given.pop(min(near)[1])
            pairs.append((title.text, wanted.text))
    return pairs


def _ends_s(titles: Sequence[Title], duration_s: float) -> list[float]:
    """A chapter ends where the next one of the list starts, the last one with the recording."""
    return [title.start_s for title in titles[1:]] + [duration_s] * bool(titles)


def _named(prefix: str, agreements: Sequence[Agreement]) -> dict[str, float]:
    return {f"{prefix}_{part}": fmean(getattr(one, part) for one in agreements) for part in Agreement._fields}


def _bert_score_missing(*, problem: str) -> AppError:
    return AppError(
        "chapters.bertscore",
        422,
        _(
            "BERTScore cannot be computed: {problem}. Install the Python package bert-score beside Earmark, on a "
            "machine that has its language model or can fetch it; or ask for titles without BERTScore: ROUGE-L needs "
            "neither."
        ),
        problem=problem,
    )


def load_bertscore(language: str) -> Similarity:
    """Load the model of a language (ISO 639-1) once; it may be fetched over the network, and takes seconds."""
    try:
        scorer = import_module("bert_score").BERTScorer(lang=language)
    except ImportError as problem:
        raise _bert_score_missing(problem=LazyMessage("the Python package bert-score is not installed")) from problem
    except (
        OSError,
        KeyError,
        AssertionError,
    ) as problem:  # no model on the disk nor to be had, or none of the language
        unfit = LazyMessage("its model for the language '{language}' cannot be loaded", language=language)
        raise _bert_score_missing(problem=unfit) from problem

    def similarity(pairs: Sequence[tuple[str, str]]) -> list[Agreement]:
        given, wanted = zip(*pairs, strict=True)
        scores = scorer.score(list(given), list(wanted))
        return [Agreement(*(float(value) for value in row)) for row in zip(*scores, strict=True)]

    return similarity
