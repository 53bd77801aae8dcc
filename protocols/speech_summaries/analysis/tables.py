"""Tables of a study: every version and every utterance in rows that name a condition only under `condition`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from protocols.speech_summaries.analysis.evaluation import draw_curves, measure_makers, run
from protocols.speech_summaries.analysis.study import Maker, Study, maker_name
from protocols.speech_summaries.analysis.utterances import DEFAULT, Utterance

Row = dict[str, Any]
METRICS = ("sum_accy", "w_sum_accy", "bleu", *(f"p_{n}" for n in range(1, DEFAULT.longest_ngram + 1)))
METRICS += ("wacc_mean", "wacc_best")

SEED = "0"
FEWEST_DRAWS, MOST_DRAWS = 3, 20
# How much the curves may cost, in measurements of a candidate in an utterance of 40 words, each about 2 ms; a result is
# computed anew while people work, so a study is not measured for minutes. The command has no such limit.
MOST_MEASUREMENTS = 12_500
USUAL_WORDS = 40
EVERY_COUNT_UP_TO = 12  # makers; of more, only some numbers are drawn
SOME_COUNTS = (1, 2, 3, 5, 8, 12, 17, 25, 40, 60, 100)
FEW_MAKERS = 5
NEAR_TIE = ("target", "errors", "sum_accy", "w_sum_accy")


def analyse(study: Study) -> Row:
    """Return every table, however little has been answered; what cannot be computed is null."""
    measured = {item: each for item, each in study.utterances.items() if each.manual}
    evaluation = run(list(measured.values()))
    results = dict(zip(measured, evaluation["utterances"], strict=True))
    items = list(_items(study, results))
    drawn, curves, correlation_curves = _curves([each for each in measured.values() if each.candidates])
    modelled = _models(study)
    return {
        "rows": [*_judged_rows(study), *_metric_rows(items), *_agreement_rows(study)],
        "model_level": modelled["model_level"],
        "model_contrasts": modelled["model_contrasts"],
        "components": modelled["components"],
        "items": items,
        "versions": list(_versions(study, results)),
        "utterances": [_utterance(study, item, each) for item, each in study.utterances.items()],
        "picks": [
            {"item": item, "maker": maker, "picked": list(summary)}
            for item, picked in study.picks.items()
            for maker, summary in picked.items()
        ],
        "makers": _makers(study),
        "correlations": [
            {"over": row["unit"], "metric": row["metric"], "r": row["r"]} for row in evaluation["correlations"]
        ],
        "curves": curves,
        "correlation_curves": correlation_curves,
        "authors": [{"condition": condition, "maker": maker} for condition, maker in sorted(study.authors.items())],
        "warnings": [*_warnings(study, drawn), *modelled["model_warnings"]],
        "drawn": drawn,
        "reading": evaluation["reading"],
        "counts": {
            "makers": len(study.makers),
            "judges": len(study.judges),
            "utterances": len(study.utterances),
            "summaries": sum(len(picked) for picked in study.picks.values()),
            "ratings": sum(len(given) for given in study.ratings.values()),
        },
    }


# --- Versions ---------------------------------------------------------------------------------------------------------


def _items(study: Study, results: Mapping[str, Row]) -> Iterator[Row]:
    """Yield one row a version of an utterance: what judges gave it, and every metric where makers have been there."""
    for item, utterance in study.utterances.items():
        for condition, words in utterance.candidates.items():
            found = results[item]["candidates"][condition] if item in results else {}
            given = study.ratings.get((item, condition), {})
            flat = {**found, **{f"p_{n}": value for n, value in found.get("p_n", {}).items()}}
            yield {
                "item": item,
                "condition": condition,
                "n_words": len(words),
                "judged": fmean(given.values()) if given else None,
                "n_listeners": len(given),
                **{metric: flat.get(metric) for metric in METRICS},
            }


def _versions(study: Study, results: Mapping[str, Row]) -> Iterator[Row]:
    """Yield what each version says and which paths it is closest to: there are many, so no more."""
    for item, result in results.items():
        for condition, found in result["candidates"].items():
            yield {
                "item": item,
                "condition": condition,
                **{key: found[key] for key in ("words", "target", "errors", "weight", "references", "notes")},
                "near_ties": [[near[key] for key in NEAR_TIE] for near in found["near_ties"]],
                "judged": found["judged"],
                "ambiguous": list(study.ambiguous.get((item, condition), ())),
                "network": _network(found["network"]) if found["network"] else None,
            }


def _judged_rows(study: Study) -> Iterator[Row]:
    """Average each judge first, then over judges, with a t interval over judges."""
    conditions = sorted({condition for _, condition in study.ratings})
    for condition in conditions:
        given = [marks for (_, rated), marks in study.ratings.items() if rated == condition]
        by_judge = [
            fmean(marks[judge] for marks in given if judge in marks)
            for judge in study.judges
            if any(judge in marks for marks in given)
        ]
        mean, half = fmean(by_judge), _half_width(by_judge)
        yield {
            "condition": condition,
            "metric": "judged",
            "mean": mean,
            "sd": stdev(by_judge) if len(by_judge) > 1 else None,
            "ci_low": None if half is None else mean - half,
            "ci_high": None if half is None else mean + half,
            "n_items": len(given),
            "n_listeners": len(by_judge),
            "n_votes": sum(map(len, given)),
        }


def _models(study: Study) -> dict[str, list[Row]]:
    """Of what judges gave: judges and utterances random, each also by condition."""
    import pandas as pd  # takes a second to load

    from analysis.statistics.model_rows import model_rows

    given = [
        (judge, item, condition, mark)
        for (item, condition), marks in study.ratings.items()
        for judge, mark in marks.items()
    ]
    return model_rows({"QUALITY": pd.DataFrame(given, columns=["listener", "item", "condition", "score"])})


def _half_width(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    from scipy.stats import t  # takes a second to load

    return float(t.ppf(0.975, len(values) - 1)) * stdev(values) / sqrt(len(values))


def _metric_rows(items: Sequence[Row]) -> Iterator[Row]:
    """Average over the utterances that a condition has a version of ("averaged over 50 utterances", section 3.7)."""
    ordered = sorted(items, key=lambda row: str(row["condition"]))
    for condition, group in groupby(ordered, key=lambda row: row["condition"]):
        rows = list(group)
        for metric in METRICS:
            values = [row[metric] for row in rows if row[metric] is not None]
            if values:
                sd = stdev(values) if len(values) > 1 else None
                yield {
                    "condition": condition,
                    "metric": metric,
                    "mean": fmean(values),
                    "sd": sd,
                    "n_items": len(values),
                }


def _agreement_rows(study: Study) -> Iterator[Row]:
    """Say how far makers agree, over utterances; it is about no condition."""
    if study.makers:
        known = [value for each in study.utterances.values() if (value := kappa(each)) is not None]
        yield {
            "condition": None,
            "metric": "kappa",
            "mean": fmean(known) if known else None,
            "sd": stdev(known) if len(known) > 1 else None,
            "n_items": len(known),
            "n_listeners": len(study.makers),
        }


# --- Utterances and makers --------------------------------------------------------------------------------------------


def _utterance(study: Study, item: str, utterance: Utterance) -> Row:
    from protocols.speech_summaries.analysis.network import Network

    picked = utterance.manual.values()
    lengths = [len(summary) for summary in picked]
    network = Network.of(picked).to_json(utterance.tokens) if picked else None
    return {
        "item": item,
        "tokens": list(utterance.tokens),
        "n_words": len(utterance.tokens),
        "n_makers": len(lengths),
        "n_kept": fmean(lengths) if lengths else None,
        "kappa": kappa(utterance),
        "asr_accuracy": study.recognised.get(item),
        "network": _network(network) if network else None,
    }


def _network(network: Row) -> Row:
    """The same with lists for objects: a study has thousands of arcs."""
    return {
        "makers": network["makers"],
        "nodes": [[node["position"], node["count"]] for node in network["nodes"]],
        "arcs": [[arc["from"], arc["to"], arc["count"]] for arc in network["arcs"]],
    }


def kappa(utterance: Utterance) -> float | None:
    """Fleiss (1971): how far makers agree, beyond chance, on which words to keep; each word is kept or not."""
    makers, words = len(utterance.manual), len(utterance.tokens)
    if makers < 2:
        return None
    kept = [sum(place in summary for summary in utterance.manual.values()) for place in range(1, words + 1)]
    agreed = fmean((k * (k - 1) + (makers - k) * (makers - k - 1)) / (makers * (makers - 1)) for k in kept)
    share = sum(kept) / (makers * words)
    chance = share**2 + (1 - share) ** 2
    return None if chance == 1 else (agreed - chance) / (1 - chance)


def _makers(study: Study) -> list[Row]:
    found = {row["maker"]: row for row in measure_makers(list(study.utterances.values()))}
    return [
        {
            "maker": maker,
            "n_items": len(kept),
            "share": fmean(kept),
            "distance": found[maker_name(maker)]["distance"],
            "isolated": found[maker_name(maker)]["isolated"],
        }
        for maker in study.makers
        if (kept := _shares(study, maker))
    ]


def _shares(study: Study, maker: Maker) -> list[float]:
    return [
        len(picked[maker]) / len(study.utterances[item].tokens)
        for item, picked in study.picks.items()
        if maker in picked and item in study.utterances
    ]


# --- Fewer makers -----------------------------------------------------------------------------------------------------


def _curves(utterances: Sequence[Utterance]) -> tuple[Row, list[Row], list[Row]]:
    """Draw as many orders of makers as may be paid for; none, where that would be too few to show a range."""
    most = max((len(utterance.manual) for utterance in utterances), default=0)
    counts = list(range(1, most + 1)) if most <= EVERY_COUNT_UP_TO else _some_counts(most)
    cost = sum(len(each.candidates) * (len(each.tokens) / USUAL_WORDS) ** 3 for each in utterances) * len(counts)
    draws = min(MOST_DRAWS, int(MOST_MEASUREMENTS / cost)) if most > 1 and cost else 0
    told = {"draws": draws if draws >= FEWEST_DRAWS else 0, "seed": SEED, "makers": most}
    if not told["draws"]:
        return told, [], []
    curves = draw_curves(utterances, DEFAULT, draws=draws, seed=SEED, counts=counts)
    by_condition = [{"condition": row.pop("system"), **row} for row in curves["metrics"]]
    correlated = [{"over": row.pop("unit"), **row} for row in curves["correlations"]]
    return told, by_condition, correlated


def _some_counts(most: int) -> list[int]:
    return sorted({count for count in SOME_COUNTS if count < most} | {most})


# --- What to know before reading this ---------------------------------------------------------------------------------


def _warnings(study: Study, drawn: Row) -> Iterator[Row]:
    makers = len(study.makers)
    if 0 < makers < FEW_MAKERS:
        yield {"code": "few_makers", "makers": makers, "wanted": FEW_MAKERS}
    for row in _makers(study):
        if row["isolated"]:
            yield {"code": "isolated", "maker": row["maker"], "distance": row["distance"]}
    missing = makers * len(study.utterances) - sum(len(picked) for picked in study.picks.values())
    if missing > 0:
        yield {"code": "incomplete", "missing": missing, "of": makers * len(study.utterances)}
    if study.ambiguous:
        yield {"code": "ambiguous", "versions": len(study.ambiguous)}
    if drawn["makers"] > 1 and not drawn["draws"]:
        yield {"code": "no_curves"}
