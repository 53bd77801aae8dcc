"""The whole evaluation of utterances, as JSON that a page can draw."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from analysis.methods.summaries.alignment import align
from analysis.methods.summaries.correlation import UNITS, Cell, correlate, judged_cells
from analysis.methods.summaries.curves import draw_curves
from analysis.methods.summaries.makers import measure_makers
from analysis.methods.summaries.measurement import Measured, Measurement, Rated, Scores
from analysis.methods.summaries.network import Network
from analysis.methods.summaries.reading import DEFAULT, Reading
from analysis.methods.summaries.utterances import Candidate, Utterance

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
