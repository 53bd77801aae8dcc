"""What a reader of the numbers should know about a sample that was evaluated: nothing about it is silent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.methods.chapters.chunks import chunk_count, flags
from analysis.methods.chapters.evaluation import Answer, Measures, Sample
from core.clauses import Clause, clause


@dataclass(frozen=True)
class Notice:
    """A code for programs and a sentence for people."""

    code: str
    says: Clause


def notices(sample: Sample, measures: Measures) -> Iterator[Notice]:
    """Look at both sides of a sample; each notice says what was done about it."""
    if not chunk_count(sample.duration_s, measures.chunk_s):
        too_short = clause(
            "The recording of {duration} s is shorter than a chunk and has no metrics; choose smaller chunks.",
            duration=sample.duration_s,
        )
        yield Notice("short", too_short)
        return
    for side, answer in ((clause("hypothesis"), sample.hypothesis), (clause("reference"), sample.reference)):
        yield from _about_times(side, answer, sample.duration_s, measures)
        if measures.titles:
            yield from _about_titles(side, answer, sample.duration_s)
    yield from _about_both(sample, measures)


def _about_times(side: Clause, answer: Answer, duration_s: float, measures: Measures) -> Iterator[Notice]:
    times_s = list(answer.boundaries_s)
    if past := outside(times_s, duration_s):
        says = clause(
            "Boundaries of the {side} outside the recording: {count}, the first at {time} s of {duration} s. "
            "Those past the end count in the collar metrics alone, those before 0 nowhere.",
            side=side,
            count=len(past),
            time=past[0],
            duration=duration_s,
        )
        yield Notice("outside", says)
    whole_s = chunk_count(duration_s, measures.chunk_s) * measures.chunk_s
    if tail := [time_s for time_s in times_s if whole_s < time_s <= duration_s]:
        says = clause(
            "Boundaries of the {side} in the last {rest} s, which fill no whole chunk: {count}. "
            "They count in the collar metrics alone.",
            side=side,
            count=len(tail),
            rest=round(duration_s - whole_s, 3),
        )
        yield Notice("tail", says)
    if times_s != sorted(times_s):
        yield Notice("unsorted", clause("The boundaries of the {side} are not in order; they were sorted.", side=side))
    if len(set(times_s)) < len(times_s):
        says = clause("The {side} has a boundary twice at the same time. In the collar metrics each counts.", side=side)
        yield Notice("repeated", says)


def _about_titles(side: Clause, answer: Answer, duration_s: float) -> Iterator[Notice]:
    starts_s = [title.start_s for title in answer.titles or ()]
    if starts_s != sorted(starts_s):
        says = clause("The titles of the {side} are not in order of time; they are compared as listed.", side=side)
        yield Notice("titles-unsorted", says)
    if past := outside(starts_s, duration_s):
        says = clause(
            "Titles of the {side} that start outside the recording: {count}, the first at {time} s of {duration} s.",
            side=side,
            count=len(past),
            time=past[0],
            duration=duration_s,
        )
        yield Notice("titles-outside", says)


def _about_both(sample: Sample, measures: Measures) -> Iterator[Notice]:
    sides = (sample.hypothesis.boundaries_s, sample.reference.boundaries_s)
    if not any(flags(times_s, sample.duration_s, measures.chunk_s).any() for times_s in sides):
        says = clause(
            "Neither side has a boundary in any chunk. They agree, but precision, recall and F1 of nothing are 0 by "
            "convention; look at accuracy and boundary similarity."
        )
        yield Notice("no-boundaries", says)
    if measures.titles and sample.reference.titles is None:
        yield Notice("no-reference-titles", clause("There are no reference titles; titles are not compared."))
    if measures.wer and (sample.reference.transcript is None or sample.hypothesis.transcript is None):
        says = clause("Word errors are not counted: that needs a reference transcript, and a text as the hypothesis.")
        yield Notice("no-transcript", says)
    unnamed = sample.hypothesis.titles is not None and not sample.hypothesis.titles
    if measures.titles and sample.reference.titles and unnamed:
        says = clause("The hypothesis has no titles; it gets 0 where all titles are compared, and no score of pairs.")
        yield Notice("no-titles", says)


def outside(times_s: Sequence[float], duration_s: float) -> list[float]:
    """The times that the recording does not have."""
    return [time_s for time_s in times_s if not 0 <= time_s <= duration_s]
