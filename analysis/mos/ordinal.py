"""Rows of the ordinal model of each scale: effects of conditions, differences, thresholds and deviations.

Effects are about the mean of all conditions and differences stand in both directions, so that a blind reader is not
told which name comes first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.mos.cells import names
from analysis.mos.effects import PAIRED_CONDITIONS
from analysis.mos.model import votes_of_scale
from analysis.statistics.estimates import figure
from analysis.statistics.ordinal_model import OrdinalModel, fit_largest_ordinal_model
from core.errors import AppError
from core.i18n import LazyMessage, pack_messages

Rows = list[dict[str, Any]]

NORMAL = 1.959963984540054  # the 97.5th percentile, by which Wald's intervals are wide
TABLES = ("effects", "contrasts", "thresholds", "deviations", "warnings")


def ordinal_tables(marks: pd.DataFrame, watch: Callable[[float, str], None]) -> dict[str, Rows]:
    """From marks with categories, one model for each scale; a scale that cannot be fitted has a reason instead."""
    found: dict[str, Rows] = {name: [] for name in TABLES}
    scales = names(marks, "scale")
    for done, scale in enumerate(scales):
        votes = votes_of_scale(marks, scale)

        def tell(share: float, before: int = done, of: str = scale) -> None:
            watch((before + share) / len(scales), of)

        tell(0.0)
        try:
            model = fit_largest_ordinal_model(votes, watch=tell)
        except AppError as error:
            reason = pack_messages({"reason": LazyMessage(error.message, **error.data)})
            found["warnings"].append({"code": "no_model", "scale": scale, **reason})
            continue
        if model.kind == "intercepts":
            found["warnings"].append({"code": "intercepts_only", "scale": scale})
        for name, rows in _rows(model, votes).items():
            found[name] += [{"scale": scale, **row} for row in rows]
    return found


def _rows(model: OrdinalModel, votes: pd.DataFrame) -> Mapping[str, Rows]:
    size = len(model.conditions)
    about_mean = np.eye(size) - 1 / size
    effects = about_mean @ model.effects
    errors = np.sqrt(np.diag(about_mean @ model.covariance @ about_mean.T))
    counts = votes.groupby("condition", observed=True).size()
    return {
        "effects": [
            {"condition": str(name), "n_votes": int(counts[name]), **_interval(effect, se), "se": figure(se)}
            for name, effect, se in zip(model.conditions, effects.tolist(), errors.tolist(), strict=True)
        ],
        "contrasts": [
            {
                "condition": str(condition),
                "against": str(against),
                **_interval(sign * each.estimate, each.se),
                "odds_ratio": figure(math.exp(sign * each.estimate)),
                "se": figure(each.se),
                "z_value": figure(sign * each.z),  # `z` is a setting of conditions, by which rows are sorted
                "p": figure(each.p),
                "p_holm": figure(each.p_holm),
            }
            for each in (model.contrasts() if size <= PAIRED_CONDITIONS else [])
            for condition, against, sign in ((each.a, each.b, 1.0), (each.b, each.a, -1.0))
        ],
        "thresholds": [
            {"between": f"{lower:g} | {upper:g}", "threshold": figure(value)}
            for lower, upper, value in model.named_thresholds(moved=-float(model.effects.mean()))
        ],
        "deviations": [
            {"component": name, "sd": figure(value), "log_likelihood": figure(model.log_likelihood)}
            for name, value in model.deviations.items()
        ],
    }


def _interval(estimate: float, se: float) -> dict[str, float | None]:
    return {
        "effect": figure(estimate),
        "ci_low": figure(estimate - NORMAL * se),
        "ci_high": figure(estimate + NORMAL * se),
    }
