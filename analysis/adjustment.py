"""Adjusted mixed model of a result, with panel, session or order of the scales as further fixed effects.

A result holds them under names that begin with `adjusted_`, each row with what it is adjusted for.
"""

from collections.abc import Mapping
from typing import Any

ADJUSTABLE = ("panel", "session", "order")  # in the order in which they are named
ALL = "all"  # every one that there is and that varies
PREFIX = "adjusted_"
TABLES = ("model_level", "contrasts", "components", "warnings")  # of the model, which adjusting replaces
CODES = ("no_model", "these_listeners", "these_items")  # of warnings of the model

Tables = Mapping[str, Any]  # of a result, by name


def adjustments_of(tables: Tables) -> dict[str, str]:
    """What the model can be adjusted for, with the factors that this stands for; in the order of the choices."""
    rows = [row for part in TABLES for row in tables.get(f"{PREFIX}{part}", [])]
    found = {row["adjusted_for"]: row["adjusted_factors"] for row in rows}
    return {name: found[name] for name in (*ADJUSTABLE, ALL) if name in found}


def adjusted(tables: Tables, wanted: str) -> dict[str, Any]:
    """The tables with those of the adjusted model in place of the others; as they are where there is no such model.

    `adjustment` says what was chosen; the means and differences without are kept as `unadjusted_...`.
    """
    known = adjustments_of(tables)
    if wanted == ALL and len(known) == 1:
        wanted = next(iter(known))
    if wanted not in known:
        return {**tables, "adjustment": {}}
    own = {part: [row for row in tables.get(f"{PREFIX}{part}", []) if row["adjusted_for"] == wanted] for part in TABLES}
    others = [row for row in tables.get("warnings", []) if row.get("code") not in CODES]
    kept = {name: tables.get(f"unadjusted_{name}", tables.get(name, [])) for name in ("model_level", "contrasts")}
    return {
        **tables,
        **own,
        **{f"unadjusted_{name}": rows for name, rows in kept.items()},
        "warnings": [*others, *own["warnings"]],
        "adjustment": {"for": wanted, "factors": known[wanted].split(", ")},
    }
