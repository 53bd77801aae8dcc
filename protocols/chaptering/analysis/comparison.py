"""Comparison of systems and of people: means with bootstrap intervals, paired tests, and the report of sample files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.statistics.ranks import holm
from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from protocols.chaptering.analysis.boundaries import ChaptersOptionUnfit
from protocols.chaptering.analysis.evaluation import Answer, Measures, Sample, Scored, evaluate
from protocols.chaptering.analysis.metrics import METRICS, Pooling
from protocols.chaptering.analysis.samples import Reading

Floats = npt.NDArray[np.float64]

CONFIDENCE = 0.95
TAILS = 100 * (1 - CONFIDENCE) / 2, 100 * (1 + CONFIDENCE) / 2
INTERVAL_METHOD = "percentile bootstrap over items, 95 %"
WEIGHTS_AT_ONCE = 2_000_000


def summarise(items: Sequence[Scored], *, rounds: int, seed: int) -> dict[str, dict[str, Any]]:
    """Pool every metric that any item has, and say how sure that is.

    `mean` is pooled as the catalogue says, over the `n` items that have the metric. Items are drawn anew with
    replacement, all their metrics together; `std` is the standard deviation of the pooled values so drawn, that is, the
    standard error, and `ci_lower` and `ci_upper` are their 2.5 and 97.5 percentiles. One item has neither: null, not 0.
    """
    measured = [item for item in items if item.metrics]
    if not measured:
        return {}
    table = _Table(measured)
    observed = table.pooled(np.ones((1, len(measured))))
    blocks = [table.pooled(weights) for weights in draws(len(measured), rounds, np.random.default_rng(seed))]
    return {
        name: {
            "mean": float(values[0]),
            **spread(np.concatenate([block[name] for block in blocks]), table.counts[name]),
            "n": table.counts[name],
        }
        for name, values in observed.items()
    }


def spread(drawn: Floats, count: int) -> dict[str, float | None]:
    """The standard error and the interval of drawn values; a draw that held no item with the metric says nothing."""
    told = drawn[~np.isnan(drawn)]
    if count < 2 or not len(told):
        return {"std": None, "ci_lower": None, "ci_upper": None}
    lower, upper = np.percentile(told, TAILS)
    return {"std": float(np.std(told)), "ci_lower": float(lower), "ci_upper": float(upper)}


def draws(count: int, rounds: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield how often each item is in each sample drawn with replacement, in blocks that fit the memory."""
    at_once = max(1, WEIGHTS_AT_ONCE // count)
    for start in range(0, rounds, at_once):
        size = min(at_once, rounds - start)
        drawn = rng.integers(0, count, (size, count)) + count * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count).astype(float)


class _Table:
    """For each metric a column of numerators and one of denominators, so that every pooled value is a ratio of sums."""

    def __init__(self, items: Sequence[Scored]) -> None:
        self.counts = {name: sum(name in item.metrics for item in items) for name in METRICS}
        self.names = [name for name, count in self.counts.items() if count]
        terms = [[_terms(item, name) for name in self.names] for item in items]
        self.numerators, self.denominators = np.moveaxis(np.array(terms, dtype=float), 2, 0)

    def pooled(self, weights: Floats) -> dict[str, Floats]:
        """Pool each metric under each row of weights; NaN where all that counts has no weight."""
        sums, totals = weights @ self.numerators, weights @ self.denominators
        values = np.divide(sums, totals, out=np.full_like(sums, np.nan), where=totals > 0)
        pooled = dict(zip(self.names, values.T, strict=True))
        for name in self.names:
            if METRICS[name].pooling is Pooling.HARMONIC:
                pooled[name] = _harmonic(pooled["precision"], pooled["recall"])
        return pooled


def _terms(item: Scored, name: str) -> tuple[float, float]:
    if name not in item.metrics:
        return 0.0, 0.0
    if METRICS[name].pooling is Pooling.MICRO and item.words:
        return item.words
    return item.metrics[name], 1.0


def _harmonic(one: Floats, other: Floats) -> Floats:
    total = one + other
    return np.divide(2 * one * other, total, out=np.zeros_like(total), where=total > 0)


EXACT_UP_TO = 13  # items, of which 8,192 assignments of signs are all gone through
FLIPS = 9_999
ROUNDING = 1e-12  # sums that differ by less are ties
TEST_METHOD = "paired sign-flip permutation test, two-sided; Holm over all rows"


def compare(systems: Mapping[str, Sequence[Scored]], *, rounds: int, seed: int) -> list[dict[str, Any]]:
    """Hold every two systems against each other on the headline metrics, over the items for which both have them.

    `difference` is the mean of the items' values of `first` less those of `second`, with the percentile interval of a
    paired bootstrap. `p` is of a permutation test that flips the signs of the items' differences: all assignments up to
    13 items, 9,999 drawn ones above. `p_smallest` is what it could be at best with so few items: where that, corrected
    for the number of rows, is above 0.05, a large p says nothing.
    """
    headlines = [name for name, metric in METRICS.items() if metric.headline]
    rows = [
        {"metric": name, "first": first, "second": second, **judge(differences, rounds=rounds, seed=seed)}
        for first, second in combinations(systems, 2)
        for name in headlines
        if len(differences := _differences(systems[first], systems[second], name))
    ]
    corrected = holm(np.array([row["p"] for row in rows])).tolist()
    return [{**row, "p_holm": p} for row, p in zip(rows, corrected, strict=True)]


def judge(differences: Floats, *, rounds: int, seed: int) -> dict[str, Any]:
    """Judge paired differences; the draws depend on the seed and the number of items alone."""
    rng, count = np.random.default_rng(seed), len(differences)
    drawn = np.concatenate([weights @ differences / count for weights in draws(count, rounds, rng)])
    p, smallest = sign_flips(differences, rng)
    return {
        "n": count,
        "difference": float(np.mean(differences)),
        **spread(drawn, count),
        "p": p,
        "p_smallest": smallest,
    }


def sign_flips(differences: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """The share of sign assignments whose mean is at least as far from 0, and the least that this can be."""
    count = len(differences)
    if count <= EXACT_UP_TO:
        signs = np.array(list(product((-1.0, 1.0), repeat=count)))
    else:
        flipped = rng.choice((-1.0, 1.0), (FLIPS, count))
        signs = np.concatenate((np.ones((1, count)), flipped))  # what was observed is one of the assignments
    means = np.abs(signs @ differences) / count
    least = 2 / len(signs) if count <= EXACT_UP_TO else 1 / len(signs)
    return float(np.mean(means >= abs(np.mean(differences)) - ROUNDING)), least


def _differences(first: Sequence[Scored], second: Sequence[Scored], name: str) -> Floats:
    pairs = zip(first, second, strict=True)
    both = [(one.metrics.get(name), other.metrics.get(name)) for one, other in pairs]
    return np.array([one - other for one, other in both if one is not None and other is not None])


@dataclass(frozen=True)
class Annotated:
    """A recording, and what each of several people said about it."""

    duration_s: float
    answers: Mapping[str, Answer]


def between_people(
    recordings: Sequence[Annotated], measures: Measures, *, rounds: int, seed: int
) -> list[dict[str, Any]]:
    """Take each person as the reference for each other one, over the recordings that both have answered.

    Both directions are given: precision of the one is recall of the other, and Pk and WindowDiff take their window
    from the reference.
    """
    people = sorted({person for recording in recordings for person in recording.answers})
    rows = []
    for wanted, given in permutations(people, 2):
        shared = [recording for recording in recordings if {wanted, given} <= set(recording.answers)]
        samples = [Sample(each.answers[given], each.answers[wanted], each.duration_s) for each in shared]
        scored = [evaluate(sample, measures) for sample in samples]
        rows.append(
            {
                "reference": wanted,
                "hypothesis": given,
                "recordings": len(shared),
                "summary": summarise(scored, rounds=rounds, seed=seed),
            }
        )
    return rows


VERSION = "1.0"
MOST_ROUNDS = 1_000_000


@dataclass(frozen=True)
class Resampling:
    """How often items are drawn anew, and the seed that makes it the same every time."""

    rounds: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MOST_ROUNDS:
            remedy = LazyMessage("Give a whole number from 1 to {most}.", most=MOST_ROUNDS)
            raise ChaptersOptionUnfit(option=LazyMessage("The number of rounds"), value=self.rounds, remedy=remedy)
        if self.seed < 0:
            remedy = LazyMessage("Give a whole number, 0 or more.")
            raise ChaptersOptionUnfit(option=LazyMessage("The seed"), value=self.seed, remedy=remedy)


def report(readings: Mapping[str, Reading], measures: Measures, resampling: Resampling) -> dict[str, Any]:
    """Evaluate the first file; further ones are other systems on the same items, which it is compared with."""
    (first, reading), *others = readings.items()
    scored = {first: _scored(reading, measures)}
    for name, other in others:
        _judge_pairing(first, reading, name, other)
        scored[name] = _scored(other, measures)
    rounds, seed = resampling.rounds, resampling.seed
    found = summarise(scored[first], rounds=rounds, seed=seed)
    made = {
        "items": [dict(item.metrics) for item in scored[first]],
        "summary": found,
        "metrics": _described({name for items in scored.values() for item in items for name in item.metrics}),
        "warnings": [
            {"file": name, "line": line, "code": notice.code, "message": str(notice.message)}
            for name, each in readings.items()
            for line, notice in each.notices
        ],
        "settings": settings_of(measures, resampling),
    }
    if others:
        made["systems"] = {name: summarise(items, rounds=rounds, seed=seed) for name, items in scored.items()}
        made["comparisons"] = compare(scored, rounds=rounds, seed=seed)
    return made


def _scored(reading: Reading, measures: Measures) -> list[Scored]:
    return [evaluate(sample, measures) for sample in reading.samples]


def _described(names: set[str]) -> dict[str, dict[str, Any]]:
    return {
        name: {"unit": metric.unit, "lower_is_better": metric.lower_is_better, "pooling": metric.pooling.value}
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
        "intervals": INTERVAL_METHOD,
        "tests": TEST_METHOD,
    }


def _chapters_not_paired(*, file: str, first: str, problem: str) -> AppError:
    return AppError(
        "chapters.not_paired",
        422,
        _(
            "'{file}' is not about the same items as '{first}': {problem}. Give the same recordings in the same order, "
            "with the same references and durations."
        ),
        file=file,
        first=first,
        problem=problem,
    )


def _judge_pairing(first: str, reading: Reading, name: str, other: Reading) -> None:
    if len(reading.samples) != len(other.samples):
        problem = LazyMessage(
            "it has {count} items, not {wanted}", count=len(other.samples), wanted=len(reading.samples)
        )
        raise _chapters_not_paired(file=name, first=first, problem=problem)
    for one, two, line in zip(reading.samples, other.samples, other.lines, strict=True):
        if (one.duration_s, _times(one.reference.boundaries_s)) != (two.duration_s, _times(two.reference.boundaries_s)):
            problem = LazyMessage("line {line} has another reference or duration", line=line)
            raise _chapters_not_paired(file=name, first=first, problem=problem)


def _times(boundaries_s: Sequence[float]) -> list[float]:
    return sorted(boundaries_s)
