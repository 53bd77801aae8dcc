"""Means of conditions with all answers and without the excluded ones, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.statistics.estimates import figure
from analysis.statistics.mixed_model import fit_mixed_model
from core.errors import AppError

Rows = list[dict[str, Any]]
Key = tuple[str, str]  # scale and condition
Means = Mapping[Key, float | None]


def with_and_without(marks: pd.DataFrame, models: tuple[Means, Means] | None = None) -> Rows:
    """From rows of listener, item, condition, scale, value and excluded: a row a scale and condition.

    Means are of votes, and where they are given, of the mixed model with all votes and without the excluded ones. A
    condition without a vote left has no mean. A difference is what the exclusions changed.
    """
    everything, kept = _means(marks), _means(marks[~marks["excluded"]])
    of_model: tuple[Means, Means] = models or ({}, {})
    rows: Rows = []
    for key, whole in everything.items():
        scale, condition = key
        left = kept.get(key, {"mean": None, "n_votes": 0, "n_listeners": 0})
        model_all, model_kept = (found.get(key) for found in of_model)
        rows.append(
            {
                "scale": scale,
                "condition": condition,
                "n_listeners_all": whole["n_listeners"],
                "n_votes_all": whole["n_votes"],
                "mean_all": whole["mean"],
                "n_listeners_kept": left["n_listeners"],
                "n_votes_kept": left["n_votes"],
                "mean_kept": left["mean"],
                "difference": _difference(left["mean"], whole["mean"]),
                "model_all": model_all,
                "model_kept": model_kept,
                "model_difference": _difference(model_kept, model_all),
            }
        )
    return rows


def _means(marks: pd.DataFrame) -> dict[Key, dict[str, Any]]:
    return {
        (str(scale), str(condition)): {
            "mean": figure(float(part["value"].mean())),
            "n_votes": len(part),
            "n_listeners": int(part["listener"].nunique()),
        }
        for (scale, condition), part in marks.groupby(["scale", "condition"], observed=True)
    }


def model_means(marks: pd.DataFrame) -> dict[Key, float | None]:
    """The means of each scale's mixed model; none where it cannot be fitted."""
    found: dict[Key, float | None] = {}
    for scale, part in marks.groupby("scale", observed=True):
        columns = {name: part[name].cat.remove_unused_categories() for name in ("listener", "item", "condition")}
        votes = pd.DataFrame({**columns, "score": part["value"]}).reset_index(drop=True)
        try:
            model = fit_mixed_model(votes)
        except AppError:
            continue
        found |= {(str(scale), str(mean.condition)): figure(mean.estimate) for mean in model.means()}
    return found


def _difference(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
