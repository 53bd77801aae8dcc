"""Evaluation of utterances as JSON: scores of candidates, correlation with judges, curves over makers."""

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise
from statistics import correlation, fmean, median
from typing import Any, Literal, get_args

from protocols.speech_summaries.analysis.alignment import Bleu, StringPrecision, align
from protocols.speech_summaries.analysis.network import Network, Path, Search, find_closest
from protocols.speech_summaries.analysis.utterances import DEFAULT, Candidate, Reading, Summary, Utterance

Scores = dict[str, float | None]  # by metric; None where a candidate is too short for p_n


@dataclass(frozen=True, slots=True)
class Rated:
    """A path as a target: SumACCY, the weight of its arcs, and the product of both, WSumACCY (equation 7)."""

    path: Path
    weight: float

    @property
    def sum_accy(self) -> float:
        return self.path.word_accuracy

    @property
    def w_sum_accy(self) -> float:
        return self.sum_accy * self.weight


@dataclass(frozen=True, slots=True)
class Measurement:
    network: Network
    search: Search
    target: Rated
    scores: Scores

    def near_ties(self, most: int) -> list[Rated]:
        return [_rate(self.network, path, self.search.boundaries) for path in self.search.near_ties(most)]


class Measured:
    """One candidate of one utterance, with all that does not depend on who the references are."""

    def __init__(self, utterance: Utterance, system: str, reading: Reading) -> None:
        self.candidate = utterance.candidates[system]
        self.references = utterance.references_for(system)
        self.pairs = {maker: align(self.candidate, summary) for maker, summary in self.references.items()}
        self._accuracy = {maker: pair.word_accuracy for maker, pair in self.pairs.items()}
        self._precision = StringPrecision(self.candidate, self.references, reading.longest_ngram)
        self._bleu = Bleu(self.candidate, self.references, utterance.tokens, reading.bleu_order)
        self._reading = reading

    def by(self, makers: Collection[str]) -> Measurement:
        network = Network.of([self.references[maker] for maker in makers])
        search = find_closest(network, self.candidate, self._reading)
        # The closest path is weighed; that another would be higher after weighing does not make it the target.
        target = _rate(network, search.best, self._reading.boundaries)
        accuracies = [self._accuracy[maker] for maker in makers]
        scores: Scores = {
            "sum_accy": target.sum_accy,
            "w_sum_accy": target.w_sum_accy,
            "bleu": self._bleu.among(makers),
            **{f"p_{n}": precision for n, precision in self._precision.among(makers).items()},
            # Against single people's summaries, which no network mixes.
            "wacc_mean": fmean(accuracies),
            "wacc_best": max(accuracies),
        }
        return Measurement(network, search, target, scores)


def _rate(network: Network, path: Path, boundaries: bool) -> Rated:
    return Rated(path, network.weight_of(path.words, boundaries=boundaries))


Cell = tuple[int, str]  # number of the utterance, name of the system
Unit = Literal["system", "summary"]  # the paper's figure 5 does not say which; systems are the default to show
UNITS: tuple[Unit, ...] = get_args(Unit)

FEWEST_POINTS = 3  # two points always lie on a line
LEAST_RANGE = 1e-9  # smaller differences are rounding, and a constant correlates with nothing


def judged_cells(utterances: Sequence[Utterance]) -> dict[Cell, float]:
    return {
        (number, system): mean
        for number, utterance in enumerate(utterances, 1)
        for system, mean in utterance.judged.items()
    }


def correlate(scores: Mapping[Cell, Scores], judged: Mapping[Cell, float], unit: Unit) -> dict[str, float | None]:
    """Correlate every metric with the judges' means over the cells that have both; None where that cannot be said."""
    cells = [cell for cell in scores if cell in judged]
    metrics = list(dict.fromkeys(metric for cell in cells for metric in scores[cell]))
    return {metric: _pearson(_points(metric, cells, scores, judged, unit)) for metric in metrics}


def _points(
    metric: str, cells: Sequence[Cell], scores: Mapping[Cell, Scores], judged: Mapping[Cell, float], unit: Unit
) -> list[tuple[float, float]]:
    groups: defaultdict[Cell | str, list[tuple[float, float]]] = defaultdict(list)
    for cell in cells:
        if (score := scores[cell].get(metric)) is not None:
            groups[cell[1] if unit == "system" else cell].append((score, judged[cell]))
    return [(fmean(x for x, _ in group), fmean(y for _, y in group)) for group in groups.values()]


def _pearson(points: Sequence[tuple[float, float]]) -> float | None:
    if len(points) < FEWEST_POINTS:
        return None
    xs, ys = zip(*points, strict=True)
    if min(max(xs) - min(xs), max(ys) - min(ys)) < LEAST_RANGE:
        return None
    return correlation(xs, ys)


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


# Iglewicz and Hoaglin (1993) advise to look at what lies 3.5 robust standard deviations off; 1.4826 makes the median
# absolute deviation estimate the standard deviation of normal data.
FAR_OFF = 3.5
SD_PER_MAD = 1.4826
LEAST_SPREAD_PERCENT = 5.0  # where people agree almost to the word, a single word makes nobody isolated
FEWEST_MAKERS = 4  # among three, nobody can say which one is apart


def distance_percent(one: Summary, other: Summary) -> float:
    """Errors between two summaries in percent of the longer: 0 if they are equal, 100 if they share no word."""
    return 100 * align(one, other).errors / max(len(one), len(other))


def measure_makers(utterances: Sequence[Utterance]) -> list[dict[str, Any]]:
    """Give each maker's mean distance to the others, over utterances; too far above the median is isolated.

    Alone on every utterance, a maker has no distance.
    """
    found: defaultdict[str, list[float]] = defaultdict(list)
    for utterance in utterances:
        for maker, distances in _distances(utterance).items():
            found[maker] += [fmean(distances)] if distances else []
    distance = {maker: fmean(distances) if distances else None for maker, distances in sorted(found.items())}
    isolated = set(_isolated({maker: value for maker, value in distance.items() if value is not None}))
    return [
        {"maker": maker, "utterances": len(found[maker]), "distance": value, "isolated": maker in isolated}
        for maker, value in distance.items()
    ]


def _distances(utterance: Utterance) -> dict[str, list[float]]:
    distances: dict[str, list[float]] = {maker: [] for maker in utterance.manual}
    for (one, mine), (other, theirs) in combinations(utterance.manual.items(), 2):
        between = distance_percent(mine, theirs)
        distances[one].append(between)
        distances[other].append(between)
    return distances


def _isolated(distance: dict[str, float]) -> Iterator[str]:
    if len(distance) < FEWEST_MAKERS:
        return
    middle = median(distance.values())
    spread = SD_PER_MAD * median(abs(value - middle) for value in distance.values())
    limit = middle + FAR_OFF * max(spread, LEAST_SPREAD_PERCENT)
    yield from (maker for maker, value in distance.items() if value > limit)


Json = dict[str, Any]
MOST_NEAR_TIES = 5


def run(utterances: Sequence[Utterance], reading: Reading = DEFAULT, *, draws: int = 0, seed: int | str = 0) -> Json:
    """Evaluate every candidate of every utterance; curves only where `draws` asks for them."""
    results: list[Json] = []
    scores: dict[Cell, Scores] = {}
    for number, utterance in enumerate(utterances, 1):
        candidates = {}
        for system in utterance.candidates:
            candidates[system], scores[number, system] = _evaluate(utterance, system, reading)
        network = Network.of(utterance.manual.values())
        results.append(
            {
                "tokens": list(utterance.tokens),
                "network": network.to_json(utterance.tokens),
                "candidates": candidates,
            }
        )
    return {
        "reading": reading.to_json(),
        "utterances": results,
        "means": _means(results, scores),
        "correlations": _correlations(scores, judged_cells(utterances)),
        "makers": measure_makers(utterances),
        "curves": draw_curves(utterances, reading, draws=draws, seed=seed) if draws else None,
    }


def _evaluate(utterance: Utterance, system: str, reading: Reading) -> tuple[Json, Scores]:
    measured = Measured(utterance, system, reading)
    found, author = measured.by(measured.references), utterance.author_of(system)
    result = {
        "words": list(measured.candidate),
        **_nested(found.scores),
        "wacc": {maker: pair.word_accuracy for maker, pair in measured.pairs.items()},
        "percent_correct": {maker: pair.percent_correct for maker, pair in measured.pairs.items()},
        "weight": found.target.weight,
        "target": list(found.target.path.words),
        "errors": found.target.path.errors,
        "edits": [edit._asdict() for edit in align(measured.candidate, found.target.path.words).edits],
        "near_ties": [_near_tie(rated) for rated in found.near_ties(MOST_NEAR_TIES)],
        "judged": utterance.judged.get(system),
        "references": len(measured.references),
        "left_out": author,
        # Without the author's summary the counts are not those of the utterance's network.
        "network": None if author is None else found.network.to_json(utterance.tokens),
        "notes": list(_notes(measured.candidate, found)),
    }
    return result, found.scores


def _nested(scores: Mapping[str, float | None]) -> Json:
    """Gather p_1, p_2 ... under p_n."""
    return {
        **{metric: value for metric, value in scores.items() if not metric.startswith("p_")},
        "p_n": {metric.removeprefix("p_"): value for metric, value in scores.items() if metric.startswith("p_")},
    }


def _near_tie(rated: Rated) -> Json:
    return {
        "target": list(rated.path.words),
        "errors": rated.path.errors,
        "sum_accy": rated.sum_accy,
        "weight": rated.weight,
        "w_sum_accy": rated.w_sum_accy,
    }


def _notes(candidate: Candidate, found: Measurement) -> Iterator[str]:
    """Name what a reader should know before comparing the numbers."""
    if not candidate:
        yield "empty"
    positions = [token for token in candidate if isinstance(token, int)]
    if any(right <= left for left, right in pairwise(positions)):
        yield "out_of_order"  # no summary by extraction from these words; measured all the same
    if found.target.sum_accy < 0:
        yield "negative"  # the weight draws it towards 0, so that a less reliable target looks better


def _means(results: Sequence[Json], scores: Mapping[Cell, Scores]) -> Json:
    """Average over the utterances that a system has a candidate for ("averaged over 50 utterances", section 3.7)."""
    gathered: defaultdict[str, list[tuple[Json, Scores]]] = defaultdict(list)
    for (number, system), found in scores.items():
        gathered[system].append((results[number - 1]["candidates"][system], found))
    return {
        system: {
            **_nested(_mean_by_key([found for _, found in rows])),
            "wacc": _mean_by_key([result["wacc"] for result, _ in rows]),
            "percent_correct": _mean_by_key([result["percent_correct"] for result, _ in rows]),
            "judged": _mean_by_key([{"": result["judged"]} for result, _ in rows])[""],
            "utterances": len(rows),
        }
        for system, rows in gathered.items()
    }


def _mean_by_key(rows: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    """Average what there is under each key; what is nowhere defined has no mean."""
    values: dict[str, list[float]] = {}
    for row in rows:
        for key, value in row.items():
            values.setdefault(key, []).extend([] if value is None else [value])
    return {key: fmean(known) if known else None for key, known in values.items()}


def _correlations(scores: Mapping[Cell, Scores], judged: Mapping[Cell, float]) -> list[Json]:
    return [
        {"unit": unit, "metric": metric, "r": value}
        for unit in UNITS
        for metric, value in correlate(scores, judged, unit).items()
    ]
