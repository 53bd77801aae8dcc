"""How well a metric follows the judges: Pearson's correlation over systems or over single summaries."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import correlation, fmean
from typing import Literal, get_args

from analysis.methods.summaries.measurement import Scores
from analysis.methods.summaries.utterances import Utterance

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
