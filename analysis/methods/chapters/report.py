"""Everything that can be said about files of samples, ready for JSON: items, summary, notices, and how it was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.methods.chapters import comparison, summary
from analysis.methods.chapters.catalogue import METRICS
from analysis.methods.chapters.errors import ChaptersNotPaired, ChaptersOptionUnfit
from analysis.methods.chapters.evaluation import Measures, Scored, evaluate
from analysis.methods.chapters.reading import Reading
from core.clauses import clause

VERSION = "1.0"
MOST_ROUNDS = 1_000_000


@dataclass(frozen=True)
class Resampling:
    """How often items are drawn anew, and the seed that makes it the same every time."""

    rounds: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MOST_ROUNDS:
            remedy = clause("Give a whole number from 1 to {most}.", most=MOST_ROUNDS)
            raise ChaptersOptionUnfit(option=clause("The number of rounds"), value=self.rounds, remedy=remedy)
        if self.seed < 0:
            remedy = clause("Give a whole number, 0 or more.")
            raise ChaptersOptionUnfit(option=clause("The seed"), value=self.seed, remedy=remedy)


def report(readings: Mapping[str, Reading], measures: Measures, resampling: Resampling) -> dict[str, Any]:
    """Evaluate the first file; further ones are other systems on the same items, which it is compared with."""
    (first, reading), *others = readings.items()
    scored = {first: _scored(reading, measures)}
    for name, other in others:
        _judge_pairing(first, reading, name, other)
        scored[name] = _scored(other, measures)
    rounds, seed = resampling.rounds, resampling.seed
    found = summary.summarise(scored[first], rounds=rounds, seed=seed)
    made = {
        "items": [dict(item.metrics) for item in scored[first]],
        "summary": found,
        "metrics": _described({name for items in scored.values() for item in items for name in item.metrics}),
        "warnings": [
            {"file": name, "line": line, "code": notice.code, "says": str(notice.says)}
            for name, each in readings.items()
            for line, notice in each.notices
        ],
        "settings": settings_of(measures, resampling),
    }
    if others:
        made["systems"] = {name: summary.summarise(items, rounds=rounds, seed=seed) for name, items in scored.items()}
        made["comparisons"] = comparison.compare(scored, rounds=rounds, seed=seed)
    return made


def _scored(reading: Reading, measures: Measures) -> list[Scored]:
    return [evaluate(sample, measures) for sample in reading.samples]


def _described(names: set[str]) -> dict[str, dict[str, Any]]:
    return {
        name: {"unit": str(metric.unit), "lower_is_better": metric.lower_is_better, "pooling": metric.pooling.value}
        for name, metric in METRICS.items()
        if name in names
    }


def settings_of(measures: Measures, resampling: Resampling) -> dict[str, Any]:
    return {
        "version": VERSION,
        "chunk_size": measures.chunk_s,
        "collar": measures.collar_s,
        "tolerance": measures.tolerance_s,
        "title_matching": measures.matching.value if measures.titles else None,
        "num_bootstrap": resampling.rounds,
        "seed": resampling.seed,
        "intervals": summary.METHOD,
        "tests": comparison.METHOD,
    }


def _judge_pairing(first: str, reading: Reading, name: str, other: Reading) -> None:
    if len(reading.samples) != len(other.samples):
        problem = clause("it has {count} items, not {wanted}", count=len(other.samples), wanted=len(reading.samples))
        raise ChaptersNotPaired(file=name, first=first, problem=problem)
    for one, two, line in zip(reading.samples, other.samples, other.lines, strict=True):
        if (one.duration_s, _times(one.reference.boundaries_s)) != (two.duration_s, _times(two.reference.boundaries_s)):
            problem = clause("line {line} has another reference or duration", line=line)
            raise ChaptersNotPaired(file=name, first=first, problem=problem)


def _times(boundaries_s: Sequence[float]) -> list[float]:
    return sorted(boundaries_s)
