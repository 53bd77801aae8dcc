"""Rows of the mixed model for several scales: means, differences in both directions, components, and what failed.

For methods whose raters and material have names of their own: a rater is a listener here, and a recording, a clip or
an utterance is an item. p is adjusted by Holm over the pairs of a scale, and over those of all scales together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.statistics.estimates import Floats, figure
from analysis.statistics.ranks import holm
from analysis.statistics.scale_record import model_record
from core.i18n import pack_messages

Rows = list[dict[str, Any]]


def votes_of(marks: Floats, listeners: list[Any], items: list[Any], conditions: list[Any]) -> pd.DataFrame:
    """From listener x item x condition, nan where there is no mark."""
    found = np.argwhere(np.isfinite(marks))
    names = zip(("listener", "item", "condition"), (listeners, items, conditions), found.T, strict=True)
    columns: dict[str, Any] = {name: [known[place] for place in places] for name, known, places in names}
    return pd.DataFrame({**columns, "score": marks[tuple(found.T)]})


def model_rows(votes: Mapping[str, pd.DataFrame]) -> dict[str, Rows]:
    """From rows of listener, item, condition and score by scale; scales without a vote are left out."""
    found: dict[str, Rows] = {"model_level": [], "model_contrasts": [], "components": [], "model_warnings": []}
    for scale, rows in votes.items():
        if rows.empty:
            continue
        model = model_record(rows)
        found["model_level"] += [_mean(scale, name, mean, rows) for name, mean in model["means"].items()]
        found["model_contrasts"] += [row for each in model["contrasts"] for row in _both_ways(scale, each)]
        found["components"] += _components(scale, model)
        if model["error"]:
            reason = pack_messages({"reason": model["error"]["message"]})
            found["model_warnings"].append({"code": "no_model", "scale": scale, **reason})
    _adjust_over_scales(found["model_contrasts"])
    return found


def _mean(scale: str, condition: str, mean: Mapping[str, Any], votes: pd.DataFrame) -> dict[str, Any]:
    own = votes[votes["condition"].astype(str) == condition]
    return {
        "scale": scale,
        "condition": condition,
        "n_votes": len(own),
        "n_listeners": int(own["listener"].nunique()),
        "n_items": int(own["item"].nunique()),
        "mean": mean["estimate"],
        "se": mean["se"],
        "df": mean["df"],
        "ci_low": mean["ci95"][0],
        "ci_high": mean["ci95"][1],
        "letters": mean["letters"],
    }


def _both_ways(scale: str, pair: Mapping[str, Any]) -> Rows:
    """The order of two names would tell a blind reader which comes first."""
    shared = {name: pair[name] for name in ("se", "df", "p", "p_holm")}
    limits = (pair["low"], pair["high"])
    turned = tuple(None if limit is None else -limit for limit in reversed(limits))
    directions = ((pair["a"], pair["b"], 1.0, limits), (pair["b"], pair["a"], -1.0, turned))
    return [
        {
            "scale": scale,
            "condition": first,
            "against": second,
            "difference": pair["estimate"] * sign + 0.0,  # never -0
            "ci_low": low,
            "ci_high": high,
            "t": None if pair["t"] is None else pair["t"] * sign + 0.0,
            **shared,
        }
        for first, second, sign, (low, high) in directions
    ]


def _components(scale: str, model: Mapping[str, Any]) -> Rows:
    known = {name: value for name, value in model["components"].items() if value is not None}
    total = sum(known.values())
    return [
        {
            "scale": scale,
            "component": name,
            "variance": value,
            "share": value / total if total > 0 else None,
            "dropped": model["dropped"].get(name, ""),
            "reml_criterion": model["reml_criterion"],
        }
        for name, value in known.items()
    ]


def _adjust_over_scales(rows: Rows) -> None:
    """Every pair stands in both directions, one after the other, and counts once."""
    p = np.array([math.nan if row["p"] is None else row["p"] for row in rows[::2]], dtype=np.float64)
    for place, adjusted in enumerate(holm(p).tolist() if len(p) else []):
        for row in rows[2 * place : 2 * place + 2]:
            row["p_holm_all"] = figure(adjusted)
