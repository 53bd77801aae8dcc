"""Screening of an experiment's listeners: what the rules find in all answers, what is excluded, what that changed."""

from collections.abc import Iterable, Mapping
from typing import Any

from analysis import datasets
from analysis.datasets import Dataset
from analysis.exports import subject_id
from analysis.method import Method
from listening.models import Exclusion
from listening.panels.services.exclusions import ledger_of, name_of_listener
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.attention import outcomes

Rows = list[dict[str, Any]]


def screening_of(
    experiment: Experiment,
    dataset: Dataset,
    result: Mapping[str, Any],
    *,
    method: Method | None,
    simulated: bool,
) -> dict[str, Rows]:
    """Tables beside those of a result. Rules over ratings are for answers that rate conditions, and of a method over
    whole answers there is no model."""
    from analysis.statistics.with_and_without import model_means, with_and_without

    rated = method is not None and method.rates_conditions
    again = None
    if experiment.checks:
        again = datasets.repeated_scores(experiment, dataset.ballots, simulated=simulated)
    found = {"screening": _findings(experiment, dataset, again, rated=rated, simulated=simulated)}
    if rated:
        found |= _bias(dataset) | {"repeats": _repeats(dataset, again)}
    ballots = {each.ballot for each in dataset.ballots}
    standing = [entry for entry in ledger_of(experiment).standing() if entry.seat.ballot_id in ballots]
    if standing:
        found["exclusions"] = [_told(entry) for entry in standing]
        models = None
        if method is not None and "model_level" in result:
            everything = model_means(_of_test(dataset)) if rated else _means(method.model_level(dataset.scores))
            models = everything, _means(result["model_level"])
        found["with_and_without"] = with_and_without(_of_test(dataset), models)
    return found


def _means(level: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], float | None]:
    """The mean of each scale and condition out of rows of the model, which one method calls a MOS."""
    return {(row["scale"], row["condition"]): row["mos"] if "mos" in row else row["mean"] for row in level}


def _findings(experiment: Experiment, dataset: Dataset, again: Any, *, rated: bool, simulated: bool) -> Rows:
    """Each rule's figure for each listener, excluded answers included."""
    from analysis.statistics.listener_rules import attention_findings, pace_findings, rating_findings

    marks = _of_test(dataset)
    ranges = {scale.key: (scale.low, scale.high) for scale in get_protocol(experiment.protocol).scales}
    found = [
        *(rating_findings(marks, ranges, again) if rated and len(marks) else []),
        *(attention_findings(_failed(experiment, dataset)) if experiment.checks else []),
        *pace_findings(datasets.paces(experiment, dataset.ballots, simulated=simulated)),
    ]
    names = _names(dataset)
    return [
        {
            "rule": each.rule,
            "scale": each.scale or None,
            "figures": {names[number]: figure for number, figure in each.figures.items()},
            "spared": sorted(names[number] for number in each.spared),
        }
        for each in found
    ]


def _bias(dataset: Dataset) -> dict[str, Rows]:
    """Bias and inconsistency of each listener, of the answers that count."""
    from analysis.statistics.listener_bias import bias_tables

    marks = datasets.not_excluded(_of_test(dataset))
    names = _names(dataset)
    found = bias_tables(marks) if len(marks) else {}
    return {
        part: [row | ({"listener": names[row["listener"]]} if "listener" in row else {}) for row in rows]
        for part, rows in found.items()
    }


def _repeats(dataset: Dataset, again: Any) -> Rows:
    """Agreement of each listener with themselves on clips that were rated twice, excluded answers included."""
    from analysis.statistics.listener_rules import repeat_rows

    marks, names = _of_test(dataset), _names(dataset)
    return [row | {"listener": names[row["listener"]]} for row in (repeat_rows(marks, again) if len(marks) else [])]


def _names(dataset: Dataset) -> dict[int, str]:
    return {n: subject_id(each.participant, each.ballot) for n, each in enumerate(dataset.ballots, start=1)}


def _failed(experiment: Experiment, dataset: Dataset) -> dict[int, tuple[int, int]]:
    """How many trap and gold clips each listener failed, of those that were answered."""
    found = outcomes(experiment=experiment, ballots=[each.ballot for each in dataset.ballots])
    by_number = {n: found[each.ballot] for n, each in enumerate(dataset.ballots, start=1)}
    return {n: (one.failed, one.judged) for n, one in by_number.items()}


def _of_test(dataset: Dataset) -> Any:
    return dataset.scores[dataset.scores["kind"] == "test"]


def _told(entry: Exclusion) -> dict[str, Any]:
    return {
        "listener": name_of_listener(entry.seat),
        "kind": str(entry.kind),
        "panel": entry.seat.panel.number,
        "seat": entry.seat.number,
        "position": entry.trial.position if entry.trial else None,
        "rule": entry.rule,
        "scale": entry.scale or None,
        "figure": entry.figure,
        "threshold": entry.threshold,
        "reason": entry.told,
        "after_unblinding": entry.after_unblinding,
        "made_at": entry.created_at.isoformat(timespec="seconds"),
    }
