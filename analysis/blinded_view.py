"""Results as experimenters may see them: letters for names until the experiment is unblinded, in a neutral order."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

# Columns that hold the name of a condition, in any table of any method.
NAMED = ("condition", "against")
# Columns that say what a row is about besides, most general first.
ABOUT = (
    *("adjusted_for", "panel", "dataset", "group", "factor", "level", "session", "item", "family", "z", "recording"),
    *("rater", "listener"),
)
UNITS = ("model", "listener", "vote", "vote-1.96", "item", "two-way")
COMPARED = (
    "differences",
    "contrasts",
    "adjusted_contrasts",
    "pair_tests",
    "model_contrasts",
    "pairs_on_plane",
    "recording_effects",
)  # tables in which conditions are compared with each other


def shown(
    table: Mapping[str, Any],
    *,
    names: Mapping[str, str],
    blind: bool,
    scales: Sequence[str],
    open_only: Collection[str] = (),
) -> dict[str, Any]:
    """Put the names of the moment into every table, and leave out what would tell a blind reader which is which.

    The condition that others are compared with first is chosen by its name, so a blind reader is not told which it is;
    differences are shown only where every condition is compared with every other; and what is `open_only` waits.
    """
    allowed = {part: value for part, value in table.items() if not (blind and part in open_only)}
    tables = {
        part: _in_order([_named(row, names) for row in rows], scales)
        for part, rows in allowed.items()
        if isinstance(rows, list)
    }
    for part in COMPARED:
        rows = tables.get(part, [])
        if blind and {row["condition"] for row in rows} != {row["against"] for row in rows}:
            tables[part] = []
    rest = {part: value for part, value in allowed.items() if not isinstance(value, list)}
    return tables | rest | ({"baseline": None} if blind and "baseline" in rest else {})


def _named(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {**row, **{column: names[row[column]] for column in NAMED if row.get(column) is not None}}


def _in_order(rows: list[dict[str, Any]], scales: Sequence[str]) -> list[dict[str, Any]]:
    present = set().union(*rows)
    about = [column for column in ABOUT if column in present]
    return sorted(rows, key=lambda row: _place(row, scales, about))


def _place(row: Mapping[str, Any], scales: Sequence[str], about: Collection[str]) -> tuple[Any, ...]:
    """Where a row stands: by scale in the protocol's order, by what it is about, by the name that is shown."""
    scale, unit = row.get("scale"), row.get("unit")
    return (
        scales.index(scale) if scale in scales else len(scales),
        UNITS.index(unit) if unit in UNITS else len(UNITS),
        str(row.get("code", "")),
        *(_countable(row.get(column)) for column in about),
        *(_short_first(row.get(column)) for column in NAMED),
    )


def _countable(value: Any) -> tuple[int, float, str]:
    """Numbers in their own order, before words in theirs."""
    return (0, float(value), "") if isinstance(value, int | float) else (1, 0.0, str(value or ""))


def _short_first(name: Any) -> tuple[int, str]:
    """A to Z before AA; no name, which means all conditions together, before any."""
    text = str(name or "")
    return (len(text), text) if len(text) <= 2 else (3, text)
