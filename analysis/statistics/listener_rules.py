"""Figures of the screening rules for each listener, out of ratings and paces.

They are made of all answers, also of excluded ones, so that it makes no difference which rule is applied first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.statistics.agreement import concordance
from analysis.statistics.estimates import Floats, correlation, figure, known_mean
from analysis.statistics.rules import Findings
from analysis.statistics.screening import (
    BS1534_LEAST,
    MOST_ONE_SIDED,
    bt500,
    low_variance,
    p808_correlation,
    p913_correlation,
)

LEAST_ANSWERS = 10  # to judge a pace
LEAST_REPEATS = 3
PERCENT = (0.0, 100.0)  # the scale of BS.1534


class Pace(NamedTuple):
    """How a listener answered: each answer's time after the sound in ms, and how many came before it could end."""

    answer_ms: Sequence[float]
    sooner: int
    answers: int


def rating_findings(
    marks: pd.DataFrame, ranges: Mapping[str, tuple[float, float]], again: pd.DataFrame | None = None
) -> list[Findings]:
    """Rules over ratings, from rows of listener, item, condition, condition_role, scale, position and value.

    `again` are ratings of clips that were heard a second time as an attention check; they count for that alone.
    """
    found: list[Findings] = []
    for scale, part in marks.groupby("scale", observed=True):
        name = str(scale)
        votes, people = _matrix(part)
        found += _rejections(name, votes, people)
        found += _correlations(name, votes, people)
        found += _repeats(name, _with_repeats(part, name, again), ranges[name])
        if ranges[name] == PERCENT:
            found += _reference(name, part)
    votes, people = _all_votes(marks)
    return [*found, Findings("variance", "", _known(people, low_variance(votes).variance))]


def repeat_rows(marks: pd.DataFrame, again: pd.DataFrame | None = None) -> list[dict[str, Any]]:
    """How listeners agree with themselves on clips that they rated twice: mean difference, Pearson's r and Lin's
    concordance of each listener on each scale. Rows are those of rating_findings."""
    rows = []
    for scale, part in marks.groupby("scale", observed=True):
        pairs = _pairs(_with_repeats(part, str(scale), again))
        for who, own in pairs.groupby(level=0) if pairs is not None else ():
            first, second = (own[place].to_numpy(np.float64) for place in (0, 1))
            found = concordance(first, second)
            rows.append(
                {
                    "listener": who,
                    "scale": str(scale),
                    "n_pairs": found.n,
                    "mean_difference": float(np.abs(first - second).mean()),
                    "r": figure(correlation(first, second)) if found.n >= LEAST_REPEATS else None,
                    "ccc": figure(found.value),
                    "ccc_low": figure(found.low),
                    "ccc_high": figure(found.high),
                }
            )
    return rows


def attention_findings(failed: Mapping[Any, tuple[int, int]]) -> list[Findings]:
    """The share of the trap and gold clips that a listener failed, from how many failed of how many were answered."""
    return [Findings("attention", "", {who: wrong / judged for who, (wrong, judged) in failed.items() if judged})]


def pace_findings(paces: Mapping[Any, Pace]) -> list[Findings]:
    """Rules over how fast answers came, of listeners with enough of them."""
    judged = {who: pace for who, pace in paces.items() if pace.answers >= LEAST_ANSWERS}
    timed = {who: pace.answer_ms for who, pace in judged.items() if len(pace.answer_ms) >= LEAST_ANSWERS}
    return [
        Findings("sooner", "", {who: pace.sooner / pace.answers for who, pace in judged.items()}),
        Findings("quick", "", {who: float(median(times)) for who, times in timed.items()}),
    ]


def _matrix(part: pd.DataFrame) -> tuple[Floats, list[Any]]:
    """Listener x presented stimulus: a clip that comes twice is presented twice."""
    keys = [part["listener"].astype(object), part["item"].astype(object), part["condition"].astype(object)]
    time = part.sort_values("position").groupby(keys, observed=True).cumcount().reindex(part.index)
    table = part["value"].groupby([*keys, time]).first().unstack([1, 2, 3])
    return table.to_numpy(np.float64), list(table.index)


def _all_votes(marks: pd.DataFrame) -> tuple[Floats, list[Any]]:
    """Listener x vote, whatever it is of: one's votes on all scales, from the left."""
    listener, people = pd.factorize(marks["listener"], sort=True)
    place = pd.Series(listener).groupby(listener).cumcount().to_numpy()
    votes = np.full((len(people), int(place.max()) + 1), np.nan)
    votes[listener, place] = marks["value"].to_numpy(np.float64)
    return votes, list(people)


def _rejections(scale: str, votes: Floats, people: Sequence[Any]) -> Iterable[Findings]:
    """The figure is the share of votes beyond the limits; who errs to one side is spared."""
    for rule, guarded in (("bt500", True), ("bt500-literal", False)):
        counts = bt500(votes, guarded=guarded)
        outside = counts.above + counts.below
        share = outside / np.maximum(counts.votes, 1)
        one_sided = np.abs(counts.above - counts.below) / np.maximum(outside, 1) >= MOST_ONE_SIDED
        spared = [who for who, side in zip(people, one_sided, strict=True) if side]
        yield Findings(rule, scale, _known(people, share), frozenset(spared))


def _correlations(scale: str, votes: Floats, people: Sequence[Any]) -> Iterable[Findings]:
    """A person who gave one and the same vote everywhere has no correlation, which counts as 0."""
    rules: list[tuple[str, Callable[[Floats], Any]]] = [("p913", p913_correlation), ("p808", p808_correlation)]
    for rule, correlated in rules:
        found = correlated(votes)
        flat = [code in found.rejected and not np.isfinite(found.r[code]) for code in range(len(people))]
        yield Findings(rule, scale, _known(people, np.where(flat, 0.0, found.r)))


def _with_repeats(part: pd.DataFrame, scale: str, again: pd.DataFrame | None) -> pd.DataFrame:
    columns = ["listener", "item", "condition", "position", "value"]
    if again is None or again.empty:
        return part[columns]
    return pd.concat([part[columns].astype(object), again.loc[again["scale"] == scale, columns].astype(object)])


def _repeats(scale: str, part: pd.DataFrame, limits: tuple[float, float]) -> Iterable[Findings]:
    """The mean difference between a listener's first two votes on the same clip, as a share of the scale."""
    pairs = _pairs(part)
    if pairs is None:
        return
    apart = (pairs[1] - pairs[0]).abs() / (limits[1] - limits[0])
    by_listener = apart.groupby(level=0)
    means, counts = by_listener.mean(), by_listener.size()
    figures = {who: float(means[who]) for who in means.index if counts[who] >= LEAST_REPEATS}
    yield Findings("repeats", scale, figures)


def _pairs(part: pd.DataFrame) -> pd.DataFrame | None:
    """A listener's first two votes on the same clip, as columns 0 and 1; none where nobody rated one twice."""
    if not part.duplicated(["listener", "item", "condition"]).any():
        return None
    ordered = part.sort_values("position")
    keys = [ordered[name].astype(object) for name in ("listener", "item", "condition")]
    time = ordered.groupby(keys, observed=True).cumcount()
    pairs = ordered["value"].astype(np.float64).groupby([*keys, time]).first().unstack()
    return pairs[pairs[1].notna()]


def _reference(scale: str, part: pd.DataFrame) -> Iterable[Findings]:
    """The share of items on which the hidden reference got less than 90; BS.1534 excludes above 15 %."""
    hidden = part[part["condition_role"].astype(str) == "reference"]
    if hidden.empty:
        return
    scores, people = _matrix(hidden)
    wrong = np.where(np.isfinite(scores), scores < BS1534_LEAST, np.nan)
    yield Findings("bs1534", scale, _known(people, known_mean(wrong, axis=1)))


def _known(people: Sequence[Hashable], values: Any) -> dict[Any, float]:
    return {who: float(value) for who, value in zip(people, values, strict=True) if np.isfinite(value)}
