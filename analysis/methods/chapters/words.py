"""Words of titles and transcripts: the longest common subsequence, the fewest edits, ROUGE-L and word errors.

Both tables of dynamic programming are kept as the bits of one long integer a row, so that a word costs one pass over
bits instead of one over a list (Hyyrö 2004 for the subsequence, Hyyrö 2003 after Myers for the edits).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from analysis.methods.chapters.chunks import f1_of

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
