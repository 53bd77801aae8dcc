"""Objective metrics beside a table of votes: the mean votes that they are compared with, and the figures."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.metrics.figures import compare_metrics
from analysis.metrics.names import Clip, KnownNames, check_names
from analysis.metrics.points import LEVELS, numbers_of, points_of
from analysis.metrics.reading import read_metrics
from analysis.statistics.estimates import Estimate, figure
from analysis.votes_table.reading import VotesTable


def add_metrics(found: dict[str, Any], votes: VotesTable, content: bytes, *, name: str) -> None:
    """Put the figures beside those of the votes, scale by scale."""
    found["metrics"], by_scale = metrics_of(votes, content, name=name)
    for scale, part in by_scale.items():
        found["scales"][scale]["metrics"] = part


def metrics_of(votes: VotesTable, content: bytes, *, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is to be known of the table of metrics, and the figures by scale and level ("file", "condition")."""
    table = read_metrics(content, name=name)
    cells = votes.votes[["item", "condition"]].drop_duplicates()
    known = KnownNames(Clip(str(item), str(condition)) for item, condition in cells.itertuples(index=False, name=None))
    matched = check_names(table, known)
    values = {matched.clips[row.name]: row.values for row in table.rows if row.name in matched.clips}
    rows = {"file": _means(votes.votes, ["item", "condition"]), "condition": _means(votes.votes, ["condition"])}
    found: dict[str, Any] = {}
    for key, limits in votes.ranges.items():
        for level in LEVELS if table.by == "file" else LEVELS[1:]:
            scale = {"key": key, "low": limits.low, "high": limits.high}
            part = points_of(level, scale, rows, values, table.metrics)
            compared = compare_metrics(numbers_of(part))
            kept = {name: compared[name] for name in ("correlations", "prediction_errors", "pairs")}
            found.setdefault(key, {})[level] = kept | {"left_out": part["left_out"]}
    about = {
        "file": {"name": name, "sha256": hashlib.sha256(content).hexdigest()},
        "by": table.by,
        "metrics": list(table.metrics),
        "unmatched": matched.unmatched,
    }
    return about, found


def _means(votes: pd.DataFrame, by: Sequence[str]) -> list[dict[str, Any]]:
    """Mean votes over listeners, of each scale and each of what `by` tells apart, with their 95 % t interval."""
    keys = ["scale", *by]
    people = votes.groupby([*keys, "listener"], sort=True)["score"].mean()
    counts = votes.groupby(keys, sort=True).size()
    rows = []
    key: Any
    for key, score in people.groupby(level=keys, sort=True):
        found = Estimate.over(score.to_numpy(np.float64))
        rows.append(
            dict(zip(keys, map(str, key), strict=True))
            | {"mos": figure(found.mean), **found.interval(), "n_votes": int(counts[key]), "n_listeners": found.n}
        )
    return rows
