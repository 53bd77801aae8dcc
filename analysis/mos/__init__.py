"""Mean opinion score by condition and scale: 95 % intervals of a mixed model and, beside them, over listeners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.method import COMPLETE, Json, Method

if TYPE_CHECKING:
    import pandas as pd

# Every table there is; a list for each, however few the votes.
EMPTY: Json = {
    "rows": [],
    "votes_level": [],
    "votes_level_p808": [],
    "items_level": [],
    "model_level": [],
    "two_way_level": [],
    "all_listeners": [],
    "complete_model": [],
    "contrasts": [],
    "components": [],
    "tests": [],
    "pair_tests": [],
    "agreement": [],
    "panels": [],
    "factors": [],
    "items": [],
    "differences": [],
    "orders": [],
    "positions": [],
    "sessions": [],
    "practice": [],
    "distribution": [],
    "warnings": [],
    "baseline": None,
    "counts": {},
}


class MeanOpinionScore(Method):
    """Tables of means that differ in what is taken as independent, named by `unit` in every row.

    model: marginal means of a mixed model with listeners and items random, so that the interval says where the mean
    would lie with other listeners and other material. The default. two-way: the mean of all marks, with percentiles of
    draws of listeners and items. listener: each listener's marks are averaged first, then the listener means, of those
    who have answered every page. item: the same with items, for other material. vote: all marks pooled, as the P.808
    toolkit does it; it treats the votes of one person as independent and is therefore too short. vote-1.96: the same
    with 1.96 in place of t.

    For n values x: mean = sum(x) / n; SD = sqrt(sum((x - mean)^2) / (n - 1)); interval = mean +/- t(0.975, n - 1) *
    SD / sqrt(n), not cut to the ends of the scale. One value has neither an SD nor an interval: these are null, not 0.
    Practice marks never mix with the others: they have a table of their own. docs/methods/mos.md has the formulas.
    """

    slug = "mos"
    version = "3.4"
    title = "Mean opinion score"
    sets_incomplete_apart = True
    rates_conditions = True

    def run(self, table: pd.DataFrame) -> Json:
        # numpy, pandas and scipy load here, in the worker; the web process only needs a method's name.
        from analysis.mos import effects, model, tables
        from analysis.mos.cells import names, with_categories

        practised = table["kind"] == "practice"
        test, practice = with_categories(table[~practised]), with_categories(table[practised])
        if test.empty:
            return EMPTY | {"practice": tables.by_item(practice)}
        counted = _of_complete(test)
        counted = test if len(counted) == len(test) else with_categories(counted)
        inferred = model.inference(test, counted)
        everybody = tables.Gathered.of(test)
        complete = everybody if counted is test else tables.Gathered.of(counted)
        items = tables.by_item(test)
        distribution = tables.distribution(test)
        warnings = [*tables.warn(items, distribution), *inferred.pop("model_warnings")]
        return EMPTY | {
            **tables.by_condition(everybody, complete),
            "panels": tables.by_panel(everybody, complete),
            "factors": tables.by_factor(everybody, complete),
            "items": items,
            **effects.within_listeners(counted, complete.people),
            "baseline": effects.baseline(test),
            **inferred,
            "practice": tables.by_item(practice),
            "distribution": distribution,
            "warnings": warnings,
            "counts": {
                "votes": len(test),
                "listeners": len(names(test, "listener")),
                "counted_listeners": len(names(counted, "listener")),
                "panels": len(names(test, "panel")),
                "items": len(names(test, "item")),
                "conditions": len(names(test, "condition")),
                "sessions": len(names(test, "session")),
                "practice_votes": len(practice),
            },
        }

    def further(self, table: pd.DataFrame, result: Json) -> Json:
        """The model adjusted for panel, session and order of the scales."""
        from analysis.mos import model
        from analysis.mos.cells import with_categories

        return model.adjusted_models(with_categories(table[table["kind"] != "practice"]), result["components"])


def _of_complete(marks: pd.DataFrame) -> pd.DataFrame:
    """The marks of listeners who have answered every page; all of them as long as nobody has."""
    complete = marks[marks[COMPLETE]] if COMPLETE in marks else marks
    return marks if complete.empty else complete
