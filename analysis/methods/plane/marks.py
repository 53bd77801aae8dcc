"""The table of marks that every method gets, read as placements."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from analysis.methods.plane.placements import AXES, Placement, Placements, Setting

if TYPE_CHECKING:
    import pandas as pd

FAMILY_FACTORS = ("family", "method")  # what a condition's family may be called, in this order
ONLY_FAMILY = "z"  # what it is called where conditions carry a z and no family


def placements_of(table: pd.DataFrame) -> Placements:
    """Pair the marks on the two axes, which may come from two pages; practice, and an axis alone, are left out.

    Where a rater placed the same summary more than once, the mean counts.
    """
    rated = table[(table["kind"] != "practice") & table["scale"].isin(AXES)]
    columns = (rated[name].tolist() for name in ("listener", "item", "condition", "scale", "value"))
    cells: dict[tuple[Any, str, str], dict[str, list[float]]] = defaultdict(lambda: {axis: [] for axis in AXES})
    for rater, recording, condition, scale, value in zip(*columns, strict=True):
        cells[rater, str(recording), str(condition)][scale].append(value)
    placed = [Placement(*cell, *map(_mean, found.values())) for cell, found in cells.items() if all(found.values())]
    return Placements.of(placed, _settings(rated))


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)  # fsum rounds once, so the order of the rows plays no part


def _settings(rated: pd.DataFrame) -> dict[str, Setting]:
    """Read what conditions were made with, where their factors tell a number z."""
    if "condition_factors" not in rated:
        return {}
    factors = zip(rated["condition"].tolist(), rated["condition_factors"].tolist(), strict=True)
    made = {str(condition): setting_of(json.loads(text)) for condition, text in set(factors)}
    return {condition: setting for condition, setting in made.items() if setting is not None}


def setting_of(factors: dict[str, Any]) -> Setting | None:
    """Family and z of a condition; none where z is absent or no finite number."""
    try:
        z = float(factors["z"])
    except (KeyError, TypeError, ValueError):
        return None
    family = next((str(factors[name]) for name in FAMILY_FACTORS if factors.get(name)), ONLY_FAMILY)
    return Setting(family, z) if math.isfinite(z) else None
