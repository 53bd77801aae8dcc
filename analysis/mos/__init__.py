"""Mean opinion score by condition and scale, with 95 % t intervals over listeners and, beside them, votes and items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.method import Json, Method

if TYPE_CHECKING:
    import pandas as pd

# Every table there is; a list for each, however few the votes.
EMPTY: Json = {
    "rows": [],
    "votes_level": [],
    "votes_level_p808": [],
    "items_level": [],
    "panels": [],
    "factors": [],
    "items": [],
    "differences": [],
    "orders": [],
    "positions": [],
    "sessions": [],
    "anchoring": [],
    "distribution": [],
    "warnings": [],
    "baseline": None,
    "counts": {},
}


class MeanOpinionScore(Method):
    """Tables of means that differ in what is taken as independent, named by `unit` in every row.

    listener: each listener's marks are averaged first, then the listener means. The interval says where the mean would
    lie with other listeners, and a listener who heard more clips weighs no more than the others. The default.
    item: the same with items, for other material. vote: all marks pooled, as the P.808 toolkit does it; it treats the
    votes of one person as independent and is therefore too short. vote-1.96: the same with 1.96 in place of t.

    For n values x: mean = sum(x) / n; SD = sqrt(sum((x - mean)^2) / (n - 1)); interval = mean +/- t(0.975, n - 1) *
    SD / sqrt(n), not cut to the ends of the scale. One value has neither an SD nor an interval: these are null, not 0.
    Practice marks never mix with the others: they have a table of their own. docs/methods/mos.md has the formulas.
    """

    slug = "mos"
    version = "2.0"
    title = "Mean opinion score"

    def run(self, table: pd.DataFrame) -> Json:
        # numpy, pandas and scipy load here, in the worker; the web process only needs a method's name.
        from analysis.mos import effects, tables
        from analysis.mos.cells import names, with_categories

        practised = table["kind"] == "practice"
        test, practice = with_categories(table[~practised]), with_categories(table[practised])
        if test.empty:
            return EMPTY | {"anchoring": tables.by_item(practice)}
        gathered = tables.Gathered.of(test)
        items = tables.by_item(test)
        distribution = tables.distribution(test)
        return EMPTY | {
            **tables.by_condition(gathered),
            "panels": tables.by_panel(gathered),
            "factors": tables.by_factor(gathered),
            "items": items,
            **effects.within_listeners(test, gathered.people),
            "anchoring": tables.by_item(practice),
            "distribution": distribution,
            "warnings": tables.warn(items, distribution),
            "counts": {
                "votes": len(test),
                "listeners": len(names(test, "listener")),
                "panels": len(names(test, "panel")),
                "items": len(names(test, "item")),
                "conditions": len(names(test, "condition")),
                "sessions": len(names(test, "session")),
                "practice_votes": len(practice),
            },
        }
