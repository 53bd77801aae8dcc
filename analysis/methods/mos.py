"""Mean opinion score by condition and scale, with 95 % t intervals over listeners and, beside them, over votes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.methods.base import Json, Method

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.95


class MeanOpinionScore(Method):
    """Two tables that differ in what is taken as independent, named by `unit` in every row.

    `rows` (unit listener): each listener's marks are averaged first, then the listener means. The interval says where
    the mean would lie with other listeners, and a listener who heard more clips weighs no more than the others.
    `votes_level` (unit vote): all marks pooled, as the P.808 toolkit reports it. It treats the votes of one person as
    independent and is therefore too short; it is given for comparison with published tables.

    For n values x: mean = sum(x) / n; SD = sqrt(sum((x - mean)^2) / (n - 1)); interval = mean +/- t(0.975, n - 1) *
    SD / sqrt(n), not cut to the ends of the scale. One value has neither an SD nor an interval: these are null, not 0.
    The t interval is the right default below 30 listeners: for 8 of them 1.96 SE would be 17 % too short.
    Practice marks are left out.
    """

    slug = "mos"
    version = "1.0"
    title = "Mean opinion score"

    def run(self, table: pd.DataFrame) -> Json:
        marks = table[table["kind"] != "practice"]
        if marks["listener"].isna().any():
            raise ValueError("Every mark needs a listener; without one it could not be averaged within a person.")
        rows: list[Json] = []
        votes_level: list[Json] = []
        for (condition, scale), group in marks.groupby(["condition", "scale"], sort=True):
            listener_means = [
                math.fsum(values) / len(values) for _, values in group.groupby("listener", sort=True)["value"]
            ]
            votes = [float(value) for value in group["value"]]
            counts = {
                "condition": str(condition),
                "scale": str(scale),
                "n_votes": len(votes),
                "n_listeners": len(listener_means),
            }
            rows.append(counts | _mean_with_interval(listener_means) | {"unit": "listener"})
            votes_level.append(counts | _mean_with_interval(votes) | {"unit": "vote"})
        return {"rows": rows, "votes_level": votes_level}


def _mean_with_interval(values: Sequence[float]) -> dict[str, float | None]:
    """Return mean, SD and the t interval. Exact summation makes the result independent of the order of the rows."""
    n = len(values)
    mean = math.fsum(values) / n
    if n == 1:
        return {"mos": mean, "sd": None, "ci_low": None, "ci_high": None}
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half_width = _t_quantile(0.5 + CONFIDENCE / 2, n - 1) * sd / math.sqrt(n)
    return {"mos": mean, "sd": sd, "ci_low": mean - half_width, "ci_high": mean + half_width}


def _t_quantile(probability: float, degrees_of_freedom: int) -> float:
    """Return the quantile of Student's t distribution; scipy.special imports three times faster than scipy.stats."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, probability))
