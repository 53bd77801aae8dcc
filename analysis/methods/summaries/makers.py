"""How far each person's summaries are from the others', and whose stand alone."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import fmean, median
from typing import Any

from analysis.methods.summaries.alignment import align
from analysis.methods.summaries.utterances import Summary, Utterance

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
