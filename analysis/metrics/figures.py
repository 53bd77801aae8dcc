"""Figures of objective metrics beside mean votes, scale by scale, per file and per condition.

Pages have them computed in the sandbox, so that a web process loads no scipy. Rows are flat: tables, files and the API
show them as they are. What is not known is None.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from analysis.statistics.estimates import Floats, correlation, figure
from analysis.statistics.objective_metrics import (
    MAPPINGS,
    Correlation,
    MappingKind,
    compare_correlations,
    fit_mapping,
    missing_for,
    pearson,
    prediction_errors,
    spearman,
)
from analysis.statistics.ranks import holm
from audio.sandbox.client import Outcome

CURVE_POINTS = 41
Row = dict[str, Any]


def compare_in_sandbox(*, request: bytes) -> Outcome:
    return Outcome({"parts": [compare_metrics(part) for part in json.loads(request)]})


def warm_up() -> None:
    """Compare two metrics of a few votes: a confined child can load nothing that scipy imports only when needed."""
    votes = [1.0, 3.0, 2.0, 4.0, 4.5, 1.5]
    metrics = {"one": [1.0, 2.0, 3.0, 5.0, 4.0, 9.0], "two": [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]}
    compare_metrics(
        {"level": "file", "scale": "", "low": 1, "high": 5, "mean": votes, "half_width": votes, "values": metrics}
    )


def compare_metrics(part: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one scale at one level: a list of mean votes with half widths, and of each metric's values."""
    votes, half_widths = _array(part["mean"]), _array(part["half_width"])
    values = {metric: _array(found) for metric, found in part["values"].items()}
    about = {"scale": part["scale"], "level": part["level"]}
    usable = {metric: found for metric, found in values.items() if not missing_for(found, votes)}
    return {
        **about,
        "correlations": [about | _correlated(metric, found, votes) for metric, found in values.items()],
        "prediction_errors": [
            about | row
            for metric, found in usable.items()
            for row in _errors(metric, found, votes, half_widths, (part["low"], part["high"]))
        ],
        "pairs": [about | row for row in _pairs(usable, votes)],
        "curves": {metric: _curves(found, votes) for metric, found in usable.items()},
    }


def _array(values: Sequence[float | None]) -> Floats:
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def _correlated(metric: str, values: Floats, votes: Floats) -> Row:
    nothing = Correlation(0, math.nan, math.nan, math.nan)
    missing = missing_for(values, votes)
    known = int((np.isfinite(values) & np.isfinite(votes)).sum())
    found = (nothing, nothing) if missing else (pearson(values, votes), spearman(values, votes))
    row: Row = {"metric": metric, "n": known, "problem": missing or None}
    for name, each in zip(("pearson", "spearman"), found, strict=True):
        row |= {name: figure(each.value), f"{name}_low": figure(each.low), f"{name}_high": figure(each.high)}
    return row


def _errors(metric: str, values: Floats, votes: Floats, half_widths: Floats, ends: tuple[float, float]) -> list[Row]:
    """Errors after each mapping; without one only for a metric that is on the scale of the votes."""
    known = values[np.isfinite(values) & np.isfinite(votes)]
    on_scale = bool(known.min() >= ends[0] and known.max() <= ends[1])
    rows = []
    for kind in MAPPINGS:
        found = prediction_errors(kind, values, votes, half_widths)
        if (kind != "none" or on_scale) and math.isfinite(found.rmse):
            told = {
                name: figure(value) if isinstance(value, float) else value for name, value in found._asdict().items()
            }
            rows.append({"metric": metric, "mapping": kind, **told})
    return rows


def _pairs(values: Mapping[str, Floats], votes: Floats) -> list[Row]:
    """Every two metrics, the one that correlates better first, with p after Holm over all of them."""
    strength = {metric: abs(correlation(each, votes)) for metric, each in values.items()}
    names = combinations(sorted(values, key=lambda metric: -strength[metric]), 2)
    found = [(one, other, compare_correlations(values[one], values[other], votes)) for one, other in names]
    adjusted = holm(np.array([test.p for *_names, test in found]))
    return [
        {
            "metric": first,
            "other": second,
            "n": test.n,
            "r": figure(test.r_first),
            "r_other": figure(test.r_second),
            "r_between": figure(test.r_between),
            "t": figure(test.t),
            "df": test.df,
            "p": figure(test.p),
            "p_holm": figure(p),
        }
        for (first, second, test), p in zip(found, adjusted.tolist(), strict=True)
    ]


def _curves(values: Floats, votes: Floats) -> dict[str, list[list[float]]]:
    """Points along each mapping that is not the metric itself, for figures."""
    known = values[np.isfinite(values) & np.isfinite(votes)]
    along = np.linspace(known.min(), known.max(), CURVE_POINTS)
    kinds: tuple[MappingKind, ...] = ("linear", "monotone")
    fitted = {kind: fit_mapping(kind, values, votes) for kind in kinds}
    return {kind: np.stack([along, mapping.at(along)], axis=1).tolist() for kind, mapping in fitted.items() if mapping}
