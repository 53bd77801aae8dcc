"""Tables of inference: mixed model, differences, equivalence, tests, agreement, and who is complete."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from analysis.reports.tables import (
    Column,
    Row,
    Table,
    count,
    decimals,
    figure,
    number_column,
    p_value,
    percent,
    range_column,
    signed,
    text_column,
)

Tables = Mapping[str, Any]  # of a result, by name


def of_scale(rows: list[Row], scale: str) -> list[Row]:
    return [row for row in rows if not scale or row["scale"] == scale]


def model_note() -> str:
    return _(
        "MOS and 95 % CI of a mixed model with listeners and items random: where the mean would lie with other "
        "listeners and other material. Beside them, the mean of listener means with its 95 % t interval over "
        "listeners. Conditions that share a letter do not differ at 5 % (model, Holm over all pairs)."
    )


def adjustment_names() -> dict[str, str]:
    return {"panel": _("panel"), "session": _("session"), "order": _("order of the scales"), "all": _("all of them")}


def adjusted_note(tables: Tables) -> list[str]:
    """What the model is adjusted for; nothing where it is not."""
    factors = tables.get("adjustment", {}).get("factors", [])
    if not factors:
        return []
    told = _("The model is adjusted for {factors} as fixed effects, each level of which has the same weight.")
    return [told.format(factors=", ".join(adjustment_names()[name] for name in factors))]


def conditions(tables: Tables, *, scale: str) -> Table:
    """Means by the model, and over listeners beside them; every condition that has a vote."""
    model, listeners = _by_condition(tables, "model_level"), _by_condition(tables, "rows")
    rows = [
        {
            **{name: row[name] for name in ("condition", "scale", "n_listeners", "n_votes", "n_items")},
            **_figures(model.get(_key(row)), "mos", "ci_low", "ci_high", "letters"),
            **_figures(listeners.get(_key(row)), "mos", "ci_low", "ci_high", prefix="listener_"),
        }
        for row in of_scale(tables.get("votes_level", []), scale)
    ]
    columns = [
        text_column(_("Condition"), "condition"),
        text_column(_("Scale"), "scale"),
        number_column("MOS", "mos"),
        range_column(_("95 % CI, model"), "ci_low", "ci_high"),
        text_column(_("Letters"), "letters", write=_dash),
        number_column(_("Mean of listeners"), "listener_mos"),
        range_column(_("95 % CI, listeners"), "listener_ci_low", "listener_ci_high"),
        number_column(_("Listeners"), "n_listeners", count),
        number_column(_("Answers"), "n_votes", count),
        number_column(_("Items"), "n_items", count),
    ]
    return Table("conditions", _("By condition"), " ".join([model_note(), *adjusted_note(tables)]), columns, rows)


def _key(row: Row) -> tuple[str, str]:
    return row["scale"], row["condition"]


def _by_condition(tables: Tables, part: str) -> dict[tuple[str, str], Row]:
    return {_key(row): row for row in tables.get(part, [])}


def _figures(row: Row | None, *names: str, prefix: str = "") -> dict[str, Any]:
    return {f"{prefix}{name}": row[name] if row else None for name in names}


def _dash(value: str | None) -> str:
    return value or "-"


def differences(tables: Tables, *, against: str, scale: str, margin: float | None) -> tuple[Table, list[str], str]:
    """The model's differences to one condition, the conditions to choose from, and the one that was chosen."""
    rows = tables.get("contrasts", [])
    choices = list(dict.fromkeys(row["against"] for row in rows or tables.get("differences", [])))
    first = tables.get("baseline") if tables.get("baseline") in choices else next(iter(choices), "")
    chosen = against if against in choices else str(first)
    note = _("Differences by the mixed model, with p after Holm over the differences that are shown for a scale.")
    shown = [row for row in of_scale(rows, scale) if row["against"] == chosen]
    columns = [text_column(_("Condition"), "condition"), *_difference_columns("p_holm_against", margin)]
    return (
        Table("differences", _("Differences"), _noted(note, tables, margin), columns, _judged(shown, margin)),
        choices,
        chosen,
    )


def all_pairs(tables: Tables, *, scale: str, margin: float | None) -> Table:
    """Each pair once, in the order of the names that are shown."""
    pairs_once = once(of_scale(tables.get("contrasts", []), scale))
    note = _noted(_("Differences by the mixed model, with p after Holm over all pairs of a scale."), tables, margin)
    columns = [pair_column(), *_difference_columns("p_holm", margin)]
    return Table("pairs", _("All pairs"), note, columns, _judged(pairs_once, margin))


def once(rows: list[Row]) -> list[Row]:
    """Of differences in both directions, those whose first name comes first on the page."""
    places = {name: place for place, name in enumerate(dict.fromkeys(row["condition"] for row in rows))}
    return [row for row in rows if places[row["condition"]] < places.get(row["against"], len(places))]


def pair_column() -> Column:
    return text_column(_("Pair"), "condition", "against", write="{} − {}".format)


def _difference_columns(holm: str, margin: float | None) -> list[Column]:
    return [
        text_column(_("Scale"), "scale"),
        number_column(_("Difference"), "difference", signed),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
        number_column("t", "t"),
        number_column("df", "df", decimals(1)),
        number_column("p", "p", p_value),
        number_column(_("p (Holm)"), holm, p_value),
        range_column(_("90 % CI"), "ci90_low", "ci90_high", signed),
        *([text_column(_("Equivalent"), "equivalent", write=_yes_or_no)] if margin else []),
    ]


def _judged(rows: list[Row], margin: float | None) -> list[Row]:
    """Two one-sided tests at 5 % find equivalence exactly if the 90 % CI lies within the margins."""
    if margin is None:
        return rows
    return [{**row, "equivalent": _within(row["ci90_low"], row["ci90_high"], margin)} for row in rows]


def _within(low: float | None, high: float | None, margin: float) -> bool | None:
    return None if low is None or high is None else -margin < low and high < margin


def _yes_or_no(value: bool | None) -> str:
    return "-" if value is None else _("yes") if value else _("not shown")


def _noted(note: str, tables: Tables, margin: float | None) -> str:
    """The note with what the model is adjusted for and what equivalence means, where there is a margin."""
    told = _(
        "Equivalent: two one-sided tests (5 %) show that the difference is smaller than {margin} points, which is so "
        "where the 90 % CI lies within that margin."
    )
    return " ".join([note, *adjusted_note(tables), *([told.format(margin=figure(margin))] if margin else [])])


def tests(tables: Tables, *, scale: str) -> list[Table]:
    """Tests without the model, on one value for each listener and condition."""
    overall = [
        text_column(_("Scale"), "scale"),
        number_column(_("Listeners"), "n_listeners", count),
        Column("Friedman χ² (df)", ("chi2", "chi2_df"), _with_df),
        number_column("p", "p_friedman", p_value),
        number_column("Kendall W", "kendall_w"),
        Column("F (df)", ("f", "f_df", "f_df_error"), _with_df),
        number_column(_("Greenhouse-Geisser ε"), "epsilon"),
        number_column(_("p, corrected"), "p_anova_corrected", p_value),
    ]
    note = _(
        "On listeners' means: Friedman's test with Kendall's W, and analysis of variance of repeated measures, p "
        "corrected by Greenhouse and Geisser's epsilon. Other listeners, the same items."
    )
    pairs = [
        pair_column(),
        text_column(_("Scale"), "scale"),
        number_column(_("Listeners"), "n_listeners", count),
        number_column("W+", "w_plus", decimals(1)),
        number_column("p", "p", p_value),
        number_column(_("p (Holm)"), "p_holm", p_value),
        number_column("d_z", "d_z", signed),
        range_column(_("95 % CI"), "d_z_low", "d_z_high", signed),
    ]
    pairs_once = once(of_scale(tables.get("pair_tests", []), scale))
    pair_note = _(
        "On listeners' means: Wilcoxon's signed-rank test with Holm over all pairs of a scale, and Cohen's d_z with "
        "its exact interval."
    )
    found = of_scale(tables.get("tests", []), scale)
    return [
        Table("tests", _("Tests over listeners"), note, overall, found),
        Table("pair-tests", _("Pairs tested over listeners"), pair_note, pairs, pairs_once),
    ]


def _with_df(value: float | None, *df: float) -> str:
    return "-" if value is None else f"{figure(value)} ({', '.join(f'{each:g}' for each in df)})"


def agreement(tables: Tables, *, scale: str) -> Table:
    columns = [
        text_column(_("Scale"), "scale"),
        text_column(_("Panel"), "panel"),
        number_column(_("Listeners"), "n_listeners", count),
        text_column(_("Coefficient"), "coefficient", write=_coefficient),
        text_column(pgettext("mean over", "Over"), "over", write=_over),
        number_column(_("Value"), "value"),
        range_column(_("95 % CI"), "ci_low", "ci_high"),
    ]
    note = _(
        "Of listeners who answered every page. Intraclass correlations by McGraw and Wong's names: A absolute "
        "agreement, C consistency, 1 one listener, k the mean of all; over clips that all of them marked, or over "
        "listeners' means of conditions. SOS a is the spread of votes relative to the largest that their mean allows."
    )
    return Table("agreement", _("Agreement"), note, columns, of_scale(tables.get("agreement", []), scale))


def _coefficient(name: str) -> str:
    alphas = {
        "alpha (ordinal)": _("Krippendorff's alpha (ordinal)"),
        "alpha (interval)": _("Krippendorff's alpha (interval)"),
    }
    return alphas.get(name, name)


def _over(name: str) -> str:
    return {"stimuli": _("clips"), "conditions": _("conditions")}.get(name, name)


def components(tables: Tables, *, scale: str) -> Table:
    columns = [
        text_column(_("Scale"), "scale"),
        text_column(_("Component"), "component", write=component_name),
        number_column(_("Variance"), "variance", decimals(3)),
        number_column(pgettext("proportion", "Share"), "share", percent),
        text_column(_("Left out"), "dropped", write=reason_left_out),
        number_column(_("REML criterion"), "reml_criterion"),
    ]
    note = _(
        "Variances of the mixed model: score = condition + listener + item + listener × condition + item × condition + "
        "error. A component that cannot be estimated, or whose estimate is 0, is left out with the reason."
    )
    note = " ".join([note, *adjusted_note(tables)])
    return Table("components", _("Mixed model"), note, columns, of_scale(tables.get("components", []), scale))


def component_name(name: str) -> str:
    known = {
        "listener": _("listener"),
        "item": _("item"),
        "listener_condition": _("listener × condition"),
        "item_condition": _("item × condition"),
        "residual": _("error"),
    }
    return known.get(name, name)


def reason_left_out(code: str) -> str:
    known = {
        "": "",
        "zero": _("its estimate is 0"),
        "fixed": _("cannot be told from the conditions"),
        "error": _("cannot be told from the error"),
        "same": _("cannot be told from another component"),
    }
    return known.get(code, code)


def completeness(tables: Tables, *, scale: str) -> list[Table]:
    """Who has not answered every page, and the figures with and without them; nothing where everybody has."""
    named = [person for row in tables.get("warnings", []) for person in row.get("people", [])]
    who = [
        text_column(_("Listener"), "listener"),
        text_column(_("Panel"), "panel"),
        number_column(_("Pages answered"), "pages", count),
        number_column(_("Pages"), "of_pages", count),
    ]
    everybody, complete = _by_condition(tables, "all_listeners"), _by_condition(tables, "complete_model")
    plain = "unadjusted_model_level" if tables.get("adjustment") else "model_level"
    model, listeners = _by_condition(tables, plain), _by_condition(tables, "rows")
    figures = ("mos", "ci_low", "ci_high")
    rows = [
        {
            **{name: row[name] for name in ("condition", "scale")},
            **_figures(model.get(_key(row)), *figures, prefix="model_"),
            **_figures(complete.get(_key(row)), *figures, prefix="complete_model_"),
            **_figures(everybody.get(_key(row)), *figures, prefix="listener_"),
            **_figures(listeners.get(_key(row)), *figures, prefix="complete_listener_"),
        }
        for row in of_scale(tables.get("all_listeners", []), scale)
    ]
    compared = [
        text_column(_("Condition"), "condition"),
        text_column(_("Scale"), "scale"),
        *_mean_and_interval(_("Model, everybody"), "model_"),
        *_mean_and_interval(_("Model, complete"), "complete_model_"),
        *_mean_and_interval(_("Listeners, everybody"), "listener_"),
        *_mean_and_interval(_("Listeners, complete"), "complete_listener_"),
    ]
    note = _("They count in the model with the votes they gave, and in no figure over listeners.")
    both = [_("MOS and 95 % CI with everybody, and with complete listeners alone.")]
    both += [_("The model is not adjusted here.")] if tables.get("adjustment") else []
    if not rows:
        note = _("Nobody has answered every page yet, so everybody counts in figures over listeners.")
    return [
        Table("incomplete", _("Incomplete listeners"), note, who, named),
        Table("completeness", _("With and without incomplete listeners"), " ".join(both), compared, rows),
    ]


def _mean_and_interval(title: str, prefix: str) -> list[Column]:
    return [
        number_column(title, f"{prefix}mos"),
        range_column(_("95 % CI"), f"{prefix}ci_low", f"{prefix}ci_high"),
    ]


def methods_sentences(tables: Tables) -> list[str]:
    """How means and differences were estimated, and what was left out of the model."""
    if not tables.get("model_level"):
        return []
    dropped: dict[str, list[str]] = {}
    for row in tables.get("components", []):
        if row["dropped"]:
            dropped.setdefault(row["scale"], []).append(component_name(row["component"]))
    left_out = "; ".join(f"{scale}: {', '.join(names)}" for scale, names in dropped.items())
    return [
        _(
            "Means of conditions and their differences are those of a linear mixed model of each scale, fitted by "
            "REML: condition fixed; listener, item, listener × condition and item × condition random. Intervals "
            "are 95 % t intervals with Satterthwaite's degrees of freedom; p of differences are adjusted by "
            "Holm's method."
        ),
        *adjusted_note(tables),
        _("Components left out, since they could not be estimated or were 0: {left_out}.").format(left_out=left_out)
        if left_out
        else "",
    ]
