"""Systems on the same items, and people on the same recordings, held against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from analysis.methods.chapters.catalogue import METRICS
from analysis.methods.chapters.evaluation import Answer, Measures, Sample, Scored, evaluate
from analysis.methods.chapters.summary import Floats, draws, spread, summarise
from analysis.statistics.ranks import holm

EXACT_UP_TO = 13  # items, of which 8,192 assignments of signs are all gone through
FLIPS = 9_999
ROUNDING = 1e-12  # sums that differ by less are ties
METHOD = "paired sign-flip permutation test, two-sided; Holm over all rows"


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
