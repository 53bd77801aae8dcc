"""One answer against one reference: every metric that can be had from what is given."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from analysis.methods.chapters.chunks import chunk_count, chunk_scores, flags
from analysis.methods.chapters.collar import collar_scores
from analysis.methods.chapters.edits import boundary_similarity, generalised_hamming
from analysis.methods.chapters.errors import ChaptersOptionUnfit
from analysis.methods.chapters.titles import BY_ROUGE_L, Similarity, Title, TitleMatching, title_scores
from analysis.methods.chapters.windows import window_scores
from analysis.methods.chapters.words import WordErrors, word_errors
from core.clauses import Clause, clause


@dataclass(frozen=True)
class Answer:
    """What somebody or something said about one recording: boundaries, and where they are known titles and words."""

    boundaries_s: Sequence[float]
    titles: Sequence[Title] | None = None
    transcript: str | None = None


@dataclass(frozen=True)
class Sample:
    """A hypothesis and the reference it is held against; of two people, either may be the reference."""

    hypothesis: Answer
    reference: Answer
    duration_s: float


@dataclass(frozen=True)
class Measures:
    """How to measure; the numbers are chunkseg's defaults."""

    chunk_s: float = 6.0
    collar_s: float = 3.0
    tolerance_s: float = 5.0
    matching: TitleMatching = TitleMatching.START
    titles: bool = True
    wer: bool = True
    similarities: Mapping[str, Similarity] = field(default_factory=lambda: BY_ROUGE_L)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.chunk_s) and self.chunk_s > 0):
            raise _unfit(clause("The chunk size"), self.chunk_s, clause("Give seconds above 0."))
        for option, value in ((clause("The collar"), self.collar_s), (clause("The tolerance"), self.tolerance_s)):
            if not (math.isfinite(value) and value >= 0):
                raise _unfit(option, value, clause("Give seconds, 0 or more."))


@dataclass(frozen=True)
class Scored:
    """The metrics of one sample by name; none if the recording is shorter than a chunk.

    Errors and words are kept beside their rate, because rates of texts of different length are not averaged.
    """

    metrics: Mapping[str, float]
    words: WordErrors | None = None


def evaluate(sample: Sample, measures: Measures) -> Scored:
    if not chunk_count(sample.duration_s, measures.chunk_s):
        return Scored({})
    words = _words(sample) if measures.wer else None
    metrics = {**_boundaries(sample, measures), **(_titles(sample, measures) if measures.titles else {})}
    return Scored(metrics | {"wer": words.rate} if words else metrics, words)


def _boundaries(sample: Sample, measures: Measures) -> dict[str, float]:
    given_s, wanted_s = sample.hypothesis.boundaries_s, sample.reference.boundaries_s
    hypothesis = flags(given_s, sample.duration_s, measures.chunk_s)
    reference = flags(wanted_s, sample.duration_s, measures.chunk_s)
    return {
        **chunk_scores(hypothesis, reference),
        **window_scores(hypothesis, reference),
        "boundary_similarity": boundary_similarity(hypothesis, reference),
        "ghd": generalised_hamming(hypothesis, reference),
        "num_segments": int(hypothesis.sum()),
        "reference/num_segments": int(reference.sum()),
        **collar_scores(given_s, wanted_s, measures.collar_s),
    }


def _titles(sample: Sample, measures: Measures) -> dict[str, float]:
    """Nothing without reference titles, or where nobody could know what the hypothesis called its chapters."""
    given, wanted = sample.hypothesis.titles, sample.reference.titles
    if given is None or not wanted:
        return {}
    return title_scores(
        given,
        wanted,
        duration_s=sample.duration_s,
        tolerance_s=measures.tolerance_s,
        matching=measures.matching,
        similarities=measures.similarities,
    )


def _words(sample: Sample) -> WordErrors | None:
    """Nothing without both transcripts, or where the reference has no word to get wrong."""
    given, wanted = sample.hypothesis.transcript, sample.reference.transcript
    if given is None or wanted is None:
        return None
    errors = word_errors(given, wanted)
    return errors if errors.words else None


def _unfit(option: Clause, value: float, remedy: Clause) -> ChaptersOptionUnfit:
    return ChaptersOptionUnfit(option=option, value=value, remedy=remedy)
