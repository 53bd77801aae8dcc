"""All tables about placements, and the same summed up by condition and axis."""

from __future__ import annotations

from typing import Any

from analysis.methods.plane import contrasts, means, raters, tradeoff
from analysis.methods.plane.agreement import agreement
from analysis.methods.plane.placements import Placements
from analysis.statistics.agreement import ALPHA_LEVEL
from analysis.statistics.estimates import correlation, figure

Tables = dict[str, Any]


def analyse(placements: Placements) -> Tables:
    """Every table, each a list of rows.

    The rows that have a `family` tell which condition is which by its z: they are not for a blind reader.
    """
    tc, sd = placements.marks.reshape(2, -1)
    return {
        "rows": means.over_raters(placements),
        "conditions_marks": means.over_marks(placements),
        "recordings": means.by_recording(placements),
        "friedman": contrasts.tests(placements),
        "contrasts": contrasts.pairs(placements),
        "agreement": agreement(placements),
        "raters": raters.scale_use(placements),
        "standardised": raters.standardised_means(placements),
        "trade_off": tradeoff.slopes(placements),
        "families": tradeoff.summaries(placements),
        "curves": tradeoff.curves(placements),
        "points": means.points(placements),
        "correlation": figure(correlation(tc, sd)),
        "counts": {
            "marks": len(placements),
            "raters": len(placements.raters),
            "recordings": len(placements.recordings),
            "conditions": len(placements.conditions),
        },
    }


def summed_up(tables: Tables) -> Tables:
    """The main figures under the name of their condition or axis, and all other tables beside them."""
    beside = {name: rows for name, rows in tables.items() if name not in {"rows", "conditions_marks", "friedman"}}
    return {
        "conditions": _by("condition", tables["conditions_marks"]),
        "conditions_over_raters": _by("condition", tables["rows"]),
        "friedman": _by("scale", tables["friedman"]),
        "icc": {row["scale"]: row["icc"] for row in tables["agreement"]},
        "alpha": {row["scale"]: row["alpha"] for row in tables["agreement"]},
        "alpha_level": ALPHA_LEVEL,
        **beside,
    }


def _by(column: str, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row[column]: {name: value for name, value in row.items() if name != column} for row in rows}
