"""Bias and inconsistency of listeners after P.910 as rows of tables, and means of conditions that allow for both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import chdtri, ndtri

from analysis.statistics.estimates import CONFIDENCE, figure
from analysis.statistics.p910 import ListenerModel, listener_model

Rows = list[dict[str, Any]]

TAIL = (1 - CONFIDENCE) / 2


def bias_tables(marks: pd.DataFrame) -> dict[str, Rows]:
    """From rows of listener, item, condition, scale and value: a row for each listener, and one for each condition.

    `method` says in each row whether the weighted estimate stands there or, where it collapsed, P.913's removal of
    bias; `collapsed` of a listener, that the weighted estimate would rest on this one.
    """
    found: dict[str, Rows] = {"listener_bias": [], "quality": []}
    for scale, part in marks.groupby("scale", observed=True):
        listener, people = pd.factorize(part["listener"], sort=True)
        by_stimulus = part.groupby(["item", "condition"], observed=True)
        stimulus = by_stimulus.ngroup().to_numpy().astype(np.int64)
        score = part["value"].to_numpy(np.float64)
        model = listener_model(listener.astype(np.int64), stimulus, score)
        about = {"scale": str(scale), "method": model.method}
        found["listener_bias"] += [about | row for row in _listeners(model, people.tolist(), np.bincount(listener))]
        conditions = [condition for _item, condition in by_stimulus.size().index]
        found["quality"] += [about | row for row in _conditions(model, conditions, part)]
    return found


def _listeners(model: ListenerModel, people: list[Any], n: Any) -> Rows:
    """Intervals of the Recommendation's example program: of a bias by the normal, of a spread by chi-squared."""
    half = -ndtri(TAIL) * model.inconsistency / np.sqrt(n)
    low, high = (model.inconsistency * np.sqrt(n / chdtri(n, tail)) for tail in (TAIL, 1 - TAIL))
    columns = {
        "n_votes": n,
        "bias": model.bias,
        "bias_low": model.bias - half,
        "bias_high": model.bias + half,
        "inconsistency": model.inconsistency,
        "inconsistency_low": low,
        "inconsistency_high": high,
    }
    return [
        {
            "listener": who,
            **{name: int(values[at]) if name == "n_votes" else figure(values[at]) for name, values in columns.items()},
            "collapsed": at in model.collapsed,
            "groups": model.groups,
        }
        for at, who in enumerate(people)
    ]


def _conditions(model: ListenerModel, conditions: list[Any], part: pd.DataFrame) -> Rows:
    """Means over stimuli: of the estimated qualities, and of the plain means."""
    plain = part.groupby(["item", "condition"], observed=True)["value"].mean().to_numpy()
    table = pd.DataFrame({"condition": conditions, "quality": model.quality, "plain": plain})
    return [
        {
            "condition": str(condition),
            "n_stimuli": len(rows),
            "quality": figure(rows["quality"].mean()),
            "plain": figure(rows["plain"].mean()),
            "difference": figure(rows["quality"].mean() - rows["plain"].mean()),
        }
        for condition, rows in table.groupby("condition", sort=True)
    ]
