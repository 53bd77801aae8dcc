"""Every table of a result in one flat file: what a row is about in the first columns, its figures in the others."""

from collections.abc import Iterator, Mapping
from typing import Any

FIRST_COLUMNS = (
    "table",
    "unit",
    "scale",
    "condition",
    "against",
    "panel",
    "factor",
    "level",
    "item",
    "session",
    "order",
    "against_order",
    "pairing",
    "n_votes",
    "n_listeners",
    "n_items",
    "mos",
    "difference",
    "slope_per_100_pages",
    "residual",
    "sd",
    "ci_low",
    "ci_high",
    "votes_1",
    "votes_2",
    "votes_3",
    "votes_4",
    "votes_5",
    "share_lowest",
    "share_highest",
    "good_or_better",
    "poor_or_worse",
)
# The same tables under the names that a reader of the file will look for.
CALLED = {
    "rows": "conditions",
    "votes_level": "conditions",
    "votes_level_p808": "conditions",
    "items_level": "conditions",
}
NO_FIGURES = ("warnings",)
NOT_FLAT = ("counts",)  # spread over columns


def table_columns(tables: Mapping[str, Any]) -> list[str]:
    """The columns that say what a row is about and the figures that most tables have, then all others as they come."""
    others = dict.fromkeys(
        name
        for row in table_rows(tables)
        for name, value in row.items()
        if name not in FIRST_COLUMNS and name not in NOT_FLAT and not isinstance(value, dict | list)
    )
    return [*FIRST_COLUMNS, *others]


def table_rows(tables: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every row of every table under the name of its table; figures as they are, to the last digit."""
    for part, rows in tables.items():
        if not isinstance(rows, list) or part in NO_FIGURES:
            continue
        for row in rows:
            counts = {f"votes_{category}": count for category, count in row.get("counts", {}).items()}
            yield {"table": CALLED.get(part, part), **row, **counts}
