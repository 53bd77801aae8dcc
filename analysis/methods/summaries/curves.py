"""What the metrics, and their correlation with the judges, would have been with fewer people's summaries."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from statistics import fmean
from typing import Any

from analysis.methods.summaries.correlation import UNITS, Cell, correlate, judged_cells
from analysis.methods.summaries.measurement import Measured, Scores
from analysis.methods.summaries.reading import Reading
from analysis.methods.summaries.utterances import Utterance


def draw_curves(
    utterances: Sequence[Utterance],
    reading: Reading,
    *,
    draws: int,
    seed: int | str,
    counts: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Take the first 1, 2, ... people of `draws` random orders; give mean, lowest and highest over the orders.

    `counts` are numbers of people to do that for; every number there is, where none are given.
    Each utterance is measured by the first people in the order who summarised it and are not the candidate's author, or
    by all there are. So a draw is a group of people and not of summaries, and each group holds the smaller ones.
    """
    generator = random.Random(seed)
    makers = sorted({maker for utterance in utterances for maker in utterance.manual})
    orders = [generator.sample(makers, len(makers)) for _ in range(draws)]
    scorers = {
        (number, system): _Scorer(Measured(utterance, system, reading))
        for number, utterance in enumerate(utterances, 1)
        for system in utterance.candidates
    }
    judged = judged_cells(utterances)
    metrics: list[dict[str, Any]] = []
    correlations: list[dict[str, Any]] = []
    most = max((len(utterance.manual) for utterance in utterances), default=0)
    for count in counts or range(1, most + 1):
        drawn = [{cell: scorer.score(order, count) for cell, scorer in scorers.items()} for order in orders]
        metrics += _metric_rows(count, drawn)
        correlations += _correlation_rows(count, drawn, judged)
    return {"draws": draws, "seed": seed, "metrics": metrics, "correlations": correlations}


class _Scorer:
    """Scores one candidate by the first people of an order, and each group of people once."""

    def __init__(self, measured: Measured) -> None:
        self._measured = measured
        self._known: dict[frozenset[str], Scores] = {}

    def score(self, order: Iterable[str], count: int) -> Scores:
        group = frozenset(islice((maker for maker in order if maker in self._measured.references), count))
        if group not in self._known:
            self._known[group] = self._measured.by(group).scores
        return self._known[group]


def _metric_rows(count: int, drawn: Sequence[Mapping[Cell, Scores]]) -> Iterator[dict[str, Any]]:
    """Average over utterances within each draw, then sum up the draws."""
    means: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for scores in drawn:
        values: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        for (_, system), found in scores.items():
            for metric, value in found.items():
                values[system, metric] += [] if value is None else [value]
        for key, known in values.items():
            means[key] += [fmean(known)] if known else []
    for (system, metric), known in means.items():
        yield {"system": system, "metric": metric, "makers": count, **_band(known)}


def _correlation_rows(
    count: int, drawn: Sequence[Mapping[Cell, Scores]], judged: Mapping[Cell, float]
) -> Iterator[dict[str, Any]]:
    for unit in UNITS:
        found: defaultdict[str, list[float]] = defaultdict(list)
        for scores in drawn:
            for metric, value in correlate(scores, judged, unit).items():
                found[metric] += [] if value is None else [value]
        for metric, known in found.items():
            yield {"unit": unit, "metric": metric, "makers": count, **_band(known)}


def _band(values: Sequence[float]) -> dict[str, Any]:
    """Give mean and range, and of how many draws: in some a value may not exist."""
    if not values:
        return {"mean": None, "low": None, "high": None, "draws": 0}
    return {"mean": fmean(values), "low": min(values), "high": max(values), "draws": len(values)}
