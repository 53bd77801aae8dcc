"""Evaluation of one answer against one reference: every metric that can be had, and notices for the reader."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.i18n import LazyMessage
from protocols.chaptering.analysis.boundaries import (
    ChaptersOptionUnfit,
    boundary_similarity,
    chunk_count,
    chunk_scores,
    collar_scores,
    flags,
    generalised_hamming,
    window_scores,
)
from protocols.chaptering.analysis.titles import (
    BY_ROUGE_L,
    Similarity,
    Title,
    TitleMatching,
    WordErrors,
    title_scores,
    word_errors,
)


@dataclass(frozen=True)
class Answer:
    """What a person or a program said about one recording: boundaries, and where they are known titles and words."""

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
            raise _unfit(LazyMessage("The chunk size"), self.chunk_s, LazyMessage("Give seconds above 0."))
        for option, value in (
            (LazyMessage("The collar"), self.collar_s),
            (LazyMessage("The tolerance"), self.tolerance_s),
        ):
            if not (math.isfinite(value) and value >= 0):
                raise _unfit(option, value, LazyMessage("Give seconds, 0 or more."))


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


def _unfit(option: LazyMessage, value: float, remedy: LazyMessage) -> ChaptersOptionUnfit:
    return ChaptersOptionUnfit(option=option, value=value, remedy=remedy)


@dataclass(frozen=True)
class Notice:
    """A code for programs and a sentence for people."""

    code: str
    message: LazyMessage


def notices(sample: Sample, measures: Measures) -> Iterator[Notice]:
    """Look at both sides of a sample; each notice says what was done about it."""
    if not chunk_count(sample.duration_s, measures.chunk_s):
        too_short = LazyMessage(
            "The recording of {duration} s is shorter than a chunk and has no metrics; choose smaller chunks.",
            duration=sample.duration_s,
        )
        yield Notice("short", too_short)
        return
    for side, answer in ((LazyMessage("hypothesis"), sample.hypothesis), (LazyMessage("reference"), sample.reference)):
        yield from _about_times(side, answer, sample.duration_s, measures)
        if measures.titles:
            yield from _about_titles(side, answer, sample.duration_s)
    yield from _about_both(sample, measures)


def _about_times(side: LazyMessage, answer: Answer, duration_s: float, measures: Measures) -> Iterator[Notice]:
    times_s = list(answer.boundaries_s)
    if past := outside(times_s, duration_s):
        message = LazyMessage(
            "Boundaries of the {side} outside the recording: {count}, the first at {time} s of {duration} s. "
            "Those past the end count in the collar metrics alone, those before 0 nowhere.",
            side=side,
            count=len(past),
            time=past[0],
            duration=duration_s,
        )
        yield Notice("outside", message)
    whole_s = chunk_count(duration_s, measures.chunk_s) * measures.chunk_s
    if tail := [time_s for time_s in times_s if whole_s < time_s <= duration_s]:
        message = LazyMessage(
            "Boundaries of the {side} in the last {rest} s, which fill no whole chunk: {count}. "
            "They count in the collar metrics alone.",
            side=side,
            count=len(tail),
            rest=round(duration_s - whole_s, 3),
        )
        yield Notice("tail", message)
    if times_s != sorted(times_s):
        yield Notice(
            "unsorted", LazyMessage("The boundaries of the {side} are not in order; they were sorted.", side=side)
        )
    if len(set(times_s)) < len(times_s):
        message = LazyMessage(
            "The {side} has a boundary twice at the same time. In the collar metrics each counts.", side=side
        )
        yield Notice("repeated", message)


def _about_titles(side: LazyMessage, answer: Answer, duration_s: float) -> Iterator[Notice]:
    starts_s = [title.start_s for title in answer.titles or ()]
    if starts_s != sorted(starts_s):
        message = LazyMessage(
            "The titles of the {side} are not in order of time; they are compared as listed.", side=side
        )
        yield Notice("titles-unsorted", message)
    if past := outside(starts_s, duration_s):
        message = LazyMessage(
            "Titles of the {side} that start outside the recording: {count}, the first at {time} s of {duration} s.",
            side=side,
            count=len(past),
            time=past[0],
            duration=duration_s,
        )
        yield Notice("titles-outside", message)


def _about_both(sample: Sample, measures: Measures) -> Iterator[Notice]:
    sides = (sample.hypothesis.boundaries_s, sample.reference.boundaries_s)
    if not any(flags(times_s, sample.duration_s, measures.chunk_s).any() for times_s in sides):
        message = LazyMessage(
            "Neither side has a boundary in any chunk. They agree, but precision, recall and F1 of nothing are 0 by "
            "convention; look at accuracy and boundary similarity."
        )
        yield Notice("no-boundaries", message)
    if measures.titles and sample.reference.titles is None:
        yield Notice("no-reference-titles", LazyMessage("There are no reference titles; titles are not compared."))
    if measures.wer and (sample.reference.transcript is None or sample.hypothesis.transcript is None):
        message = LazyMessage(
            "Word errors are not counted: that needs a reference transcript, and a text as the hypothesis."
        )
        yield Notice("no-transcript", message)
    unnamed = sample.hypothesis.titles is not None and not sample.hypothesis.titles
    if measures.titles and sample.reference.titles and unnamed:
        message = LazyMessage(
            "The hypothesis has no titles; it gets 0 where all titles are compared, and no score of pairs."
        )
        yield Notice("no-titles", message)


def outside(times_s: Sequence[float], duration_s: float) -> list[float]:
    """The times that the recording does not have."""
    return [time_s for time_s in times_s if not 0 <= time_s <= duration_s]
